"""Catalog entries of operations that are tools."""

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Entry:
    """A tool's name (`<noun>_<verb>`), and text added to the operation's description.

    `instead` says when to use another tool. `use` adds a purpose where the description is too
    short; `words` are further words by which people ask for it, for the search alone. `example`
    has arguments of the example call. A POST that `takes_away` changes or ends something, one that
    `only_asks` writes nothing; `goes_out` sends requests to platforms. `brief`
    has the fields that objects of a long list keep, by the field that holds them.
    """

    name: str
    instead: str
    use: str = ""
    words: str = ""
    example: Mapping[str, Any] = field(default_factory=dict)
    takes_away: bool = False
    only_asks: bool = False
    goes_out: bool = False
    brief: Mapping[str, Set[str]] = field(default_factory=dict)


Entries = Mapping[str, Entry]
"""By operation id."""
