"""Evaluates a sentiment model on labelled texts from CSV or Parquet, by language.

Reports the share of texts scored, and each class's recall among them. Their mean is macro-recall:
1/3 for a model that guesses.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import get_args

import polars as pl
from polars.exceptions import PolarsError

from warehouse.comment_scoring.language import languages_of
from warehouse.comment_scoring.scorer import Label, SentimentModel

NEEDED = ("text", "sentiment")


class UnreadableLabelsError(Exception):
    """A file cannot be read, lacks a column or has an unknown label."""


def labelled_texts(file: Path) -> list[tuple[str, Label, str]]:
    """Return (language, label, text) of each row. Detects the language where none is given."""
    frame = _frame(file)
    if missing := [name for name in NEEDED if name not in frame.columns]:
        raise UnreadableLabelsError(f"{file} has no column {' and no column '.join(missing)}")
    if "language" not in frame.columns:
        frame = frame.with_columns(pl.lit(None, dtype=pl.String).alias("language"))
    labels = [
        _label(number, sentiment) for number, sentiment in enumerate(frame["sentiment"], start=1)
    ]
    texts = [text or "" for text in frame["text"]]
    languages = [
        given or detected
        for given, detected in zip(frame["language"], languages_of(texts), strict=True)
    ]
    return list(zip(languages, labels, texts, strict=True))


def _frame(file: Path) -> pl.DataFrame:
    try:
        if file.suffix == ".parquet":
            return pl.read_parquet(file)
        return pl.read_csv(file, infer_schema=False)
    except (OSError, PolarsError) as error:
        [reason, *_] = str(error).splitlines() or [type(error).__name__]
        raise UnreadableLabelsError(f"{file} cannot be read: {reason}") from error


def _label(number: int, sentiment: str | None) -> Label:
    label = next((label for label in LABELS if label == sentiment), None)
    if label is None:
        raise UnreadableLabelsError(
            f"row {number}: sentiment {sentiment!r} must be one of {', '.join(LABELS)}"
        )
    return label


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
