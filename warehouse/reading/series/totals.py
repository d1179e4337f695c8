"""SQL that sums daily changes by bucket."""

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
"""Changes of each counter by bucket; under None, before all buckets. A change of None, or no
bucket, means that there was no reading.
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
"""One row per member, because fetching many rows costs more than summing them."""

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
    cursor: DuckDBPyConnection, query: SeriesQuery, changes: Changes, members: Sequence[UUID] = ()
) -> dict[UUID, Sums]:
    """Return sums by member with changes until the range's end; `members` selects some."""
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
    """Return sums by member from rows of (member, bucket_starts, a list for each counter)."""
    return {
        member: {
            counter: dict(zip(starts, of_counter, strict=True))
            for counter, of_counter in zip(counters, changed, strict=True)
        }
        for member, starts, *changed in rows
    }


def bucket_of_day(query: SeriesQuery) -> str:
    """Return SQL for the name of the bucket of `day`; null before all buckets."""
    lead = "".join(LEAD.format(lead=bucket) for bucket in query.lead)
    return BUCKET.format(first_day=query.first_day, start=_start(query), lead=lead)


def parameters_of(query: SeriesQuery, changes: Changes) -> dict[str, object]:
    bounds = {"organization_id": query.organization_id, "last_day": query.last_day}
    return {**bounds, **changes.parameters}


def _start(query: SeriesQuery) -> str:
    """Return SQL for the start of a day's bucket, shifted to the requested range."""
    return STARTS[query.granularity].format(
        day=_shifted(query.shift), first=f"date '{query.from_day}'", length=query.bucket_days
    )


def _shifted(shift: Shift) -> str:
    if shift.months:
        return f"(day + interval {shift.months} month)"
    return f"(day + {shift.days})" if shift.days else "day"
