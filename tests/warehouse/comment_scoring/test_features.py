"""A text's features do not depend on its neighbours, and little is lost."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.doses import dose
from warehouse.comment_scoring.features import BITS, CAP, features, spelled, weighed

TEXTS = st.lists(st.text(st.characters(exclude_categories=[]), max_size=40), max_size=6)


def buckets_of(texts: list[str]) -> list[list[list[int]]]:
    """Return each text's buckets, sorted, by kind of feature."""
    return [
        [sorted(buckets[owners == index].tolist()) for index in range(len(texts))]
        for owners, buckets in features(texts)
    ]


@settings(max_examples=dose(50, 200), deadline=None)
@given(TEXTS)
def test_a_texts_features_do_not_depend_on_its_neighbours(texts: list[str]) -> None:
    alone = [buckets_of([text]) for text in texts]

    assert buckets_of(texts) == [[each[kind][0] for each in alone] for kind in range(3)]


@settings(max_examples=dose(25, 100), deadline=None)
@given(TEXTS)
def test_features_fall_into_the_table(texts: list[str]) -> None:
    for owners, buckets in features(texts):
        assert ((buckets >= 0) & (buckets < 1 << BITS)).all()
        assert ((owners >= 0) & (owners < len(texts))).all()


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("LOVE it", "love it"),
        ("looooove it", "looove it"),
        ("see https://example.com/a?b=1", "see https://other.example"),
        ("thanks @anna.k", "thanks @anna.k"),
        ("thanks @anna", "thanks @ben"),
        ("a" * CAP + "b", "a" * CAP),
        ("🔥\ufe0f", "🔥"),
    ],
)
def test_spellings_that_mean_the_same_are_one(text: str, same: str) -> None:
    assert buckets_of([text]) == buckets_of([same])


@pytest.mark.parametrize(
    ("text", "other"),
    [("good", "bad"), ("🔥", "🤮"), ("not good", "good not"), ("اچھا", "برا"), ("अच्छा", "बुरा")],
)
def test_different_texts_have_different_features(text: str, other: str) -> None:
    assert buckets_of([text]) != buckets_of([other])


def test_counts_words_pairs_and_runs_of_letters() -> None:
    words, pairs, letters = buckets_of(["so good 🔥"])

    assert [len(words[0]), len(pairs[0])] == [3, 2]
    assert len(letters[0]) == sum(
        len(run) - length + 1
        for run in (" so ", " good ", " 🔥 ")
        for length in range(2, 6)
        if len(run) >= length
    )


def test_long_and_short_texts_weigh_the_same() -> None:
    owners = np.array([0, 0, 0, 1])
    parts = weighed(owners, np.array([2.0, 2.0, 1.0, 5.0]), 2)

    assert np.bincount(owners, parts**2).tolist() == pytest.approx([1, 1])
    assert weighed(np.array([0]), np.array([0.0]), 1).tolist() == [0]


def test_spelling_keeps_words_apart() -> None:
    assert spelled("a\n\nb\tc  d") == "a b c d"
