"""From changes on days to sums by bucket: the statements that a publication is asked."""

from collections.abc import Mapping, Sequence
from datetime import date
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.calendar import Granularity, Shift
from warehouse.reading.changes import Changes, listed, one_of
from warehouse.reading.metrics import Counter
from warehouse.reading.series_query import SeriesQuery

Sums = Mapping[date | None, Mapping[Counter, int | None]]
"""By how much counters changed in each bucket; under None, before all of them.

A change of None, or no bucket, says that nothing was read of it there.
"""

STARTS: Mapping[Granularity, str] = {
    "day": "{day}",
    "cumulative": "{day}",
    "week": "cast(date_trunc('week', {day}) as date)",
    "month": "cast(date_trunc('month', {day}) as date)",
    "year": "cast(date_trunc('year', {day}) as date)",
    "custom": "{first} + cast(({day} - {first}) // {length} * {length} as integer)",
}

SUMS = """
with

{tables}

select
    member,
    case
        when day >= date '{first_day}' then {start}
        {lead}
    end as bucket_start,
    {sums}
from changes
where {is_asked_for}
group by member, bucket_start
"""

LEAD = """
        when day between date '{lead.first_day}' and date '{lead.last_day}' then date '{lead.start}'
"""

LARGEST = """
with

{tables}

select member
from changes
where {is_asked_for}
group by member
order by sum({counter}) desc nulls last, member
limit {at_most}
"""


def sums_by_bucket(
    cursor: DuckDBPyConnection,
    query: SeriesQuery,
    changes: Changes,
    members: Sequence[UUID] = (),
) -> dict[UUID, Sums]:
    """Return the sums of every member that changed by the range's end; of some, if named."""
    is_asked_for, ids = one_of("member", "member", members) if members else ("true", {})
    statement = SUMS.format(
        tables=_tables(changes),
        first_day=query.first_day,
        start=_start(query),
        lead="".join(LEAD.format(lead=bucket) for bucket in query.lead),
        sums=", ".join(f"cast(sum({counter}) as bigint)" for counter in changes.counters),
        is_asked_for=is_asked_for,
    )
    sums: dict[UUID, dict[date | None, Mapping[Counter, int | None]]] = {}
    rows = cursor.execute(statement, {**_parameters(query, changes), **ids}).fetchall()
    for member, start, *changed in rows:
        sums.setdefault(member, {})[start] = dict(zip(changes.counters, changed, strict=True))
    return dict(sums)


def largest(
    cursor: DuckDBPyConnection, query: SeriesQuery, changes: Changes, at_most: int
) -> list[UUID]:
    """Return those that were read in the range with the largest sum over it, the largest first.

    In cumulative mode the sum is the count at the range's end. Equal ones are sorted by id.
    """
    is_asked_for = f"day >= date '{query.first_day}'" if query.mode == "new" else "true"
    statement = LARGEST.format(
        tables=_tables(changes),
        is_asked_for=is_asked_for,
        counter=changes.counters[0],
        at_most=at_most,
    )
    rows = cursor.execute(statement, _parameters(query, changes)).fetchall()
    return [member for (member,) in rows]


def _tables(changes: Changes) -> str:
    return listed({**changes.tables, "changes": changes.query})


def _parameters(query: SeriesQuery, changes: Changes) -> dict[str, object]:
    bounds = {"organization_id": query.organization_id, "last_day": query.last_day}
    return {**bounds, **changes.parameters}


def _start(query: SeriesQuery) -> str:
    """Return the SQL of the first day of a day's bucket, in the words of the range asked for."""
    return STARTS[query.granularity].format(
        day=_shifted(query.shift), first=f"date '{query.from_day}'", length=query.bucket_days
    )


def _shifted(shift: Shift) -> str:
    if shift.months:
        return f"(day + interval {shift.months} month)"
    return f"(day + {shift.days})" if shift.days else "day"
