"""A dataset: its parameters and scope, columns, and the rows of one page (decisions.md, Exports).

Rows are computed while they are sent. A request is validated before its first row.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Protocol, TypeVar
from uuid import UUID

from pydantic import BaseModel, Field
from sqlalchemy import ColumnElement, Select, not_
from sqlalchemy.orm import Session

from serving_api.errors import InvalidQuery
from serving_api.http.sessions import ReadSessions
from serving_api.kit.days import DayRangeQuery, require_order
from serving_api.kit.principals import Principal
from serving_api.kit.published import Published
from serving_api.kit.request_context import RequestContext
from serving_api.kit.schemas import Day
from serving_api.kit.services import Services
from serving_api.resources.analytics.series.schemas import AnalyticsQuery
from serving_api.resources.organization import projects
from serving_api.resources.programs.campaigns import repository as campaigns
from warehouse.csv_cells import Cell
from warehouse.operational.session import ReadSession

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
        description="Inclusive. Lists: rows added (payments: paid) since then, by default all."
        " Leaderboards: defaults to 30 days before `to`",
    )
    to_day: Day | None = Field(
        default=None,
        alias="to",
        description="Inclusive. Lists: rows added (payments: paid) until then, by default all."
        " Leaderboards: defaults to today",
    )


class AnalyticsExportQuery(AnalyticsQuery, PageOfRows):
    """The parameters of analytics. `format` and `hide_auto` have no effect."""


Row = TypeVar("Row")


def require_scope(session: Session, organization_id: UUID, query: ExportQuery) -> None:
    """Raise NotFound unless the organization has the project and the campaign in it."""
    if query.project_id is not None:
        projects.require(session, organization_id, query.project_id)
    if query.campaign_id is not None:
        campaigns.require_in(session, organization_id, query.project_id, query.campaign_id)


def dated_in(
    rows: Select[Row],
    since: Callable[[date, str], ColumnElement[bool]],
    caller: Principal,
    query: ExportQuery,
) -> Select[Row]:
    """Select the rows dated from day `from` to day `to`, organization-local.

    `since` says of a day and zone whether rows are of that day or later. Raises InvalidQuery.
    """
    from_day, to_day, zone = query.from_day, query.to_day, caller.analytics_tz
    require_order(from_day, to_day, InvalidQuery)
    if from_day is not None:
        rows = rows.where(since(from_day, zone))
    if to_day is not None:
        rows = rows.where(not_(since(to_day + timedelta(days=1), zone)))
    return rows


@dataclass(frozen=True, slots=True)
class Source:
    """The caller and the data of an export.

    `numbers` stay on one publication until the last row is sent. Later sessions see later writes:
    a page is the rows between two positions, which one session determines.
    """

    caller: Principal
    sessions: ReadSessions
    numbers: Published
    services: Services

    def context(self, session: ReadSession, numbers: Published) -> RequestContext:
        return RequestContext(self.caller, session, numbers, self.services)


@dataclass(frozen=True, slots=True)
class Export:
    """A page: its columns and rows, and the next page's cursor (None on the last)."""

    columns: Sequence[str]
    rows: Iterator[Sequence[Cell]]
    next_cursor: str | None


class Dataset(Protocol):
    def export(self, source: Source, name: str, query: ExportQuery) -> Export:
        """Return the requested page; `name` is the dataset's.

        Raises InvalidQuery, InvalidCursor, NotFound and RetentionExceeded.
        """
