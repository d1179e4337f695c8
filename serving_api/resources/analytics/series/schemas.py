"""Parameters and answers of analytics (contract, Analytics)."""

from datetime import date, datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, WithJsonSchema
from typing_extensions import TypedDict

from serving_api.kit.days import DayRangeQuery
from serving_api.kit.envelope import Answer
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
        raise ValueError("must be UUIDs separated by commas") from None


def _few_ids(listed: str) -> str:
    if len(_ids(listed)) > MOST_ENTITIES:
        raise ValueError(f"must be at most {MOST_ENTITIES} UUIDs")
    return listed


def _no_project(entity: Any) -> Any:
    if entity == "project":
        raise ValueError(
            "must be video, creator or campaign, the only ones in the API's contract. For the views"
            " of a project use GET /projects/{project_id}/views-by-day (tool projects_views)"
        )
    return entity


class AnalyticsQuery(DayRangeQuery):
    """Parameters of analytics. `window` checks their combinations."""

    entity: Annotated[Entity, BeforeValidator(_no_project)]
    entity_id: UUID | None = Field(default=None, description="Required without entity_ids")
    entity_ids: Annotated[str, AfterValidator(_few_ids)] | None = Field(
        default=None,
        description=f"Up to {MOST_ENTITIES} UUIDs, comma-separated. Not with a breakdown",
    )
    metric: Metric
    mode: Mode | None = Field(
        default=None, description="Defaults to new for counts. Always rate for rates"
    )
    granularity: Granularity = "day"
    bucket_days: Annotated[int, Field(ge=1, le=90)] | None = Field(
        default=None, description="Days of a bucket with granularity custom"
    )
    tz: Zone | None = Field(
        default=None, description="IANA timezone of all days. Defaults to the organization's"
    )
    compare: Literal["none", "prior_period"] = "none"
    breakdown: Literal["none", "video", "creator"] = Field(
        default="none",
        description="Splits the series into the largest `top_n` members and the rest",
    )
    top_n: int = Field(default=10, ge=1, le=50)
    formula: Literal["by_views", "by_followers"] | None = Field(
        default=None, description="Denominator of an engagement_rate_* metric"
    )
    base_metric: Metric | None = Field(
        default=None, description="The metric whose growth growth_rate_pop measures"
    )
    format: Literal["json", "csv"] = "json"
    hide_auto: Literal["1"] | None = Field(
        default=None, description="1 hides automatic annotations"
    )

    @property
    def ids(self) -> tuple[UUID, ...]:
        """Return the entities in the order of the request, without duplicates."""
        return (self.entity_id,) if self.entity_id else _ids(self.entity_ids or "")


class EntityRef(TypedDict):
    """The entity of a series. `__other__` is all that a breakdown does not list."""

    type: Entity
    id: UUID | Literal["__other__"]
    label: str | None


class Point(TypedDict):
    """A bucket, identified by its first day. Null: missing data or a division by zero."""

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
    """The first reading of a counter in the range: its whole count is new then.

    With `views_meaning_changed` its views have another meaning than earlier ones (organic views
    only, or with paid ones). It changes no count, and counts continue from there.
    """

    entity_id: Annotated[str, WithJsonSchema({"type": "string", "format": "uuid"})]
    snapshot_at: Annotated[str, WithJsonSchema({"type": "string", "format": "date-time"})]
    reason: Literal["tracking_started", "views_meaning_changed"]


class PartialBucket(BaseModel):
    """The bucket in progress: its first and last day, and the `as_of` of its numbers."""

    bucket_start: date
    bucket_end: date
    as_of: datetime | None


class Analytics(BaseModel):
    """The series, and the context to read them."""

    series: list[Series]
    compare_series: list[Series]
    breakdown_series: list[Series]
    baselines: list[Baseline]
    annotations: list[Annotation]
    partial_bucket: PartialBucket | None
    first_data_date: date | None
    tier_retention_days: int | None


class AnalyticsMeta(BaseModel):
    """How long the answer can be cached, and whether its figures were cached."""

    cache_ttl_seconds: int
    cached: bool


class AnalyticsAnswer(Answer[Analytics, AnalyticsMeta]):
    pass
