"""Ranks values and returns the requested page."""

from dataclasses import asdict
from typing import Any

from duckdb import DuckDBPyConnection

from warehouse.reading.leaderboards.query import Leaderboard, LeaderboardQuery, Ranked
from warehouse.reading.leaderboards.values import amounts, before_of

RANKED = """
with

{amounts},

ranked as (
    select
        rank() over (order by value desc) as rank,
        entity_id,
        value,
        coalesce(compared_value, 0) as compared_value,
        previous_value
    from amounts
),

whole as (
    select
        count(*) as total,
        sum(value) as value
    from ranked
),

page as (
    select * from ranked
    where
        $after_rank is null
        or rank > $after_rank
        or (rank = $after_rank and entity_id > $after_id)
    order by rank {direction}, entity_id
    limit $limit offset $offset
),

{earlier},

{before}

select
    whole.total,
    page.rank,
    page.entity_id,
    page.value,
    page.compared_value,
    coalesce(page.previous_value, earlier.value) as previous_value,
    if(whole.value > 0, 100.0 * page.value / whole.value, null) as share_pct,
    before.before_tracking
from whole
left join page on true
left join earlier using (entity_id)
left join before using (entity_id)
order by page.rank {direction}, page.entity_id
"""

KNOWN_EARLIER = """
earlier as (
    select
        entity_id,
        0 as value
    from days
    where
        entity_id in (select entity_id from page where previous_value is null)
        and day < $prior_from
        and cumulative_{counter} is not null
    group by entity_id
)
"""
"""Entities on the page without a row in the prior period that were known before: they gained 0."""

POSTS_KNOWN_EARLIER = """
earlier as (
    select
        video_id as entity_id,
        0 as value
    from marts.video_daily
    where
        video_id in (
            select page.entity_id
            from page
            inner join posts using (entity_id)
            where page.previous_value is null and posts.first_captured_at < $prior_start
        )
        and day < $prior_from
        and cumulative_{counter} is not null
    group by video_id
)
"""
"""Most posts with gains are new, so this skips months before the prior period for them. A join
would read those months for all ranked posts.
"""

NOTHING_EARLIER = """
earlier as (
    select
        entity_id,
        previous_value as value
    from page
    where false
)
"""


def leaderboard(cursor: DuckDBPyConnection, query: LeaderboardQuery) -> Leaderboard:
    as_of = cursor.execute("select as_of from marts.publication").fetchall()[0][0]
    statement = RANKED.format(
        amounts=amounts(query, reaches_the_end=query.until > as_of),
        earlier=_earlier(query),
        before=before_of(query),
        direction="desc" if query.lowest_first else "asc",
    )
    rows = cursor.execute(statement, _parameters(query, statement)).fetchall()
    placed = [row[1:] for row in rows if row[1] is not None]
    return Leaderboard(total=rows[0][0], rows=[_ranked(query, row) for row in placed])


def _earlier(query: LeaderboardQuery) -> str:
    if not query.is_counter:
        return NOTHING_EARLIER
    earlier = POSTS_KNOWN_EARLIER if query.ranked == "video" else KNOWN_EARLIER
    return earlier.format(counter=query.metric)


def _ranked(query: LeaderboardQuery, row: tuple[Any, ...]) -> Ranked:
    rank, entity_id, value, compared_value, previous_value, share_pct, before = row
    share = None if query.is_rate else share_pct
    from_before = (before or 0) if query.is_counter else None
    return Ranked(rank, entity_id, value, compared_value, previous_value, share, from_before)


def _parameters(query: LeaderboardQuery, statement: str) -> dict[str, Any]:
    return {name: value for name, value in asdict(query).items() if f"${name}" in statement}
