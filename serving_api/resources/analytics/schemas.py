"""Parameters and answers of analytics (contract, Analytics)."""

from datetime import date, datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, Field

from serving_api.kit.schemas import Day
from serving_api.resources.organizations.schemas import Zone
from warehouse.reading.series_query import Entity, Granularity, Metric, Mode


class AnalyticsQuery(BaseModel):
    """Which series is asked for."""

    entity: Entity
    entity_id: UUID
    metric: Metric
    mode: Mode = "new"
    granularity: Granularity = "day"
    from_day: Day | None = Field(
        default=None, alias="from", description="Inclusive; default: 30 days before `to`"
    )
    to_day: Day | None = Field(
        default=None, alias="to", description="Inclusive; default, and at most: today"
    )
    tz: Zone | None = Field(
        default=None, description="IANA zone of all days; default: the organization's analytics_tz"
    )
    compare: Literal["none"] = "none"
    breakdown: Literal["none"] = "none"
    format: Literal["json"] = "json"


class EntityRef(BaseModel):
    """What a series is about."""

    type: Entity
    id: UUID
    label: str | None


class Point(BaseModel):
    """A bucket, named by its first day; null is missing data."""

    bucket_start: date
    value: int | None


class Series(BaseModel):
    """One metric of one entity."""

    entity_ref: EntityRef
    metric: Metric
    unit: Literal["count"] = "count"
    mode: Mode
    granularity: Granularity
    timezone: str
    points: list[Point]


class Baseline(BaseModel):
    """A first reading in the range: what it shows counts as gained there."""

    entity_id: UUID
    snapshot_at: datetime
    reason: Literal["tracking_started"] = "tracking_started"


class PartialBucket(BaseModel):
    """The bucket in progress: its days, inclusive, and until when its numbers reach."""

    bucket_start: date
    bucket_end: date
    as_of: datetime | None


class Analytics(BaseModel):
    """The series, and what is needed to read it."""

    series: list[Series]
    compare_series: list[Series] = Field(default_factory=list)
    breakdown_series: list[Series] = Field(default_factory=list)
    baselines: list[Baseline]
    annotations: list[None] = Field(default_factory=list)
    partial_bucket: PartialBucket | None
    first_data_date: date | None
    tier_retention_days: int | None


class AnalyticsMeta(BaseModel):
    """For how long the answer may be kept, and whether it was."""

    cache_ttl_seconds: int
    cached: bool


class AnalyticsAnswer(BaseModel):
    """A success."""

    data: Analytics
    error: None = None
    meta: AnalyticsMeta
