"""Types of leaderboard queries and results, without SQL."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal
from uuid import UUID

RankedEntity = Literal["video", "creator", "campaign"]
BoardMetric = Literal[
    "views", "likes", "comments", "shares", "saves", "engagement_rate_by_views", "video_count"
]


@dataclass(frozen=True, kw_only=True)
class BoardQuestion:
    """The requested places of a leaderboard: from an offset on, or after a rank and id.

    Covers the counted posts of a project, a campaign or both, on all platforms or one. Videos have
    no `video_count`; campaigns are ranked by counters of all platforms. `while_tracked` excludes
    views from before tracking, as on pages; otherwise values are those of series. It has no effect
    on `video_count`. `lowest_first` reverses the order and keeps ranks.
    """

    ranked: RankedEntity
    metric: BoardMetric
    project_id: UUID | None = None
    campaign_id: UUID | None = None
    platform: str | None = None
    limit: int
    offset: int = 0
    while_tracked: bool = False
    lowest_first: bool = False
    after_rank: int | None = None
    after_id: UUID | None = None


@dataclass(frozen=True, kw_only=True)
class LeaderboardQuery(BoardQuestion):
    """Gains of `metric` on the days `from_day` to `to_day`, both inclusive.

    The days up to `whole_to` (ending at `whole_until`) are compared with as many from `prior_from`
    to `prior_to` (ending at `prior_until`); there is no comparison if that is before `prior_from`.

    Days are the publication's; `start` and `until` are their begin and end, and the prior period
    is `prior_from` (`prior_start`) to the day before.
    """

    organization_id: UUID
    from_day: date
    to_day: date
    prior_from: date
    prior_start: datetime
    start: datetime
    until: datetime
    whole_to: date
    whole_until: datetime
    prior_to: date
    prior_until: datetime

    @property
    def is_rate(self) -> bool:
        """Whether values are percentages, which cannot be summed."""
        return self.metric == "engagement_rate_by_views"

    @property
    def is_counter(self) -> bool:
        """Whether values are changes of a post counter."""
        return not self.is_rate and self.metric != "video_count"


@dataclass(frozen=True, slots=True)
class Ranked:
    """A row of a leaderboard. Equal values have equal ranks, sorted by id.

    Counts are integers, rates percentages. `compared_value` is the part of `value` that is
    compared with `previous_value`, which is None if nothing was known in the prior period.
    `share_pct` (of the sum of all ranked) is None for rates and if the sum is not positive.
    `before_tracking` are views from before tracking that became known in the range, whether
    `value` includes them or not; None for rates and `video_count`.
    """

    rank: int
    entity_id: UUID
    value: int | float
    compared_value: int | float
    previous_value: int | float | None
    share_pct: float | None
    before_tracking: int | None


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """A page of a leaderboard; `total` is the number of ranked entities."""

    total: int
    rows: list[Ranked]
