"""Every hostile comment gets a result, and only its beginning is read."""

import random
import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.doses import dose
from warehouse.comment_scoring.data import SIGNALS
from warehouse.comment_scoring.folding import CAP, NEXT_READING, folded
from warehouse.comment_scoring.multilingual import Multilingual
from warehouse.comment_scoring.rules import SignalRules
from warehouse.comment_scoring.terms import TermMatcher, Terms

SIZE = 100_000
MOST_READINGS = 3
"""The text itself, and twice without its repeated letters."""
RULES = SignalRules()
TERMS = TermMatcher(
    Terms(tuple(f"term{n}" for n in range(50)), tuple("a" * n for n in range(1, 51)))
)
MODEL = Multilingual()
WORDS = sorted(
    {word for file in SIGNALS.glob("*.toml") for word in re.findall(r"\w+", file.read_text())}
)
EVERYTHING = [*range(0xD800), *range(0xE000, 0x110000)]
CHANCE = random.Random(20261120)


def score(text: str) -> None:
    MODEL.score([text])
    words = folded(text)
    RULES.signals(words)
    TERMS.mentions(words)


BOMBS: dict[str, Callable[[], str]] = {
    "any characters": lambda: "".join(map(chr, CHANCE.choices(EVERYTHING, k=SIZE))),
    "one letter": lambda: "a" * SIZE,
    "nested repetition": lambda: "a" * (SIZE - 1) + "!",
    "accents": lambda: "\u0301\u0323" * (SIZE // 2),
    "letters with accents": lambda: "a\u0301" * (SIZE // 2),
    "long compatibility forms": lambda: "\ufdfa" * SIZE,
    "emoji": lambda: "😂" * SIZE,
    "families": lambda: "👩‍👩‍👧‍👦" * (SIZE // 7),
    "single letters": lambda: "a " * (SIZE // 2),
    "negations": lambda: "not never no good bad but " * (SIZE // 25),
    "shouted feelings": lambda: "LOVE hate!!! " * (SIZE // 13),
    "apostrophes": lambda: "l'" * (SIZE // 2),
    "question marks": lambda: "?" * SIZE,
    "addresses": lambda: "a.b/c." * (SIZE // 6),
    "mentions": lambda: "@a@" * (SIZE // 3),
    "beginnings of rules": lambda: "how much do they really actually " * (SIZE // 33),
    "words of rules": lambda: " ".join(CHANCE.choices(WORDS, k=SIZE // 6)),
    "chinese": lambda: "漢字" * (SIZE // 2),
    "halves of characters": lambda: "\ud83d" * SIZE,
    "zeros": lambda: "\0" * SIZE,
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_only_the_beginning_of_a_long_text_is_read(bomb: str) -> None:
    text = BOMBS[bomb]()
    beginning = text[:CAP]
    assert len(text) > CAP
    score(text)
    assert MODEL.score([text]) == MODEL.score([beginning])
    assert folded(text) == folded(beginning)
    assert len(folded(text)) <= MOST_READINGS * (2 * CAP + len(NEXT_READING))


@settings(max_examples=dose(50, 200), deadline=None)
@given(st.text(st.characters(exclude_categories=[]), max_size=300))
def test_every_text_has_an_answer(text: str) -> None:
    score(text)
