"""The interface between sources of series and buckets: SQL of counters' changes.

A source is a query of (member, day, <counter>...): the change of each counter of a member by local
day, up to the range's last day. Days before the range only add up to its opening value, so a
source may return them as one day. A change of 0 means that the count is known from that day on;
null or no row, that it is unknown.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from warehouse.reading.series.metrics import Counter


@dataclass(frozen=True)
class Changes:
    """The query of counters' changes, and its parameters."""

    counters: tuple[Counter, ...]
    query: str
    parameters: Mapping[str, object] = field(default_factory=dict)


def together(sources: Sequence[Changes], counters: Iterable[Counter]) -> Changes:
    """Return the union of several sources with all their counters."""
    if len(sources) == 1:
        return sources[0]
    parts = " union all by name ".join(f"({source.query})" for source in sources)
    parameters = {name: value for source in sources for name, value in source.parameters.items()}
    query = f"select member, day, {', '.join(counters)} from ({parts})"  # noqa: S608 (our own texts)
    return Changes(tuple(counters), query, parameters)


def one_of(column: str, name: str, ids: Sequence[UUID]) -> tuple[str, dict[str, object]]:
    """Return the condition that a column is one of the ids, and its parameters, prefixed by `name`.

    Each id is a constant, so that DuckDB skips row groups.
    """
    parameters: dict[str, object] = {
        f"{name}_{position}": row_id for position, row_id in enumerate(ids)
    }
    placeholders = ", ".join(f"${parameter}" for parameter in parameters)
    return f"{column} in ({placeholders})", parameters
