"""The contract's metrics, and the counters from which each is computed.

A counter is summed from readings or posts; a rate divides counters of one bucket.
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
"""Counters of readings of posts. `followers` come from accounts, `video_count` from posts."""
ENGAGEMENT: tuple[PostCounter, ...] = ("likes", "comments", "shares", "saves")

EVERY_ENTITY: frozenset[Entity] = frozenset(get_args(Entity))
OF_SEVERAL_POSTS: frozenset[Entity] = frozenset({"creator", "campaign"})


@dataclass(frozen=True, slots=True)
class Definition:
    """A metric: its unit, its entities, its counters, and whether it is a rate.

    growth_rate_pop uses the counters of its base metric.
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
    return METRICS[base_metric or metric].counters
