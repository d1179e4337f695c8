"""A linear model of sentiment: weights of hashed features, as `training` made them.

What is shipped are numbers that were learned from labelled posts, and none of their texts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from warehouse.comment_scoring.data import HERE, digest_of_bytes
from warehouse.comment_scoring.features import Floats, features, weighed
from warehouse.comment_scoring.scorer import Label

WEIGHTS = HERE / "words" / "weights.npz"
CLASSES: tuple[Label, ...] = ("negative", "neutral", "positive")
AT_ONCE = 1_000
"""Texts whose features are in memory at a time: some tens of megabytes."""


@dataclass(frozen=True)
class Table:
    """What was learned, by bucket."""

    weights: NDArray[np.int8]
    """For each bucket and class; one of them is worth `scales` of that class."""

    scales: Floats
    start: Floats
    """What a text without features leans to."""

    rarity: Floats
    """How much a feature counts; none at all where training saw it too seldom."""

    languages: frozenset[str]
    """Those in which posts that were kept aside were read well enough (`training`)."""

    @classmethod
    def read(cls, file: Path = WEIGHTS) -> "Table":
        """Read a table."""
        with np.load(file) as stored:
            return cls(
                stored["weights"],
                stored["scales"],
                stored["start"],
                stored["rarity"].astype(np.float64),
                frozenset(stored["languages"].tolist()),
            )

    @property
    def version(self) -> str:
        """Return eight digits that change with what was learned."""
        learned = (self.weights, self.scales, self.start, self.rarity)
        return digest_of_bytes(
            *(array.tobytes() for array in learned),
            *(code.encode() for code in sorted(self.languages)),
        )

    def leanings(self, texts: Sequence[str]) -> Floats:
        """Return how probable each of CLASSES is for each text."""
        parts = [
            self._some(texts[first : first + AT_ONCE]) for first in range(0, len(texts), AT_ONCE)
        ]
        return np.concatenate(parts) if parts else np.empty((0, len(CLASSES)))

    def _some(self, texts: Sequence[str]) -> Floats:
        sums = np.zeros((len(texts), len(CLASSES)))
        for owners, buckets in features(texts):
            parts = weighed(owners, self.rarity[buckets], len(texts))
            each = self.weights[buckets] * parts[:, None]
            for index in range(len(CLASSES)):
                sums[:, index] += np.bincount(owners, each[:, index], minlength=len(texts))
        return sums * self.scales + self.start


@cache
def shipped() -> Table:
    """Return the table that lies beside the code."""
    return Table.read()
