"""One step of a forecast: makes each due account fetch once, at its own instant.

The schedule's own statements decide what is due, the rate after a reading and the next fetch.
Growth of posts is assumed (`shadow`); lists are counted in pages.
"""

from typing import Final

import psycopg

from warehouse.fetch_schedule.claims import BY_WORTH, IS_DUE
from warehouse.fetch_schedule.pace import WITH_READINGS
from warehouse.fetch_schedule.shadow import LATE
from warehouse.fetch_schedule.statements import planning
from warehouse.reading.statements import statement

TICK_MINUTES = 10
"""Minutes between two ticks of a worker, as in the pipeline's schedule."""

_SECONDS = TICK_MINUTES * 60

_ASSIGN_TURNS = f"""
    insert into turn
    select
        due.platform,
        due.subject,
        due.at,
        coalesce(due.account_due_at <= due.at, false),
        due.account_due_at is not null
    from (
        select
            visits.*,
            tick.at,
            coalesce(visits.pays_at <= tick.at, false) as pays,
            row_number() over (
                partition by visits.platform order by {BY_WORTH.format("visits", "tick.at")}
            ) as position
        from visits
        cross join lateral (
            select
                greatest(
                    %(begins)s,
                    to_timestamp(ceil(extract(epoch from due_at) / {_SECONDS}) * {_SECONDS})
                ) as at
        ) as tick
        where tick.at < %(ends)s
    ) as due
    left join allowed on due.platform = allowed.platform
    where allowed.platform is null
        or (due.position <= allowed.visits and (due.pays or due.position <= allowed.others))
"""  # noqa: S608  SQL of ours

_DISCOVER: Final = statement(__name__, "discover.sql")

_LIST = f"""
    insert into listed
    select
        fetches.video_id,
        fetches.platform,
        fetches.platform_video_id,
        fetches.subject,
        turn.at,
        turn.is_account,
        {IS_DUE.format(now="turn.at")},
        dense_rank() over (
            partition by fetches.platform, fetches.subject
            order by videos.posted_at desc nulls last, fetches.platform_video_id desc
        )
    from turn
    inner join post_looks as fetches
        on turn.platform = fetches.platform and turn.subject = fetches.subject
    inner join videos on fetches.video_id = videos.id
"""  # noqa: S608  SQL of ours

_REACH: Final = statement(__name__, "reach.sql")
"""Further pages of a list are read while that takes fewer requests than single posts would
(scrapers, Findings.pays_to_read_on). Posts shown on those pages are read too."""

_WAIT = """
    insert into waited
    select
        listed.video_id, least(coalesce(fetches.read_at, videos.created_at), listed.at), listed.at
    from listed
    inner join post_looks as fetches on listed.video_id = fetches.video_id
    inner join videos on listed.video_id = videos.id
"""

_SEE = f"""
    insert into staged_seen
    select distinct on (listed.platform, listed.platform_video_id)
        listed.platform,
        listed.platform_video_id,
        listed.at,
        greatest(0, growth.views + growth.step * (
            {LATE.format("greatest(listed.at, growth.since)", "growth.posted_at")}
            - {LATE.format("growth.since", "growth.posted_at")}
        ))::bigint
    from listed inner join growth on listed.video_id = growth.video_id
    order by listed.platform, listed.platform_video_id, listed.at desc
"""  # noqa: S608  SQL of ours

_NOTE_ACCOUNT_FETCHES = """
    update visits set looked_at = turn.at
    from turn
    where visits.platform = turn.platform and visits.subject = turn.subject and turn.with_account
"""

_SETTLED = """
    ({0}.platform, {0}.subject) in (
        select platform, subject from turn
        union
        select other.platform, other.subject
        from post_looks as other inner join staged_seen as seen
            on other.platform = seen.platform and other.platform_video_id = seen.platform_video_id
    )
"""

_READ = """
    (fetches.platform, fetches.platform_video_id) in (
        select platform, platform_video_id from staged_seen
    )
"""

_STATEMENTS = tuple(
    statement.encode()
    for statement in (
        _DISCOVER,
        _LIST,
        "analyze turn, listed",
        _REACH,
        _WAIT,
        _SEE,
        "analyze staged_seen",
        _NOTE_ACCOUNT_FETCHES,
        *planning(_READ, _SETTLED, WITH_READINGS),
        "delete from listed",
        "delete from staged_seen",
        "delete from turn",
    )
)


def assign_turns(connection: psycopg.Connection, begins: object, ends: object) -> bool:
    """Make each account fetch due before `ends` once, as far as the budget allows.

    Returns whether there was any. None is made before `begins`.
    """
    assigned = connection.execute(_ASSIGN_TURNS.encode(), {"begins": begins, "ends": ends}).rowcount
    if assigned:
        for statement in _STATEMENTS:
            connection.execute(statement)
    return assigned > 0
