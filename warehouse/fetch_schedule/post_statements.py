"""SQL that applies the rule to posts: finds those whose due time changes, and writes it."""

from warehouse.fetch_schedule.freshness import WANTS_SQL
from warehouse.fetch_schedule.plan_change import PlanChange
from warehouse.fetch_schedule.rule import (
    DEADLINE,
    LEAD,
    NEXT_DAY_END,
    NEXT_FETCHES,
    ONCE,
)

_HANGS = """
    with deadlines as (
        select creator_id, array_agg(ends_at order by ends_at) as ends
        from look_deadlines
        where {{whose}}
        group by creator_id
    ),
    thresholds as (
        select
            assignments.creator_id,
            array_agg(
                distinct (offered.threshold ->> 'view_count')::bigint
                order by (offered.threshold ->> 'view_count')::bigint
            ) as counts
        from payout_assignments as assignments
        inner join payout_structures as structures
            on assignments.structure_id = structures.id and structures.is_active
        inner join payout_versions as versions
            on structures.id = versions.structure_id and versions.criteria_type = 'view_threshold'
        cross join jsonb_array_elements(versions.criteria_params -> 'thresholds')
            as offered (threshold)
        where {{whose}}
        group by assignments.creator_id
    ),
    facts as (
        select
            fetches.ctid as row_ctid,
            fetches.due_at as due_before,
            fetches.reason as reason_before,
            fetches.pays_at as pays_before,
            reading.is_new,
            reading.looked_at,
            coalesce(videos.posted_at, videos.created_at) as posted_at,
            reading.read_at,
            reading.views,
            reading.views_a_day,
            thresholds.counts[width_bucket(reading.views, thresholds.counts) + 1] as threshold,
            {day_end_at} as day_end_at,
            {deadline} as deadline,
            wants.share,
            wants.shortest,
            wants.longest
        from post_looks as fetches
        inner join videos on fetches.video_id = videos.id
        {{readings}}
        inner join organizations on fetches.organization_id = organizations.id
        inner join {wants} on organizations.freshness = wants.freshness
        left join deadlines on videos.creator_id = deadlines.creator_id
        left join thresholds on videos.creator_id = thresholds.creator_id
        where {{which}}
        {once}
    ),
    {next_fetches}
""".format(  # noqa: S608  SQL of ours
    deadline=DEADLINE.format(
        ends_at="""deadlines.ends[
            width_bucket(reading.looked_at + interval '15 minutes', deadlines.ends) + 1
        ]""",
        subject="fetches.subject",
    ),
    day_end_at=NEXT_DAY_END.format(
        at="reading.looked_at",
        lead=LEAD.format(subject="fetches.subject"),
        zone="organizations.analytics_tz",
    ),
    wants=WANTS_SQL,
    once=ONCE,
    next_fetches=NEXT_FETCHES,
)
"""The next threshold and deadline are found by binary search in sorted arrays."""

OF_THEIR_CREATORS = """
    creator_id in (
        select videos.creator_id
        from post_looks as fetches inner join videos on fetches.video_id = videos.id
        where {}
    )
"""
"""Deadlines and thresholds are read only for these creators, because there may be a million others.
"""

PLAN_POSTS = PlanChange(
    finds=f"""
        {_HANGS}
        select row_ctid, looked_at, read_at, views, views_a_day, due_at, reason, pays_at
        from next_fetches
        where is_new
            or (due_before, reason_before, pays_before) is distinct from (due_at, reason, pays_at)
    """,  # noqa: S608  SQL of ours
    writes="""
        update post_looks
        set
            looked_at = targets.looked_at,
            read_at = targets.read_at,
            views = targets.views,
            views_a_day = targets.views_a_day,
            due_at = targets.due_at,
            reason = targets.reason,
            pays_at = targets.pays_at
        from targets where post_looks.ctid = targets.row_ctid
    """,
)
