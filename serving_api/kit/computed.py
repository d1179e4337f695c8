"""Pages of what is computed: each goes on behind the last row, in the first one's days and numbers.

The cursor has them, and when the first page was read, which is business time for all pages: what
is in progress, and the history that a plan keeps, follow from it. A page by row numbers would
repeat rows, or leave some out, once the days that follow from today are others, or another
publication ranks and counts otherwise.
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
    """One page: the numbers it is read from, and the place it goes on behind, None at the start."""

    session: Session
    listing: str
    numbers: Published
    begun_at: datetime
    begun: ComputedCursor | None

    @property
    def after(self) -> RowKey | None:
        """The key of the last row of the page before."""
        return self.begun.last if self.begun else None

    def in_days(self, query: QueryT) -> QueryT:
        """Return the question with the days of the first page."""
        if self.begun is None:
            return query
        days = {"from_day": self.begun.from_day, "to_day": self.begun.to_day}
        return query.model_copy(update=days)

    def rest(self, rows: Sequence[Row], key: Callable[[Row], RowKey]) -> Sequence[Row]:
        """Return the rows behind the place."""
        after = self.after
        return rows if after is None else [row for row in rows if key(row) > after]

    def next_cursor(
        self, rest: Sequence[Row], limit: int, key: Callable[[Row], RowKey], days: tuple[date, date]
    ) -> str | None:
        """Return the cursor behind the first `limit` rows; None where no more follow."""
        if len(rest) <= limit:
            return None
        last, publications = key(rest[limit - 1]), self.numbers.publications()
        cursor = ComputedCursor(self.begun_at, *days, last, publications)
        return cursor.encode(self.listing, self.session.info[SEAL])


@contextmanager
def computed_page(
    session: Session, numbers: Published, listing: str, cursor: str | None
) -> Iterator[Computed]:
    """Yield the page that a cursor stands for. Raises as `pinned`."""
    if cursor is None:
        with numbers.pinned() as held, business_time(session, None) as now:
            yield Computed(session, listing, held, now, None)
        return
    begun = ComputedCursor.decode(cursor, listing, session.info[SEAL])
    with pinned(numbers, begun.publications) as held, business_time(session, begun.begun_at):
        yield Computed(session, listing, held, begun.begun_at, begun)


@contextmanager
def pinned(numbers: Published, publications: Sequence[UUID]) -> Iterator[Published]:
    """Yield the numbers of a page before. Raises InvalidCursor, also a day too late."""
    is_current = numbers.publications() == publications
    try:
        with numbers.pinned_at(publications) as held:
            yield held
    except NoPublication:
        raise InvalidCursor from None
    except (BinderException, CatalogException):
        if is_current:
            raise
        raise InvalidCursor from None  # earlier models computed it: these columns are not there
