"""What a dataset is: columns, and the rows of one page of it.

Rows are made while they are sent. Whatever is wrong with a request is found before the first one.
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
    """Who exports, and what rows are read from.

    `numbers` are of one publication until the last row is sent. Sessions see what was written
    between them: a page is the rows between two places, which one session finds.
    """

    caller: Principal
    sessions: ReadSessions
    numbers: Published
    services: Services

    def context(self, session: ReadSession, numbers: Published) -> RequestContext:
        """Return the part of the export that is done with one of the sessions."""
        return RequestContext(self.caller, session, numbers, self.services)


@dataclass(frozen=True, slots=True)
class Export:
    """A page: its columns and rows, and the cursor of the next one (None on the last)."""

    columns: Sequence[str]
    rows: Iterator[Sequence[Cell]]
    next_cursor: str | None


class Dataset(Protocol):
    """Something that can be exported."""

    def export(self, source: Source, name: str, query: ExportQuery) -> Export:
        """Return the page that is asked for; `name` is the dataset's.

        Raises InvalidQuery, InvalidCursor, NotFound and RetentionExceeded.
        """
