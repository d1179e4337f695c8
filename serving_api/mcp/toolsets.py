"""Which tools `tools/list` names: `?toolsets=` of the server's address chooses.

A tool that is not listed can be called all the same, by its own name or through `general`.
"""

from collections.abc import Set
from typing import Final

from serving_api.errors import InvalidQuery
from serving_api.mcp.catalog import DEFAULT, TOOLSETS

PARAMETER: Final = "toolsets"

_NAMED: Final = {
    **{
        toolset: frozenset(entry.name for entry in entries.values())
        for toolset, entries in TOOLSETS.items()
    },
    "default": DEFAULT,
    "all": frozenset(entry.name for entries in TOOLSETS.values() for entry in entries.values()),
}


def tools_of(toolsets: str | None) -> Set[str]:
    """Return the tools of toolsets, which are separated by commas. Raises InvalidQuery."""
    names = [name.strip() for name in (toolsets or "default").split(",")]
    if unknown := [name for name in names if name not in _NAMED]:
        known = ", ".join(_NAMED)
        raise InvalidQuery.at(PARAMETER, f"no toolset {unknown[0]!r}; there are {known}")
    return frozenset().union(*(_NAMED[name] for name in names))
