"""Keyset pages: `limit` and `cursor` in, a slice of rows and the next cursor out.

A page is found by comparing the sort key, so rows that come and go between two pages neither
repeat nor hide others.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar
from uuid import UUID

from pydantic import BaseModel, Field
from sqlalchemy import Select, tuple_
from sqlalchemy.orm import InstrumentedAttribute, QueryableAttribute, Session

from serving_api.kit.cursor import SEAL, Cursor, Seal
from serving_api.kit.envelope import Page, PageMeta

DEFAULT_LIMIT = 50
MAX_LIMIT = 100


class PageQuery(BaseModel):
    """The query parameters of every list; lists add their filters by inheriting."""

    limit: int = Field(
        default=DEFAULT_LIMIT, ge=1, le=MAX_LIMIT, description="How many items at most"
    )
    cursor: str | None = Field(
        default=None, description="`meta.nextCursor` of the page before, unchanged"
    )


Row = TypeVar("Row")
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Keyset:
    """How a list is sorted and what seals its cursors: by `at`, then `id`."""

    at: QueryableAttribute[datetime]
    id: InstrumentedAttribute[UUID]
    listing: str
    newest_first: bool = True

    def of(self, owner: UUID) -> "Keyset":
        """Return the same order for the list of one owner (an organization, a parent)."""
        return Keyset(self.at, self.id, f"{self.listing}/{owner}", self.newest_first)

    def after(self, statement: Select[Row], cursor: Cursor | None) -> Select[Row]:
        """Return the rows of `statement` in this order; those after a place, where one is given."""
        order = (self.at, self.id)
        if cursor is not None:
            position, key = tuple_(*order), tuple_(cursor.at, cursor.id)
            statement = statement.where(position < key if self.newest_first else position > key)
        return statement.order_by(
            *(column.desc() if self.newest_first else column for column in order)
        )

    def between(self, statement: Select[Row], first: Cursor, last: Cursor | None) -> Select[Row]:
        """Return the rows of `statement` from one place to another, both in; None: to the end."""
        position, begin = tuple_(self.at, self.id), tuple_(first.at, first.id)
        statement = statement.where(position <= begin if self.newest_first else position >= begin)
        if last is None:
            return statement
        end = tuple_(last.at, last.id)
        return statement.where(position >= end if self.newest_first else position <= end)

    def position_of(self, row: object) -> Cursor:
        """Return the place of a row in the list."""
        return Cursor(getattr(row, self.at.key), getattr(row, self.id.key))


@dataclass(frozen=True, slots=True)
class Slice(Generic[Row]):
    """The rows of one page, and the cursor of the next (None on the last)."""

    rows: Sequence[Row]
    next_cursor: str | None

    def page(self, present: Callable[[Sequence[Row]], list[Item]]) -> Page[Item]:
        """Return the page's answer; `present` turns all rows of it into items at once."""
        meta = PageMeta(hasMore=self.next_cursor is not None, nextCursor=self.next_cursor)
        return Page(data=present(self.rows), meta=meta)


def read_slice(
    session: Session, statement: Select[Row], keyset: Keyset, query: PageQuery
) -> Slice[Row]:
    """Read the page of `statement` (one entity, no order of its own) that `query` asks for."""
    seal: Seal = session.info[SEAL]
    cursor = Cursor.decode(query.cursor, keyset.listing, seal) if query.cursor is not None else None
    candidates = session.scalars(keyset.after(statement, cursor).limit(query.limit + 1)).all()
    rows = candidates[: query.limit]
    last = rows[-1] if len(candidates) > query.limit else None
    following = keyset.position_of(last).encode(keyset.listing, seal) if last else None
    return Slice(rows, following)
