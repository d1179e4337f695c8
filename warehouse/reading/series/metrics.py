"""What can be measured: the contract's table of metrics, and what each is computed from.

A counter is summed from readings or posts; a rate divides counters of one bucket. Which bucket is
which, and how counters are summed, is not known here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

Entity = Literal["video", "creator", "campaign"]
PostCounter = Literal["views", "likes", "comments", "shares", "saves"]
Counter = Literal["views", "likes", "comments", "shares", "saves", "followers", "video_count"]
Metric = Literal[
    "views",
    "likes",
    "comments",
    "shares",
    "saves",
    "followers",
    "video_count",
    "engagement_rate_by_views",
    "engagement_rate_by_followers",
    "posts_per_week",
    "avg_views_per_post",
    "growth_rate_pop",
]
Mode = Literal["new", "cumulative", "rate"]
Unit = Literal["count", "percent", "per_week"]

POST_COUNTERS: tuple[PostCounter, ...] = get_args(PostCounter)
"""What readings of posts show; `followers` come from accounts, `video_count` from posts."""
ENGAGEMENT: tuple[PostCounter, ...] = ("likes", "comments", "shares", "saves")

EVERY_ENTITY: frozenset[Entity] = frozenset(get_args(Entity))
OF_SEVERAL_POSTS: frozenset[Entity] = frozenset({"creator", "campaign"})


@dataclass(frozen=True, slots=True)
class Definition:
    """A metric: its unit, which entities have it, the counters it needs, whether it is a rate.

    growth_rate_pop needs those of its base metric.
    """

    unit: Unit
    entities: frozenset[Entity]
    counters: tuple[Counter, ...]
    is_rate: bool = True


def _count(counter: Counter, entities: frozenset[Entity]) -> Definition:
    return Definition("count", entities, (counter,), is_rate=False)


METRICS: Mapping[Metric, Definition] = {
    **{counter: _count(counter, EVERY_ENTITY) for counter in POST_COUNTERS},
    "followers": _count("followers", frozenset({"creator"})),
    "video_count": _count("video_count", OF_SEVERAL_POSTS),
    "engagement_rate_by_views": Definition("percent", EVERY_ENTITY, ("views", *ENGAGEMENT)),
    "engagement_rate_by_followers": Definition(
        "percent", OF_SEVERAL_POSTS, ("followers", *ENGAGEMENT)
    ),
    "posts_per_week": Definition("per_week", OF_SEVERAL_POSTS, ("video_count",)),
    "avg_views_per_post": Definition("count", OF_SEVERAL_POSTS, ("views", "video_count")),
    "growth_rate_pop": Definition("percent", EVERY_ENTITY, ()),
}


def counters_of(metric: Metric, base_metric: Metric | None) -> tuple[Counter, ...]:
    """Return the counters that a metric is computed from."""
    return METRICS[base_metric or metric].counters
