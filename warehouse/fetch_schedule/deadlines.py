"""Instants before which a creator's posts have to be read: the ends of open periods.

They come from a publication: each structure's and each goal's, in its own zone (money.md M15,
M20).
"""

from datetime import datetime

from duckdb import DuckDBPyConnection

from warehouse.fetch_schedule.plan import lock_plan
from warehouse.fetch_schedule.rule import START_OF_DAY
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

_REPLACE = f"""
    with deadlines as (
        select distinct
            creators.id as creator_id,
            coalesce(
                listed.ends_at,
                {START_OF_DAY.format(day="(last_day + 1)::timestamp", zone="zone")}
            ) as ends_at,
            creators.organization_id
        from unnest(
            %(creators)s::uuid[], %(days)s::date[], %(zones)s::text[], %(instants)s::timestamptz[]
        ) as listed (creator_id, last_day, zone, ends_at)
        inner join creators on listed.creator_id = creators.id
    ),
    gone as (
        delete from look_deadlines
        using creators
        where
            look_deadlines.creator_id = creators.id
            and creators.project_id = any(%(projects)s::uuid[])
            and (look_deadlines.creator_id, look_deadlines.ends_at) not in (
                select creator_id, ends_at from deadlines where ends_at > %(as_of)s
            )
    )
    insert into look_deadlines (creator_id, ends_at, organization_id)
    select creator_id, ends_at, organization_id from deadlines where ends_at > %(as_of)s
    on conflict do nothing
"""  # noqa: S608  SQL of ours
"""Known deadlines stay, so that nothing is planned again for them.

So do those of projects outside of the publication, which belong to another shard.
"""

_COLUMNS = ("creators", "days", "zones", "instants")


def replace_deadlines(
    session: WriteSession, publication: DuckDBPyConnection, as_of: datetime
) -> None:
    """Replace the deadlines of the publication's projects, as of that instant."""
    rows = publication.execute(_UNDER_WAY, {"as_of": as_of}).fetchall()
    columns = {name: [row[at] for row in rows] for at, name in enumerate(_COLUMNS)}
    project_rows = publication.execute("select project_id from marts.projects").fetchall()
    projects = [project_id for (project_id,) in project_rows]
    lock_plan(session)
    driver_of(session).execute(_REPLACE, {**columns, "projects": projects, "as_of": as_of})
