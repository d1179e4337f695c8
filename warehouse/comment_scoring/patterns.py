"""Compiles the rules of `signals/*.toml` to automata that read a text once.

A phrase is a regular expression over folded words that begins and ends at word boundaries. RE2
takes linear time for any text. Extensions of its syntax:

    {name}   one of the words in the file's list of that name
    word~    the word with any ending
    ...      up to three words in between, within a sentence
    ^, $     at the start or end of the phrase: start or end of the text

`anywhere = true` drops the word boundaries, for languages without spaces between words.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import re2

from warehouse.comment_scoring.folding import folded_letters

UP_TO_THREE_WORDS = "(?:[^ ?.\n]+ ){0,3}"
ANY_ENDING = "[^ \n]*"
FIRST, LAST = "(?:^|\n)", "(?:$|\n)"
NAMED = re.compile(r"\{([a-z_]+)\}")
NOWHERE = r"[^\s\S]"
MEMORY = 256 << 20
"""Bytes for an automaton's states, which are built on demand and never discarded."""

Lists = Mapping[str, Iterable[str]]


class InvalidRuleError(ValueError):
    """A rule in a data file cannot be read."""


def expression(phrase: str, lists: Lists, *, anywhere: bool) -> str:
    """Return a phrase as an RE2 pattern. Raises InvalidRuleError for an unknown list."""
    named = NAMED.sub(lambda match: _one_of(lists, match[1]), phrase)
    plain = folded_letters(named.replace("~", ANY_ENDING).replace("... ", UP_TO_THREE_WORDS))
    return plain if anywhere else _whole_words(plain.strip())


def automaton(expressions: Iterable[str]) -> re2.Set:
    """Return a set that finds in one pass which of the expressions match a text."""
    expressions_set = re2.Set.SearchSet(options())
    for each in expressions:
        _add(expressions_set, each)
    expressions_set.Compile()
    return expressions_set


def any_of(expressions: Iterable[str]) -> Any:
    """Return one pattern that matches any of the expressions, for substitution."""
    return re2.compile("|".join(expressions) or NOWHERE, options())


def options() -> re2.Options:
    chosen = re2.Options()
    chosen.max_mem = MEMORY
    chosen.log_errors = False
    return chosen


def _one_of(lists: Lists, name: str) -> str:
    if name not in lists:
        raise InvalidRuleError(f"there is no list {name!r}")
    return f"(?:{'|'.join(lists[name])})"


def _whole_words(plain: str) -> str:
    before = FIRST if plain.startswith("^") else ""
    after = LAST if plain.endswith("$") else ""
    return f"{before} (?:{plain.removeprefix('^').removesuffix('$')}) {after}"


def _add(expressions_set: re2.Set, pattern: str) -> None:
    try:
        expressions_set.Add(pattern)
    except re2.error as error:
        raise InvalidRuleError(f"{pattern}: {error}") from error
