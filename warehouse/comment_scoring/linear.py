"""A linear sentiment model: weights of hashed features, as written by `training`.

The shipped file has numbers learned from labelled posts, and none of their texts.
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
    """The learned numbers, by bucket."""

    weights: NDArray[np.int8]
    """By bucket and class, in units of the class's `scales`."""

    scales: Floats
    start: Floats
    """The score of a text without features."""

    rarity: Floats
    """Weight of a feature: 0 if training saw it too seldom."""

    languages: frozenset[str]
    """Languages with sufficient recall on held-out posts (`training`)."""

    @classmethod
    def read(cls, file: Path = WEIGHTS) -> "Table":
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
        """Eight digits that change with the learned numbers."""
        learned = (self.weights, self.scales, self.start, self.rarity)
        return digest_of_bytes(
            *(array.tobytes() for array in learned),
            *(code.encode() for code in sorted(self.languages)),
        )

    def leanings(self, texts: Sequence[str]) -> Floats:
        """Return the score of each of CLASSES for each text."""
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
    return Table.read()
