"""Parameters of exports (decisions.md, Exports)."""

from uuid import UUID

from pydantic import BaseModel, Field

from serving_api.kit.days import DayRangeQuery
from serving_api.kit.schemas import Day
from serving_api.resources.analytics.series.schemas import AnalyticsQuery

DEFAULT_LIMIT = 10_000
MAX_LIMIT = 100_000


class PageOfRows(BaseModel):
    limit: int = Field(
        default=DEFAULT_LIMIT, ge=1, le=MAX_LIMIT, description="Maximum number of rows"
    )
    cursor: str | None = Field(
        default=None, description="The header `X-Next-Cursor` of the previous page"
    )


class ExportQuery(DayRangeQuery, PageOfRows):
    project_id: UUID | None = None
    campaign_id: UUID | None = None
    from_day: Day | None = Field(
        default=None,
        alias="from",
        description="Inclusive. Lists: rows added since then, by default all."
        " Leaderboards: defaults to 30 days before `to`",
    )
    to_day: Day | None = Field(
        default=None,
        alias="to",
        description="Inclusive. Lists: rows added until then, by default all."
        " Leaderboards: defaults to today",
    )


class AnalyticsExportQuery(AnalyticsQuery, PageOfRows):
    """The parameters of analytics. `format` and `hide_auto` have no effect."""
