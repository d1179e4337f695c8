"""What the catalog says of an operation that is a tool."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Entry:
    """A tool's name (`<noun>_<verb>`), and what its reader is told beside the document's text.

    `instead` says when not to use it, and what to use. `use` says what it is for where the
    document's words are too few; `example` fills in arguments of the example call. A POST that
    `takes_away` changes or ends what was there, one that `only_asks` writes nothing; what
    `goes_out` has the platforms asked.
    """

    name: str
    instead: str
    use: str = ""
    example: Mapping[str, Any] = field(default_factory=dict)
    takes_away: bool = False
    only_asks: bool = False
    goes_out: bool = False


Entries = Mapping[str, Entry]
"""By operation id."""
