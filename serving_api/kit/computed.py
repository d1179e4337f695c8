"""Pagination of computed lists: later pages use the days and publication of the first.

The cursor contains them and the time of the first page, which is the business time of all pages:
current periods and the plan's retention depend on it. Offsets would repeat or skip rows when the
date or the publication changes.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from typing import TypeVar
from uuid import UUID

from duckdb import BinderException, CatalogException
from sqlalchemy.orm import Session

from serving_api.errors import InvalidCursor
from serving_api.kit.cursor import SEAL, ComputedCursor, RowKey
from serving_api.kit.days import DayRangeQuery
from serving_api.kit.published import Published
from warehouse.operational.base import business_time
from warehouse.publication.errors import NoPublication

Row = TypeVar("Row")
QueryT = TypeVar("QueryT", bound=DayRangeQuery)


@dataclass(frozen=True, slots=True)
class Computed:
    """A page: its publication, and the cursor of the previous page, None at the start."""

    session: Session
    listing: str
    numbers: Published
    begun_at: datetime
    begun: ComputedCursor | None

    @property
    def after(self) -> RowKey | None:
        """The key of the previous page's last row."""
        return self.begun.last if self.begun else None

    def in_days(self, query: QueryT) -> QueryT:
        """Return the query with the days of the first page."""
        if self.begun is None:
            return query
        days = {"from_day": self.begun.from_day, "to_day": self.begun.to_day}
        return query.model_copy(update=days)

    def rest(self, rows: Sequence[Row], key: Callable[[Row], RowKey]) -> Sequence[Row]:
        """Return the rows after the cursor."""
        after = self.after
        return rows if after is None else [row for row in rows if key(row) > after]

    def next_cursor(
        self, rest: Sequence[Row], limit: int, key: Callable[[Row], RowKey], days: tuple[date, date]
    ) -> str | None:
        """Return the cursor after the first `limit` rows, or None without more."""
        if len(rest) <= limit:
            return None
        last, publication_id = key(rest[limit - 1]), self.numbers.publication_id()
        cursor = ComputedCursor(self.begun_at, *days, last, publication_id)
        return cursor.encode(self.listing, self.session.info[SEAL])


@contextmanager
def computed_page(
    session: Session, numbers: Published, listing: str, cursor: str | None
) -> Iterator[Computed]:
    """Yield the page of a cursor. Raises like `pinned`."""
    if cursor is None:
        with numbers.pinned() as marts, business_time(session, None) as now:
            yield Computed(session, listing, marts, now, None)
        return
    begun = ComputedCursor.decode(cursor, listing, session.info[SEAL])
    with pinned(numbers, begun.publication_id) as marts, business_time(session, begun.begun_at):
        yield Computed(session, listing, marts, begun.begun_at, begun)


@contextmanager
def pinned(numbers: Published, publication_id: UUID | None) -> Iterator[Published]:
    """Yield the publication of earlier pages. Raises InvalidCursor, also after a day."""
    is_current = numbers.publication_id() == publication_id
    try:
        with numbers.pinned_at(publication_id) as marts:
            yield marts
    except NoPublication:
        raise InvalidCursor from None
    except (BinderException, CatalogException):
        if is_current:
            raise
        raise InvalidCursor from None  # built by older models without these columns
