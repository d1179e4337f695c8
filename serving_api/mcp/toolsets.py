"""The tools that `tools/list` returns, selected by `?toolsets=` in the server's URL.

Unlisted tools can still be called, by name or through `general`.
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
    """Return the tools of comma-separated toolsets. Raises InvalidQuery."""
    names = [name.strip() for name in (toolsets or "default").split(",")]
    if unknown := [name for name in names if name not in _NAMED]:
        known = ", ".join(_NAMED)
        raise InvalidQuery.at(PARAMETER, f"unknown toolset {unknown[0]!r}. Use {known}")
    return frozenset().union(*(_NAMED[name] for name in names))
