"""From changes on days to sums by bucket: the statements that a publication is asked."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.series.calendar import Granularity, Shift
from warehouse.reading.series.changes import Changes, one_of
from warehouse.reading.series.metrics import Counter
from warehouse.reading.series.query import SeriesQuery

Sums = Mapping[Counter, Mapping[date | None, int | None]]
"""By how much each counter changed in each bucket; under None, before all of them.

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

changes as ({changes}),

summed as (
    select
        member,
        {bucket} as bucket_start,
        {sums}
    from changes
    where {is_selected}
    group by member, bucket_start
)

select
    member,
    list(bucket_start),
    {lists}
from summed
group by member
"""
"""A row for each member: handing out many rows costs more than summing them."""

BUCKET = """
    case
        when day >= date '{first_day}' then {start}
        {lead}
    end
"""

LEAD = """
        when day between date '{lead.first_day}' and date '{lead.last_day}' then date '{lead.start}'
"""


def sums_by_bucket(
    cursor: DuckDBPyConnection,
    query: SeriesQuery,
    changes: Changes,
    members: Sequence[UUID] = (),
) -> dict[UUID, Sums]:
    """Return the sums of every member that changed by the range's end; of some, if named."""
    is_selected, ids = one_of("member", "member", members) if members else ("true", {})
    statement = SUMS.format(
        changes=changes.query,
        bucket=bucket_of_day(query),
        sums=", ".join(
            f"cast(sum({counter}) as bigint) as {counter}" for counter in changes.counters
        ),
        lists=", ".join(f"list({counter})" for counter in changes.counters),
        is_selected=is_selected,
    )
    rows = cursor.execute(statement, {**parameters_of(query, changes), **ids}).fetchall()
    return sums_of(rows, changes.counters)


def sums_of(rows: Iterable[tuple[Any, ...]], counters: Sequence[Counter]) -> dict[UUID, Sums]:
    """Return rows of (member, bucket_starts, a list for each counter) by member."""
    return {
        member: {
            counter: dict(zip(starts, of_counter, strict=True))
            for counter, of_counter in zip(counters, changed, strict=True)
        }
        for member, starts, *changed in rows
    }


def bucket_of_day(query: SeriesQuery) -> str:
    """Return the SQL of the name of the bucket that the column `day` lies in; null before all."""
    lead = "".join(LEAD.format(lead=bucket) for bucket in query.lead)
    return BUCKET.format(first_day=query.first_day, start=_start(query), lead=lead)


def parameters_of(query: SeriesQuery, changes: Changes) -> dict[str, object]:
    """Return the parameters of a statement over changes."""
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
