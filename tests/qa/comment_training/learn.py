"""Learns weights of hashed features from labelled posts: one linear classifier per class.

Deterministic: the same posts give the same weights, byte for byte.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.svm import LinearSVC

from tests.qa.comment_training.sets import Example
from warehouse.comment_scoring.features import BITS, Floats, features, weighed
from warehouse.comment_scoring.linear import CLASSES, Table

AT_ONCE = 4_000
SEEN_AT_LEAST = 2
"""Minimal number of posts with a feature for it to count."""

REGULARIZATION = 0.1
MAX_ITERATIONS = 20
FINEST = 127
"""The largest integer weight."""


def learned(posts: Sequence[Example]) -> Table:
    """Return the table of weights, without languages, which `main` chooses."""
    texts = [post.text for post in posts]
    rarity = _rarity(texts)
    matrix = _matrix(texts, rarity)
    labels = np.array([post.label for post in posts])
    shares = _shares(posts)
    classifiers = [_classifier(matrix, labels == label, shares) for label in CLASSES]
    weights = np.stack([each.coef_[0] for each in classifiers], axis=1)
    scales = np.abs(weights).max(axis=0) / FINEST
    return Table(
        weights=np.rint(weights / scales).astype(np.int8),
        scales=scales,
        start=np.array([each.intercept_[0] for each in classifiers]),
        rarity=rarity,
        languages=frozenset(),
    )


def _rarity(texts: Sequence[str]) -> Floats:
    """Return the rarity of each bucket among posts, as integers from 0 to 255."""
    posts = np.zeros(1 << BITS)
    for first in range(0, len(texts), AT_ONCE):
        for owners, buckets in features(texts[first : first + AT_ONCE]):
            pairs = np.unique((owners << BITS) | buckets)
            posts += np.bincount(pairs & ((1 << BITS) - 1), minlength=1 << BITS)
    rare = np.where(posts >= SEEN_AT_LEAST, 1 + np.log((1 + len(texts)) / (1 + posts)), 0)
    return np.asarray(np.rint(rare * 255 / rare.max()))


def _matrix(texts: Sequence[str], rarity: Floats) -> Any:
    parts = [
        _some(texts[first : first + AT_ONCE], rarity) for first in range(0, len(texts), AT_ONCE)
    ]
    return sparse.vstack(parts).tocsr()


def _some(texts: Sequence[str], rarity: Floats) -> Any:
    shape = (len(texts), 1 << BITS)
    kinds = (
        sparse.csr_matrix((weighed(owners, rarity[buckets], len(texts)), (owners, buckets)), shape)
        for owners, buckets in features(texts)
    )
    return sum(kinds, start=sparse.csr_matrix(shape))


def _shares(posts: Sequence[Example]) -> NDArray[np.float64]:
    """Return each post's weight, which balances the classes within a language."""
    classes = Counter((post.language, post.label) for post in posts)
    languages = Counter(post.language for post in posts)
    return np.array(
        [
            post.weight
            * languages[post.language]
            / len(CLASSES)
            / classes[post.language, post.label]
            for post in posts
        ]
    )


def _classifier(matrix: Any, is_class: Any, shares: Any) -> Any:
    classifier = LinearSVC(C=REGULARIZATION, max_iter=MAX_ITERATIONS, tol=0.05, random_state=0)
    return classifier.fit(matrix, is_class, sample_weight=shares)
