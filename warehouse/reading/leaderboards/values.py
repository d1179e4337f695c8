"""SQL for the present and prior value of each ranked entity.

CTEs that end with amounts (entity_id, value, compared_value, previous_value). Entities without
value are not ranked. A known counter without change gained 0; one unknown until the end of the
range has no value. So `quiet` are entities without a row in the range whose counter was known
before. At the end of all readings, that is every entity with a last count.
"""

from warehouse.reading.leaderboards.query import LeaderboardQuery
from warehouse.reading.leaderboards.scope import days, has_own_days, posts
from warehouse.reading.series.metrics import ENGAGEMENT

GAINED = """
{changes}

gained as (
    select
        entity_id,
        sum(new_{counter}) filter (where day >= $from_day) as value,
        sum(new_{counter}) filter (where day >= $from_day and day <= $whole_to) as compared_value,
        sum(new_{counter}) filter (where day <= $prior_to) as previous_value
    from changes
    where day >= $prior_from and day <= $to_day
    group by entity_id
),

known as ({known}),

quiet as (
    select entity_id
    from known
    where entity_id not in (select entity_id from gained where value is not null)
),

amounts as (
    select * from gained
    where value is not null
    union all
    select
        quiet.entity_id,
        0 as value,
        0 as compared_value,
        gained.previous_value
    from quiet
    left join gained using (entity_id)
)
"""

KNOWN_BEFORE = """
    select distinct entity_id
    from days
    where day < $from_day and cumulative_{counter} is not null
"""
KNOWN_NOW = """
    select distinct entity_id
    from posts
    where {count} is not null
"""

ENGAGED = """
{changes}

gained as (
    select
        entity_id,
        day >= $from_day as is_now,
        sum(new_views) as views,
        rules.engagement(
            sum(new_likes), sum(new_comments), sum(new_shares), sum(new_saves)
        ) as engagement
    from changes
    where day >= $prior_from and day <= $to_day
    group by entity_id, is_now
),

known as (
    select distinct entity_id
    from days
    where
        entity_id in (select entity_id from gained where engagement is null)
        and day < $from_day
        and coalesce(
            cumulative_likes, cumulative_comments, cumulative_shares, cumulative_saves
        ) is not null
),

rates as (
    select
        entity_id,
        is_now,
        rules.engagement_rate(
            coalesce(engagement, if(entity_id in (select entity_id from known), 0, null)), views
        ) as rate
    from gained
    where rate is not null
),

amounts as (
    select
        entity_id,
        max(rate) filter (where is_now) as value,
        max(rate) filter (where is_now) as compared_value,
        max(rate) filter (where not is_now) as previous_value
    from rates
    group by entity_id
    having value is not null
)
"""

POSTED = """
amounts as (
    select
        entity_id,
        count(*) filter (where appeared_at >= $start) as value,
        count(*) filter (
            where appeared_at >= $start and appeared_at < $whole_until
        ) as compared_value,
        if(
            min(appeared_at) < $start,
            count(*) filter (where appeared_at >= $prior_start and appeared_at < $prior_until),
            null
        ) as previous_value
    from posts
    where appeared_at < $until and appeared_at <= (select as_of from marts.publication)
    group by entity_id
)
"""


CHANGES = """
changes as not materialized (
    select
        entity_id,
        day,
        {new}
    from days{less}
),
"""
"""Changes of each counter by day."""

LESS = """
    union all by name
    select
        entity_id,
        cast(timezone(analytics_tz, {counter}_first_captured_at) as date) as day,
        -{counter}_before_tracking as new_{counted}
    from older
    where {counter}_before_tracking > 0"""
"""Subtracts views from before tracking on the day on which they were first known."""

BEFORE = """
before as (
    select
        entity_id,
        cast(sum({counter}_before_tracking) as bigint) as before_tracking
    from older
    where
        entity_id in (select entity_id from page)
        and {counter}_before_tracking > 0
        and cast(timezone(analytics_tz, {counter}_first_captured_at) as date)
        between $from_day and $to_day
    group by entity_id
)
"""
NOTHING_BEFORE = """
before as (
    select
        entity_id,
        cast(null as bigint) as before_tracking
    from page
)
"""


def before_of(query: LeaderboardQuery) -> str:
    """Return the CTE `before`: views from before tracking of entities on the `page`."""
    if not query.is_counter:
        return NOTHING_BEFORE
    return BEFORE.format(counter=_counter(query.metric))


def _changes(query: LeaderboardQuery, *counted: str) -> str:
    less = [LESS.format(counter=_counter(counter), counted=counter) for counter in counted]
    new = ",\n        ".join(f"new_{counter}" for counter in counted)
    return CHANGES.format(new=new, less="".join(less) if query.while_tracked else "")


def _counter(counted: str) -> str:
    return counted.removesuffix("s")


def amounts(query: LeaderboardQuery, *, reaches_the_end: bool) -> str:
    """Return the CTEs up to `amounts`.

    `reaches_the_end`: the range ends with the publication's last readings.
    """
    if query.metric == "video_count":
        return f"{posts(query)},\n{POSTED}"
    if query.metric == "engagement_rate_by_views":
        changes = _changes(query, "views", *ENGAGEMENT)
        return f"{days(query)},\n{ENGAGED.format(changes=changes)}"
    known = KNOWN_BEFORE.format(counter=query.metric)
    if reaches_the_end and not has_own_days(query):
        known = KNOWN_NOW.format(count=f"{_counter(query.metric)}_count")
    gained = GAINED.format(counter=query.metric, known=known, changes=_changes(query, query.metric))
    return f"{days(query)},\n{gained}"
