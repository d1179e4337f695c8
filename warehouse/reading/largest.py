"""The members of an entity with the largest sums over a range, and what they did by bucket.

Only members that were read in the range. In cumulative mode the sum is the count at the range's
end. Equal ones are sorted by id.
"""

from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.changes import listed
from warehouse.reading.daily import daily_changes
from warehouse.reading.series_query import Member, SeriesQuery
from warehouse.reading.sources import changes_by_day, changes_in_range, is_in_org_days
from warehouse.reading.totals import Sums, bucket_of_day, parameters_of, sums_by_bucket, sums_of

PLACED = """
    select
        member,
        row_number() over (order by sum({counter}) desc nulls last, member) as place
    from {changes}
    where {is_in_range}
    group by member
    order by place
    limit {at_most}
"""

PLACES = """
with

{tables}

select member
from placed
order by place
"""

IN_ONE_LOOK = """
with

changes as not materialized ({changes}),

in_range as materialized (
    select *
    from changes
    where {is_in_range}
),

placed as ({placed}),

known_at_once as (
    select member
    from in_range
    where day = date '{first_day}' and {counter} is not null
),

unclear as (
    select member
    from placed
    anti join known_at_once using (member)
    where {asks_what_was_before}
),

shown as (
    select *
    from in_range
    semi join placed using (member)
    union all
    select *
    from changes
    semi join unclear using (member)
    where day < date '{first_day}'
)

select
    member,
    {bucket} as bucket_start,
    cast(sum({counter}) as bigint)
from shown
inner join placed using (member)
group by member, bucket_start, place
order by place
"""


def largest(
    cursor: DuckDBPyConnection,
    query: SeriesQuery,
    org_zone: str | None,
    kind: Member,
    at_most: int,
) -> dict[UUID, Sums]:
    """Return the sums of the largest members, in their order, of a query of one counter."""
    if is_in_org_days(query, org_zone):
        return _in_one_look(cursor, query, kind, at_most)
    in_range = changes_in_range(query, org_zone, kind)
    placed = _placed(query, "changes", at_most)
    statement = PLACES.format(
        tables=listed({**in_range.tables, "changes": in_range.query, "placed": placed})
    )
    rows = cursor.execute(statement, parameters_of(query, in_range)).fetchall()
    members = [member for (member,) in rows]
    by_day = changes_by_day(query, org_zone, kind)
    sums = sums_by_bucket(cursor, query, by_day, members) if members else {}
    return {member: sums.get(member, {}) for member in members}


def _in_one_look(
    cursor: DuckDBPyConnection, query: SeriesQuery, kind: Member, at_most: int
) -> dict[UUID, Sums]:
    """Return them from the daily marts, which are large: placed and summed from the same rows.

    What was before the range matters to new counts only where nothing is known of its first day:
    then whether the count was known before tells 0 from missing.
    """
    changes = daily_changes(query, query.counters, kind=kind)
    (counter,) = query.counters
    statement = IN_ONE_LOOK.format(
        changes=changes.query,
        is_in_range=_in_range(query),
        placed=_placed(query, "in_range", at_most),
        first_day=query.first_day,
        counter=counter,
        asks_what_was_before="true" if query.mode == "new" else "false",
        bucket=bucket_of_day(query),
    )
    rows = cursor.execute(statement, parameters_of(query, changes)).fetchall()
    return sums_of(rows, query.counters)


def _placed(query: SeriesQuery, changes: str, at_most: int) -> str:
    (counter,) = query.counters
    return PLACED.format(
        counter=counter, changes=changes, is_in_range=_in_range(query), at_most=at_most
    )


def _in_range(query: SeriesQuery) -> str:
    return f"day >= date '{query.first_day}'" if query.mode == "new" else "true"
