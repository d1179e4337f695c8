"""Types of series queries and results, without SQL."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import Literal
from uuid import UUID

from warehouse.reading.series.calendar import (
    NO_SHIFT,
    Bucket,
    Granularity,
    Range,
    Shift,
    to_prior_period,
)
from warehouse.reading.series.metrics import METRICS, Counter, Entity, Metric, Mode, counters_of

Member = Literal["video", "creator"]
Value = int | float | None
Values = Sequence[Value]
"""A value for each bucket; None is missing data or a division by zero."""


class UnsupportedMetric(ValueError):  # noqa: N818 (reads as what is wrong with the query)
    """The entity does not have this metric."""

    def __init__(self, entity: Entity, metric: Metric) -> None:
        super().__init__(f"a {entity} has no {metric}")


@dataclass(frozen=True, kw_only=True)
class SeriesQuery:
    """A metric of entities of one kind over days, both inclusive, of `zone` (IANA).

    A rate has no mode. `shift` selects the prior period, whose buckets have the names of those
    they are compared with. Buckets that begin before `retained_from`, which the plan does not
    retain, are missing. Raises UnsupportedMetric.
    """

    organization_id: UUID
    entity: Entity
    entity_ids: tuple[UUID, ...]
    metric: Metric
    base_metric: Metric | None = None
    mode: Mode = "new"
    granularity: Granularity = "day"
    bucket_days: int = 1
    from_day: date
    to_day: date
    zone: str
    retained_from: date | None = None
    shift: Shift = NO_SHIFT

    def __post_init__(self) -> None:
        for metric in (self.metric, self.base_metric or self.metric):
            if self.entity not in METRICS[metric].entities:
                raise UnsupportedMetric(self.entity, metric)

    @property
    def whole_range(self) -> Range:
        """The range, which names the buckets."""
        return Range(self.from_day, self.to_day, self.granularity, self.bucket_days)

    @property
    def counters(self) -> tuple[Counter, ...]:
        return counters_of(self.metric, self.base_metric)

    @property
    def first_day(self) -> date:
        """The first day that any bucket counts."""
        return self.shift.earlier(self.from_day)

    @property
    def first_day_needed(self) -> date:
        """The first day from which days have to be distinguished."""
        return min([self.first_day, *(bucket.first_day for bucket in self.lead)])

    @property
    def last_day(self) -> date:
        """The last day that any bucket counts."""
        return self.shift.back(Bucket(self.from_day, self.from_day, self.to_day)).last_day

    @property
    def lead(self) -> list[Bucket]:
        """The whole bucket before the first one, with which growth compares it.

        Followed by the days before the range in the first bucket, if the range begins within it.
        """
        if self.metric != "growth_rate_pop":
            return []
        return [self.shift.back(bucket) for bucket in self.whole_range.lead()]

    @cached_property
    def buckets(self) -> tuple[Bucket, ...]:
        buckets_of_range = self.whole_range.buckets()
        return tuple(
            buckets_of_range if self.shift == NO_SHIFT else map(self.shift.back, buckets_of_range)
        )

    def prior_period(self) -> "SeriesQuery":
        return replace(self, shift=to_prior_period(self.whole_range))


@dataclass(frozen=True, slots=True)
class MemberSeries:
    member_id: UUID
    values: Values


@dataclass(frozen=True, slots=True)
class Breakdown:
    """The members with the largest values, the largest first, and the sum of the others.

    `others` is None if there are no others.
    """

    top: Sequence[MemberSeries]
    others: Values | None


Series = Mapping[UUID, Values]
"""Values by entity."""
