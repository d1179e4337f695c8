"""Finds the names of an organization and its competitors in comments.

A term matches as whole words, in any case and spelling that folding removes, also as a hashtag or
URL, joined or separated if it has parts (`QuillPad`, `quill pad`), and with the endings of names.
In Chinese and Japanese, which have no spaces, it matches anywhere.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import re2

from warehouse.comment_scoring.data import HERE, WORDS, digest, digest_of_texts
from warehouse.comment_scoring.folding import MEANINGFUL_SIGNS, SPACELESS, folded_words
from warehouse.comment_scoring.patterns import automaton

BRAND, COMPETITOR = "brand_mention", "competitor"
PART = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[\s\-_.]+")
SIGNS_ALONE = re.compile(rf"[{re.escape(MEANINGFUL_SIGNS)}. ]*")
NO_SPACES = re.compile(SPACELESS)
ENDING = "s?"
FOREIGN_ENDING = "[^ \n]{0,3}"
"""Cases of Russian names, articles before Arabic ones."""


@dataclass(frozen=True)
class Terms:
    """The terms that an organization looks for in comments."""

    brand: tuple[str, ...]
    competitor: tuple[str, ...]

    @cached_property
    def version(self) -> str:
        """Eight digits that change with the terms, or with the way they are matched."""
        own = [HERE / "terms.py", HERE / "folding.py", WORDS / "lookalikes.toml"]
        return digest_of_texts(digest(own), *self.brand, "", *self.competitor)


class TermMatcher:
    """All terms of an organization as one automaton."""

    def __init__(self, terms: Terms) -> None:
        kinds = {BRAND: terms.brand, COMPETITOR: terms.competitor}
        terms_of_kinds = [
            (kind, term) for kind, each in kinds.items() for term in _expressions(each)
        ]
        self._kinds = [kind for kind, _ in terms_of_kinds]
        self._automaton: re2.Set = automaton(term for _, term in terms_of_kinds)

    def mentions(self, words: str) -> list[str]:
        """Return which of brand_mention and competitor match. `words` is the result of `folded`."""
        matches = self._automaton.Match(words) if self._kinds else None
        return sorted({self._kinds[index] for index in matches or ()})


def _expressions(terms: Iterable[str]) -> Iterator[str]:
    for term in terms:
        apart = folded_words(" ".join(PART.split(term)))
        for spelling in sorted({folded_words(term), apart, apart.replace(" ", "")}):
            if not SIGNS_ALONE.fullmatch(spelling):
                yield _expression(spelling)


def _expression(spelling: str) -> str:
    literal = str(re2.escape(spelling))
    if NO_SPACES.search(spelling):
        return literal
    if spelling.isascii():
        return f" {literal}{ENDING} "
    return f" {FOREIGN_ENDING}{literal}{FOREIGN_ENDING} "
