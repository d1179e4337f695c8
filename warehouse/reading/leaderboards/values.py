"""One value for each that is ranked, and the one of the prior period, as SQL.

Tables of a `with` list without the word, which end with

amounts (entity_id, value, previous_value): those without a value are not ranked.

A counter that is known and did not change on any day gained 0; one that was never known by the end
of the range has no value. So `quiet` are those without a row in the range whose counter was known
before it. By the end of all readings, that is whoever has a last count.
"""

from warehouse.reading.leaderboards.query import LeaderboardQuery
from warehouse.reading.leaderboards.scope import days, has_own_days, posts

GAINED = """
gained as (
    select
        entity_id,
        sum(new_{counter}) filter (where day >= $from_day) as value,
        sum(new_{counter}) filter (where day < $from_day) as previous_value
    from days
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
gained as (
    select
        entity_id,
        day >= $from_day as is_now,
        sum(new_views) as views,
        rules.engagement(
            sum(new_likes), sum(new_comments), sum(new_shares), sum(new_saves)
        ) as engagement
    from days
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
        if(
            min(appeared_at) < $start,
            count(*) filter (where appeared_at >= $prior_start and appeared_at < $start),
            null
        ) as previous_value
    from posts
    where appeared_at < $until and appeared_at <= (select as_of from marts.publication)
    group by entity_id
)
"""


def amounts(query: LeaderboardQuery, *, reaches_the_end: bool) -> str:
    """Return the tables up to `amounts`.

    `reaches_the_end` tells that the range ends with the publication's last readings.
    """
    if query.metric == "video_count":
        return f"{posts(query)},\n{POSTED}"
    if query.metric == "engagement_rate_by_views":
        return f"{days(query)},\n{ENGAGED}"
    known = KNOWN_BEFORE.format(counter=query.metric)
    if reaches_the_end and not has_own_days(query):
        known = KNOWN_NOW.format(count=f"{query.metric.removesuffix('s')}_count")
    return f"{days(query)},\n{GAINED.format(counter=query.metric, known=known)}"
