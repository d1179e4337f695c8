"""Parameters of exports (decisions.md, Exports)."""

from uuid import UUID

from pydantic import BaseModel, Field

from serving_api.kit.days import DayRangeQuery
from serving_api.kit.schemas import Day
from serving_api.resources.analytics.series.schemas import AnalyticsQuery

DEFAULT_LIMIT = 10_000
MAX_LIMIT = 100_000


class PageOfRows(BaseModel):
    """Which page of a file."""

    limit: int = Field(default=DEFAULT_LIMIT, ge=1, le=MAX_LIMIT, description="Rows at most")
    cursor: str | None = Field(
        default=None, description="The header `X-Next-Cursor` of the page before, unchanged"
    )


class ExportQuery(DayRangeQuery, PageOfRows):
    """Which rows of a dataset."""

    project_id: UUID | None = None
    campaign_id: UUID | None = None
    from_day: Day | None = Field(
        default=None,
        alias="from",
        description="Inclusive. Lists: added since; default: all."
        " Leaderboards: default 30 days before `to`",
    )
    to_day: Day | None = Field(
        default=None,
        alias="to",
        description="Inclusive. Lists: added until; default: all. Leaderboards: default today",
    )


class AnalyticsExportQuery(AnalyticsQuery, PageOfRows):
    """Which series, as of analytics; `format` and `hide_auto` change nothing here."""
