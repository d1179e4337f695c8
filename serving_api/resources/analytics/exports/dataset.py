"""A dataset: columns, and the rows of one page.

Rows are computed while they are sent. A request is validated before its first row.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from serving_api.http.sessions import ReadSessions
from serving_api.kit.principals import Principal
from serving_api.kit.published import Published
from serving_api.kit.request_context import RequestContext
from serving_api.kit.services import Services
from serving_api.resources.analytics.exports.schemas import ExportQuery
from warehouse.csv_cells import Cell
from warehouse.operational.session import ReadSession


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
    """A dataset that can be exported."""

    def export(self, source: Source, name: str, query: ExportQuery) -> Export:
        """Return the requested page; `name` is the dataset's.

        Raises InvalidQuery, InvalidCursor, NotFound and RetentionExceeded.
        """
