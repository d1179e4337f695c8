"""What one can ask for as a series, and what comes back. Knows nothing of SQL."""

from dataclasses import dataclass
from datetime import date
from typing import Literal
from uuid import UUID

Entity = Literal["video", "creator", "campaign"]
Metric = Literal["views", "likes", "comments", "shares", "saves", "followers", "video_count"]
Mode = Literal["new", "cumulative"]
Granularity = Literal["day", "week", "month"]

OF_SEVERAL_POSTS = ("followers", "video_count")
"""Metrics that a single video does not have."""


class UnsupportedMetric(ValueError):  # noqa: N818 (reads as what is wrong with the query)
    """The entity does not have this metric."""

    def __init__(self, entity: Entity, metric: Metric) -> None:
        super().__init__(f"a {entity} has no {metric}")


@dataclass(frozen=True, kw_only=True)
class SeriesQuery:
    """One metric of one entity over the days `from_day` to `to_day`, both inclusive, in `zone`.

    `zone` is an IANA name. Raises UnsupportedMetric.
    """

    organization_id: UUID
    entity: Entity
    entity_id: UUID
    metric: Metric
    mode: Mode
    granularity: Granularity
    from_day: date
    to_day: date
    zone: str

    def __post_init__(self) -> None:
        if self.entity == "video" and self.metric in OF_SEVERAL_POSTS:
            raise UnsupportedMetric(self.entity, self.metric)


@dataclass(frozen=True, slots=True)
class Point:
    """A bucket: the first day of its calendar day, week or month, and a count; None = missing."""

    bucket_start: date
    value: int | None
