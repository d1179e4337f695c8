"""Parameters and answers of analytics (contract, Analytics)."""

from datetime import date, datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, Field, WithJsonSchema
from typing_extensions import TypedDict

from serving_api.kit.days import DayRangeQuery
from serving_api.resources.analytics.annotations.schemas import Annotation
from serving_api.resources.organization.organizations import Zone
from warehouse.reading.series.calendar import Granularity
from warehouse.reading.series.metrics import Entity, Metric, Mode, Unit
from warehouse.reading.series.query import Value

MOST_ENTITIES = 5
OTHER_LABEL = "Other"


def _ids(listed: str) -> tuple[UUID, ...]:
    try:
        return tuple(dict.fromkeys(UUID(text.strip()) for text in listed.split(",")))
    except ValueError:
        raise ValueError("must be uuids with commas between them") from None


def _few_ids(listed: str) -> str:
    if len(_ids(listed)) > MOST_ENTITIES:
        raise ValueError(f"must be at most {MOST_ENTITIES} uuids")
    return listed


class AnalyticsQuery(DayRangeQuery):
    """Which series are asked for. What goes with what: `constraints`."""

    entity: Entity
    entity_id: UUID | None = Field(default=None, description="This, or entity_ids")
    entity_ids: Annotated[str, AfterValidator(_few_ids)] | None = Field(
        default=None, description=f"Up to {MOST_ENTITIES} uuids with commas; not with a breakdown"
    )
    metric: Metric
    mode: Mode | None = Field(
        default=None, description="Default: new for counts, and always rate for rates"
    )
    granularity: Granularity = "day"
    bucket_days: Annotated[int, Field(ge=1, le=90)] | None = Field(
        default=None, description="Days of a bucket of granularity custom"
    )
    tz: Zone | None = Field(
        default=None, description="IANA zone of all days; default: the organization's analytics_tz"
    )
    compare: Literal["none", "prior_period"] = "none"
    breakdown: Literal["none", "video", "creator"] = Field(
        default="none", description="The largest `top_n` members, and the others as one"
    )
    top_n: int = Field(default=10, ge=1, le=50)
    formula: Literal["by_views", "by_followers"] | None = Field(
        default=None, description="What an engagement_rate_* divides by"
    )
    base_metric: Metric | None = Field(
        default=None, description="What growth_rate_pop is the growth of"
    )
    format: Literal["json", "csv"] = "json"
    hide_auto: Literal["1"] | None = Field(
        default=None, description="1 leaves automatic annotations out"
    )

    @property
    def ids(self) -> tuple[UUID, ...]:
        """The entities, each once, in the order asked for."""
        return (self.entity_id,) if self.entity_id else _ids(self.entity_ids or "")


class EntityRef(TypedDict):
    """What a series is about; `__other__` is all that a breakdown does not show by itself."""

    type: Entity
    id: UUID | Literal["__other__"]
    label: str | None


class Point(TypedDict):
    """A bucket, named by its first day; null is missing data or a division by zero."""

    bucket_start: date
    value: Value


class Series(TypedDict):
    """One metric of one entity."""

    entity_ref: EntityRef
    metric: Metric
    unit: Unit
    mode: Mode
    granularity: Granularity
    timezone: str
    points: list[Point]


class Baseline(TypedDict):
    """A reading in the range that first showed the counter: its count is new there, all of it.

    With `views_meaning_changed` its views mean something else than those before (organic views
    alone, or paid ones too): it changes nothing, and counts go on from there.
    """

    entity_id: Annotated[str, WithJsonSchema({"type": "string", "format": "uuid"})]
    snapshot_at: Annotated[str, WithJsonSchema({"type": "string", "format": "date-time"})]
    reason: Literal["tracking_started", "views_meaning_changed"]


class PartialBucket(BaseModel):
    """The bucket in progress: its days, inclusive, and until when its numbers reach."""

    bucket_start: date
    bucket_end: date
    as_of: datetime | None


class Analytics(BaseModel):
    """The series, and what is needed to read them."""

    series: list[Series]
    compare_series: list[Series]
    breakdown_series: list[Series]
    baselines: list[Baseline]
    annotations: list[Annotation]
    partial_bucket: PartialBucket | None
    first_data_date: date | None
    tier_retention_days: int | None


class AnalyticsMeta(BaseModel):
    """For how long the answer may be kept, and whether its numbers were."""

    cache_ttl_seconds: int
    cached: bool


class AnalyticsAnswer(BaseModel):
    """A success."""

    data: Analytics
    error: None = None
    meta: AnalyticsMeta
