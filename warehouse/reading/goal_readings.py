"""The days on which a goal's metric was read: a 0 of other days is not known."""

from dataclasses import asdict, dataclass
from datetime import date
from typing import Final
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.goals import GoalMetric

READ_DAYS: Final = """
    with posts as (
        select video_id
        from marts.videos
        where
            organization_id = $organization_id
            and creator_id = $creator_id
            and ($platform is null or platform = $platform)
            and ($account_id is null or account_id = $account_id)
    )
    select days.day
    from posts
    inner join marts.video_daily as days using (video_id)
    where case $metric
        when 'views' then days.new_views
        when 'engagement'
            then coalesce(days.new_likes, days.new_comments, days.new_shares, days.new_saves)
    end is not null
    union
    select days.day
    from marts.accounts as accounts
    inner join marts.account_daily as days using (account_id)
    where
        accounts.organization_id = $organization_id
        and accounts.creator_id = $creator_id
        and ($platform is null or accounts.platform = $platform)
        and ($account_id is null or accounts.account_id = $account_id)
        and case $metric
            when 'posts' then true
            when 'followers' then days.new_followers is not null
            else not exists (from posts)
        end
"""
"""An account without posts has no views, as soon as it was read."""


@dataclass(frozen=True, slots=True)
class ReadQuery:
    """The metric and scope of a goal."""

    organization_id: UUID
    creator_id: UUID
    metric: GoalMetric
    platform: str | None
    account_id: UUID | None


@dataclass(frozen=True, slots=True)
class ReadDays:
    """Org-local days with a reading."""

    metric: GoalMetric
    days: frozenset[date]

    def is_read(self, first: date, last: date) -> bool:
        """Return whether anything was read of a period; later readings have its posts too."""
        return any(first <= day and (day <= last or self.metric == "posts") for day in self.days)


def read_days(cursor: DuckDBPyConnection, query: ReadQuery) -> ReadDays:
    rows = cursor.execute(READ_DAYS, asdict(query)).fetchall()
    return ReadDays(query.metric, frozenset(day for (day,) in rows))
