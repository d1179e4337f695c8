"""The labelled comments of tests/warehouse/comment_scoring and their split into two halves."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LABELLED = Path(__file__).parents[1] / "warehouse" / "comment_scoring" / "labelled"


@dataclass(frozen=True)
class Labelled:
    """A comment and its human labels."""

    text: str
    language: str
    sentiment: str
    signals: frozenset[str]

    @property
    def is_kept(self) -> bool:
        """Whether the comment is in the evaluation half, which the rules were not written with."""
        return hashlib.sha256(self.text.encode()).digest()[0] % 2 == 1


def labelled_comments() -> Iterator[Labelled]:
    for file in sorted(LABELLED.glob("*.tsv")):
        for line in file.read_text(encoding="utf-8").splitlines()[1:]:
            sentiment, signals, text = line.split("\t")
            yield Labelled(text, file.stem, sentiment, frozenset(filter(None, signals.split(","))))
