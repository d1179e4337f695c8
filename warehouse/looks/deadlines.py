"""Before which instants a creator's posts are to be read: the ends of the periods under way.

A publication knows them: each structure's and each goal's, in its own zone (money.md M15, M20).
"""

from datetime import datetime

from duckdb import DuckDBPyConnection

from warehouse.looks.plan import lock_plan
from warehouse.operational.session import WriteSession, driver_of

_UNDER_WAY = """
    select distinct creator_id, period_end, timezone, null as ends_at
    from marts.payout_accruals
    where kind = 'earning' and status = 'open' and subject_id is null
    union
    select distinct creator_id, null, null, ends_at
    from marts.goal_compliance
    where ends_at > $as_of
"""

_KEEP = """
    insert into look_deadlines (creator_id, ends_at, organization_id)
    select distinct creators.id, found.ends_at, creators.organization_id
    from (
        select
            creator_id,
            coalesce(ends_at, (last_day + 1)::timestamp at time zone zone) as ends_at
        from unnest(
            %(creators)s::uuid[], %(days)s::date[], %(zones)s::text[], %(instants)s::timestamptz[]
        ) as listed (creator_id, last_day, zone, ends_at)
    ) as found
    inner join creators on found.creator_id = creators.id
    where found.ends_at > %(as_of)s
"""

_COLUMNS = ("creators", "days", "zones", "instants")


def keep_deadlines(session: WriteSession, publication: DuckDBPyConnection, as_of: datetime) -> None:
    """Replace the deadlines by those of the marts on `publication`, as of that instant."""
    rows = publication.execute(_UNDER_WAY, {"as_of": as_of}).fetchall()
    columns = {name: [row[at] for row in rows] for at, name in enumerate(_COLUMNS)}
    lock_plan(session)
    driver = driver_of(session)
    driver.execute("delete from look_deadlines")
    driver.execute(_KEEP, {**columns, "as_of": as_of})
