"""What every source of series gives to the buckets: SQL of the changes of some counters.

A source is the query of

(member, day, <counter>...): by how much each counter of a member changed, on local days up to the
range's last one. Days before anything that is asked for only add up to what the range opens with,
so a source may give them under one day. A change of 0 says that the count is known from that day
on; null or no row, that it is not.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from warehouse.reading.series.metrics import Counter


@dataclass(frozen=True)
class Changes:
    """The query of some counters' changes, and its parameters."""

    counters: tuple[Counter, ...]
    query: str
    parameters: Mapping[str, object] = field(default_factory=dict)


def together(sources: Sequence[Changes], counters: Iterable[Counter]) -> Changes:
    """Return several sources as one that gives all the counters."""
    if len(sources) == 1:
        return sources[0]
    parts = " union all by name ".join(f"({source.query})" for source in sources)
    parameters = {name: value for source in sources for name, value in source.parameters.items()}
    query = f"select member, day, {', '.join(counters)} from ({parts})"  # noqa: S608 (our own texts)
    return Changes(tuple(counters), query, parameters)


def one_of(column: str, name: str, ids: Sequence[UUID]) -> tuple[str, dict[str, object]]:
    """Return the condition that a column is one of the ids, and its parameters, named after `name`.

    A constant for each: DuckDB then skips what they rule out before it is read.
    """
    parameters: dict[str, object] = {
        f"{name}_{position}": row_id for position, row_id in enumerate(ids)
    }
    placeholders = ", ".join(f"${parameter}" for parameter in parameters)
    return f"{column} in ({placeholders})", parameters
