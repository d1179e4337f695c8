"""Evaluates a sentiment model on labelled texts, by language.

Reports the share of texts scored, and each class's recall among them. Their mean is macro-recall:
1/3 for a model that guesses.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import get_args

from warehouse.comment_scoring.scorer import Label, SentimentModel

LABELS: tuple[Label, ...] = get_args(Label)


@dataclass
class Confusion:
    """Counts by true label and by answer, of one language."""

    language: str
    counts: Counter[tuple[Label, Label | None]] = field(default_factory=Counter)

    @property
    def texts(self) -> int:
        return self.counts.total()

    @property
    def scored_share(self) -> float:
        return 1 - sum(self.counts[label, None] for label in LABELS) / self.texts

    @property
    def macro_recall(self) -> float | None:
        """Return the mean recall of classes with scored texts; None without any."""
        recalls = [recall for label in LABELS if (recall := self.recall(label)) is not None]
        return sum(recalls) / len(recalls) if recalls else None

    def rows(self) -> list[tuple[Label, list[tuple[Label | None, int]]]]:
        """Return for each class the counts by answer, unscored ones last."""
        return [
            (label, [(answer, self.counts[label, answer]) for answer in (*LABELS, None)])
            for label in LABELS
        ]

    def recall(self, label: Label) -> float | None:
        """Return the share of a class's scored texts with the right answer; None without any."""
        scored = sum(self.counts[label, answer] for answer in LABELS)
        return self.counts[label, label] / scored if scored else None


def evaluated(model: SentimentModel, texts: Iterable[tuple[str, Label, str]]) -> list[Confusion]:
    """Return a confusion for each language. `texts` are (language, true label, text)."""
    rows = list(texts)
    confusions: dict[str, Confusion] = {}
    for (language, label, _), answer in zip(
        rows, model.score([text for *_, text in rows]), strict=True
    ):
        confusions.setdefault(language, Confusion(language)).counts[label, answer.label] += 1
    return [confusions[language] for language in sorted(confusions)]
