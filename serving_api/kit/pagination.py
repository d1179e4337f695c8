"""Pages and filters of lists: `limit` and `cursor`, text search, many ids, unknown parameters.

Pages compare the sort key: rows that are inserted or deleted between pages cause no other row to
repeat or to be skipped. Known parameters are those that the route declares.
"""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Self, TypeVar
from uuid import UUID

from fastapi import Request
from fastapi.dependencies.models import Dependant
from fastapi.dependencies.utils import get_flat_params
from pydantic import BaseModel, Field, model_validator
from sqlalchemy import ColumnElement, Select, any_, bindparam, tuple_
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import InstrumentedAttribute, QueryableAttribute, Session

from serving_api.errors import InvalidQuery, Issue, unknown_name
from serving_api.kit.cursor import SEAL, Cursor, Seal
from serving_api.kit.envelope import Page, PageMeta
from serving_api.kit.schemas import Instant, Search

_NAMES: dict[Callable[..., Any], frozenset[str]] = {}
"""The query parameters of each endpoint that was called."""


def refuse_unknown_query(request: Request) -> None:
    """Raise InvalidQuery, naming each parameter that is unknown or sent more than once."""
    endpoint = request.scope["endpoint"]
    if endpoint not in _NAMES:
        _NAMES[endpoint] = query_names(request.scope["route"].dependant)
    known = _NAMES[endpoint]
    sent = Counter(name for name, _ in request.query_params.multi_items())
    unknown = sorted(sent.keys() - known)
    repeated = sorted(name for name, times in sent.items() if times > 1 and name in known)
    if unknown or repeated:
        raise InvalidQuery(
            [
                *(
                    Issue(path=name, message=unknown_name("parameter", name, known))
                    for name in unknown
                ),
                *(Issue(path=name, message="must be sent once") for name in repeated),
            ]
        )


def query_names(dependant: Dependant) -> frozenset[str]:
    """Return the names of an endpoint's query parameters; its dependencies have none."""
    fields = get_flat_params(Dependant(query_params=dependant.query_params))
    return frozenset(field.alias for field in fields)


def contains(column: InstrumentedAttribute[Any], text: str) -> ColumnElement[bool]:
    """Return the condition that a column contains the literal text, ignoring case."""
    return column.icontains(text, autoescape=True)


def among(column: InstrumentedAttribute[Any], values: Collection[Any]) -> ColumnElement[bool]:
    """Return the condition that a column has one of the values, sent as one parameter."""
    return column == any_(bindparam(None, list(values), type_=ARRAY(column.type)))


DEFAULT_LIMIT = 50
MAX_LIMIT = 100


class PageQuery(BaseModel):
    """Query parameters of every list; lists add filters in subclasses."""

    limit: int = Field(
        default=DEFAULT_LIMIT, ge=1, le=MAX_LIMIT, description="Maximum number of items"
    )
    cursor: str | None = Field(
        default=None, description="`meta.nextCursor` of the previous page, unchanged"
    )


class UpdatedQuery(PageQuery):
    """Query parameters of lists of which callers keep a copy."""

    updated_since: Instant | None = Field(
        default=None, description="Changed at this time or later, with its offset"
    )


class TextQuery(BaseModel):
    """A search, whose text lists accept by both of its names."""

    q: Search | None = Field(default=None, description="The same as `search`")
    search: Search | None = Field(default=None, description="Part of the text or name, any case")

    @model_validator(mode="after")
    def _one_text(self) -> Self:
        if None not in (self.q, self.search) and self.q != self.search:
            raise ValueError("send q or search, which mean the same")
        self.q = self.search = self.q or self.search
        return self


Row = TypeVar("Row")
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Keyset:
    """A list's sort order, `at` then `id`, and the name that seals its cursors."""

    at: QueryableAttribute[datetime]
    id: InstrumentedAttribute[UUID]
    listing: str
    newest_first: bool = True

    def of(self, owner: UUID) -> "Keyset":
        """Return the same order for one owner's list (an organization, a parent)."""
        return Keyset(self.at, self.id, f"{self.listing}/{owner}", self.newest_first)

    def reversed(self) -> "Keyset":
        """Return the opposite order, whose cursors are others."""
        return Keyset(self.at, self.id, f"{self.listing}, reversed", not self.newest_first)

    def after(self, statement: Select[Row], cursor: Cursor | None) -> Select[Row]:
        """Return the sorted rows of `statement` after a cursor, if given."""
        order = (self.at, self.id)
        if cursor is not None:
            position, key = tuple_(*order), tuple_(cursor.at, cursor.id)
            statement = statement.where(position < key if self.newest_first else position > key)
        return statement.order_by(
            *(column.desc() if self.newest_first else column for column in order)
        )

    def between(self, statement: Select[Row], first: Cursor, last: Cursor | None) -> Select[Row]:
        """Return the rows of `statement` between two positions, inclusive; None: to the end."""
        position, begin = tuple_(self.at, self.id), tuple_(first.at, first.id)
        statement = statement.where(position <= begin if self.newest_first else position >= begin)
        if last is None:
            return statement
        end = tuple_(last.at, last.id)
        return statement.where(position >= end if self.newest_first else position <= end)

    def position_of(self, row: object) -> Cursor:
        return Cursor(getattr(row, self.at.key), getattr(row, self.id.key))


@dataclass(frozen=True, slots=True)
class Slice(Generic[Row]):
    """The rows of a page, and the next cursor (None on the last page)."""

    rows: Sequence[Row]
    next_cursor: str | None

    def page(self, present: Callable[[Sequence[Row]], list[Item]]) -> Page[Item]:
        """Return the page's response; `present` converts all rows at once."""
        meta = PageMeta(hasMore=self.next_cursor is not None, nextCursor=self.next_cursor)
        return Page(data=present(self.rows), meta=meta)


def read_slice(
    session: Session, statement: Select[Row], keyset: Keyset, query: PageQuery
) -> Slice[Row]:
    """Read the requested page of `statement` (one entity, unsorted)."""
    seal: Seal = session.info[SEAL]
    cursor = Cursor.decode(query.cursor, keyset.listing, seal) if query.cursor is not None else None
    candidates = session.scalars(keyset.after(statement, cursor).limit(query.limit + 1)).all()
    rows = candidates[: query.limit]
    last = rows[-1] if len(candidates) > query.limit else None
    following = keyset.position_of(last).encode(keyset.listing, seal) if last else None
    return Slice(rows, following)
