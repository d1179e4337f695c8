"""States of a publication's entities that are reported as events: one query for each type.

Each returns `organization_id`, `entity_id`, `state` and `data` (a struct) of the organizations in
table `listening`, from a day or instant on (`$since`). A row of a later publication that an
earlier one lacks is an event. To make the cost depend on what is new, a fact stored in months is
read from the first month that differs.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from warehouse.reading.statements import over
from warehouse.reading.videos import RISING
from warehouse.webhooks.event import Event, EventType


@dataclass(frozen=True, slots=True)
class States:
    """States of one type of entity; `facts` are the big facts that the query reads, if any.

    `moved_by_time` tells how long before the earlier publication a fact's row may have changed
    without anything being written. `returns_by` is as in `Event`.
    """

    type: EventType
    entity_type: str
    query: str
    facts: Collection[str] = field(default=())
    moved_by_time: timedelta = timedelta()
    returns_by: str | None = None


_ACCRUALS = ("payout_earned", "payout_decided_accruals")
_LONGEST_SETTLING = timedelta(days=33)
"""Thirty settling days, plus the largest difference between the days of two zones."""

_OF_ACCRUALS = """
    select
        organization_id,
        cast(coalesce(adjusts_accrual_id, accrual_id) as varchar) as entity_id,
        if(status = 'void', 0, amount_cents) as comes_to_cents,
        concat_ws(' ', accrual_id, 'comes to', comes_to_cents) as state,
        {
            'accrual_id': accrual_id,
            'adjusts_accrual_id': adjusts_accrual_id,
            'project_id': project_id,
            'creator_id': creator_id,
            'structure_id': structure_id,
            'period_start': period_start,
            'period_end': period_end,
            'amount_cents': comes_to_cents,
            'currency': currency,
            'status': status
        } as data
    from marts.payout_accruals
    semi join listening using (organization_id)
    where period_end >= cast($since as date) and
"""

_OF_GOALS = """
    select
        organization_id,
        cast(goal_id as varchar) as entity_id,
        concat_ws(' ', period, period_start) as state,
        {
            'goal_id': goal_id,
            'project_id': project_id,
            'creator_id': creator_id,
            'metric': metric,
            'period': period,
            'period_start': period_start,
            'period_end': period_end,
            'target_value': target_value,
            'actual': actual
        } as data
    from marts.goal_compliance
    semi join listening using (organization_id)
    anti join (from marts.creators where not is_active) using (organization_id, creator_id)
    semi join marts.goals
        on goal_compliance.goal_id = goals.goal_id and goal_compliance.ends_at > goals.created_at
    where period_end >= cast($since as date) and
"""
"""A new goal is also judged for earlier periods, which are not reported."""

_STALE_ACCOUNTS = """
    with stale as (
        select *, 'profile' as stale, last_profile_at as last_at
        from marts.scrape_freshness
        where is_stale_profile
        union all
        select *, 'posts' as stale, last_discovery_at as last_at
        from marts.scrape_freshness
        where is_stale_discovery
    )
    select
        organization_id,
        cast(account_id as varchar) as entity_id,
        concat_ws(' ', stale, 'since', epoch_us(last_at)) as state,
        {
            'account_id': account_id,
            'project_id': project_id,
            'creator_id': creator_id,
            'platform': platform,
            'stale': stale,
            'last_at': strftime(timezone('UTC', last_at), '%Y-%m-%dT%H:%M:%SZ'),
            'last_outcome': last_outcome
        } as data
    from stale
    semi join listening using (organization_id)
    where last_at is not null or failures_since_success > 0
"""

_FLAGGED_COMMENTS = """
    select
        organization_id,
        cast(comment_id as varchar) as entity_id,
        'flagged' as state,
        {
            'comment_id': comment_id,
            'video_id': video_id,
            'project_id': project_id,
            'creator_id': creator_id,
            'platform': platform,
            'signals': signals
        } as data
    from marts.comments
    semi join listening using (organization_id)
    where is_flagged and commented_at >= cast(cast($since as date) as timestamp) at time zone 'UTC'
"""

_ACCRUALS_ON_HOLD = """
    select
        organization_id,
        cast(accrual_id as varchar) as entity_id,
        'held by ' || string_agg(cast(anomaly_id as varchar), ' ' order by anomaly_id) as state,
        {
            'accrual_id': accrual_id,
            'project_id': any_value(project_id),
            'creator_id': any_value(creator_id),
            'structure_id': any_value(structure_id),
            'since_at': strftime(timezone('UTC', min(captured_at)), '%Y-%m-%dT%H:%M:%SZ'),
            'readings': count(*)
        } as data
    from marts.payout_holds
    semi join listening using (organization_id)
    where is_held
    group by organization_id, accrual_id
"""


def readings_of(event: Event) -> Sequence[str]:
    """Return the anomalies that an amount waits for, from a state of `_ACCRUALS_ON_HOLD`."""
    return event.state.removeprefix("held by ").split()


_REFUSING_PLATFORMS = """
    select
        organization_id,
        platform as entity_id,
        concat_ws(' ', 'since', cast(timezone('UTC', min(refused_since)) as date)) as state,
        {
            'platform': platform,
            'looks': cast(sum(fetches) as bigint),
            'refused': cast(sum(refused) as bigint),
            'refused_since': strftime(timezone('UTC', min(refused_since)), '%Y-%m-%dT%H:%M:%SZ'),
            'outcome': arg_max(outcome, refused)
        } as data
    from marts.platform_status
    semi join listening using (organization_id)
    where is_refusing
    group by organization_id, platform
"""
"""Sent once for each day (UTC) on which a refusal begins, which is at most a day ago."""

_VIRAL_VIDEOS = over(
    f"""
        select
            organization_id,
            cast(video_id as varchar) as entity_id,
            'viral' as state,
            {{
                'video_id': video_id,
                'project_id': project_id,
                'creator_id': creator_id,
                'account_id': account_id,
                'platform': platform,
                'posted_at': strftime(timezone('UTC', posted_at), '%Y-%m-%dT%H:%M:%SZ'),
                'view_count': view_count,
                'times_median': round(times_median, 1)
            }} as data
        from ({RISING})
    """,  # noqa: S608  our own query
    scope="""
        select distinct
            organization_id,
            project_id
        from marts.videos
        semi join listening using (organization_id)
    """,
)
"""One state, whatever becomes of the post: the log refuses a second event of it."""

STATES = (
    States(
        "accrual.final",
        "payout_accrual",
        f"{_OF_ACCRUALS} kind = 'earning' and status in ('final', 'void')",
        _ACCRUALS,
        _LONGEST_SETTLING,
        returns_by="accrual_id",
    ),
    States(
        "accrual.adjusted",
        "payout_accrual",
        f"{_OF_ACCRUALS} kind = 'adjustment'",
        _ACCRUALS,
        returns_by="accrual_id",
    ),
    States("accrual.held", "payout_accrual", _ACCRUALS_ON_HOLD),
    States("goal.at_risk", "goal", f"{_OF_GOALS} status = 'at_risk'", ("goal_compliance",)),
    States("goal.completed", "goal", f"{_OF_GOALS} status = 'completed'", ("goal_compliance",)),
    States("video.viral", "video", _VIRAL_VIDEOS),
    States("account.stale", "account", _STALE_ACCOUNTS),
    States("platform.refusing", "platform", _REFUSING_PLATFORMS),
    States("comment.flagged", "comment", _FLAGGED_COMMENTS, ("comments",)),
)
