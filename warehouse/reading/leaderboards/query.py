"""What one can ask for as a leaderboard, and what comes back. Knows nothing of SQL."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal
from uuid import UUID

RankedEntity = Literal["video", "creator", "campaign"]
BoardMetric = Literal[
    "views", "likes", "comments", "shares", "saves", "engagement_rate_by_views", "video_count"
]


@dataclass(frozen=True, kw_only=True)
class LeaderboardQuery:
    """Who gained how much of `metric` on the days `from_day` to `to_day`, both inclusive.

    `while_tracked` leaves out what is from before tracking, as pages do; without it values are
    those of series. It means nothing for `video_count`.

    The days to `whole_to` (over at `whole_until`) are compared with as many from `prior_from` on,
    to `prior_to` (over at `prior_until`); none where that is before `prior_from`.

    Days are those of the publication; `start` and `until` are when they begin and are over, and
    the prior period is `prior_from` (`prior_start`) to the day before. Among the counted posts of
    a project, of a campaign or of both, on all platforms or one. Videos have no `video_count`;
    campaigns are ranked by counters of all platforms. With `after_rank` and `after_id` those that
    come after them. `lowest_first` turns the order round, and leaves ranks as they are.
    """

    organization_id: UUID
    ranked: RankedEntity
    metric: BoardMetric
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
    project_id: UUID | None = None
    campaign_id: UUID | None = None
    platform: str | None = None
    limit: int
    offset: int = 0
    while_tracked: bool = False
    lowest_first: bool = False
    after_rank: int | None = None
    after_id: UUID | None = None

    @property
    def is_rate(self) -> bool:
        """Whether values are percentages, which have no sum."""
        return self.metric == "engagement_rate_by_views"

    @property
    def is_counter(self) -> bool:
        """Whether values are changes of a counter of posts."""
        return not self.is_rate and self.metric != "video_count"


@dataclass(frozen=True, slots=True)
class Ranked:
    """A place on a leaderboard: equal values have equal ranks, and are in order of their ids.

    Counts are integers, rates percentages. `compared_value` is what of `value` is compared with
    `previous_value`, which is None where nothing was known in the prior period. `share_pct` (of the
    sum over all ranked) is None for rates and where the sum is not positive. `before_tracking` is
    what is from before tracking and became known in the range, whether `value` holds it or not;
    None for rates and for `video_count`.
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
    """A page of a leaderboard; `total` is how many are ranked."""

    total: int
    rows: list[Ranked]
