"""The members of an entity with the largest sums over a range, and their sums by bucket.

Only members with a reading in the range. In cumulative mode the sum is the count at the range's
end. Equal ones are sorted by id.
"""

from datetime import datetime
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.series.beginnings import day_in
from warehouse.reading.series.daily import daily_changes
from warehouse.reading.series.known import Known
from warehouse.reading.series.query import Member, SeriesQuery
from warehouse.reading.series.sources import changes_by_day, changes_in_range, is_in_org_days
from warehouse.reading.series.totals import (
    Sums,
    bucket_of_day,
    parameters_of,
    sums_by_bucket,
    sums_of,
)

PLACED = """
    select
        member,
        row_number() over (order by sum({counter}) desc nulls last, member) as rank
    from {changes}
    where {is_in_range}
    group by member
    order by rank
    limit {at_most}
"""

LARGEST_MEMBERS = """
with

changes as ({changes}),

placed as ({placed})

select member
from placed
order by rank
"""

IN_ONE_QUERY = """
with

changes as ({changes}),

in_range as materialized (
    select *
    from changes
    where {is_in_range}
),

placed as ({placed}),

summed as (
    select
        member,
        rank,
        {bucket} as bucket_start,
        cast(sum({counter}) as bigint) as {counter}
    from in_range
    inner join placed using (member)
    group by member, rank, bucket_start
)

select
    member,
    list(bucket_start),
    list({counter})
from summed
group by member, rank
order by rank
"""


def largest(
    cursor: DuckDBPyConnection, query: SeriesQuery, known: Known, kind: Member, at_most: int
) -> dict[UUID, Sums]:
    """Return the sums of the largest members, in order, for a query of one counter."""
    if is_in_org_days(query, known.org_zone):
        sums_of = _in_one_query(cursor, query, kind, at_most)
        members = [
            member for member in sums_of if _is_unclear(query, known, member, sums_of[member])
        ]
    else:
        members = _largest_members(cursor, query, known.org_zone, kind, at_most)
        sums_of = {member: {} for member in members}
    if not members:
        return sums_of
    by_day = changes_by_day(query, known.org_zone, kind)
    return {**sums_of, **sums_by_bucket(cursor, query, by_day, members)}


def _in_one_query(
    cursor: DuckDBPyConnection, query: SeriesQuery, kind: Member, at_most: int
) -> dict[UUID, Sums]:
    """Rank and sum members from the same rows, because the daily marts are large.

    New counts exclude counts from before the range.
    """
    changes = daily_changes(query, query.counters, kind=kind)
    statement = IN_ONE_QUERY.format(
        changes=changes.query,
        is_in_range=_in_range(query),
        placed=_placed(query, "in_range", at_most),
        counter=query.counters[0],
        bucket=bucket_of_day(query),
    )
    rows = cursor.execute(statement, parameters_of(query, changes)).fetchall()
    return sums_of(rows, query.counters)


def _is_unclear(query: SeriesQuery, known: Known, member: UUID, sums: Sums) -> bool:
    """Return whether the count may have been known before the range, and be 0 at its start.

    That is if its first bucket is unknown, and it was read before the range: the video itself, or
    any post of a creator.
    """
    (counter,) = query.counters
    if query.mode != "new" or sums[counter].get(query.buckets[0].start) is not None:
        return False
    return any(
        _is_before(query, began.of_posts.earliest)
        and _is_before(query, began.of_posts.of(str(member)) or began.of_posts.earliest)
        for began in known.beginnings.values()
    )


def _is_before(query: SeriesQuery, read_at: datetime | None) -> bool:
    return read_at is not None and day_in(query.zone, read_at) < query.first_day


def _largest_members(
    cursor: DuckDBPyConnection, query: SeriesQuery, org_zone: str | None, kind: Member, at_most: int
) -> list[UUID]:
    in_range = changes_in_range(query, org_zone, kind)
    placed = _placed(query, "changes", at_most)
    statement = LARGEST_MEMBERS.format(changes=in_range.query, placed=placed)
    rows = cursor.execute(statement, parameters_of(query, in_range)).fetchall()
    return [member for (member,) in rows]


def _placed(query: SeriesQuery, changes: str, at_most: int) -> str:
    (counter,) = query.counters
    return PLACED.format(
        counter=counter, changes=changes, is_in_range=_in_range(query), at_most=at_most
    )


def _in_range(query: SeriesQuery) -> str:
    return f"day >= date '{query.first_day}'" if query.mode == "new" else "true"
