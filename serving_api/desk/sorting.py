"""Sortable tables, also as CSV. The query contains the order."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Generic, Literal, TypeVar
from urllib.parse import urlencode

from fastapi import Request, Response
from pydantic import BaseModel, Field

from serving_api.errors import InvalidRequest
from serving_api.kit.csv import csv_response
from serving_api.kit.envelope import PageMeta
from serving_api.resources.payouts.structures.rules import CURRENCY
from warehouse.csv_cells import Cell

SORT, FORMAT = "sort", "format"
CENTS = "_cents"
OFFSET = "offset"
PAGE_PARAMS = {"cursor", OFFSET}
"""Query parameters of one page, which the CSV file and another order of all rows do not have."""
MOST_IN_FILE = 10_000
Direction = Literal["ascending", "descending"]
Row = TypeVar("Row")
ListQuery = TypeVar("ListQuery", bound=BaseModel)


def is_file(request: Request) -> bool:
    """Return whether the query requests CSV."""
    return request.query_params.get(FORMAT) == "csv"


def file_for_people(
    name: str, columns: Sequence[str], rows: Iterable[Sequence[Cell]], **headers: str
) -> Response:
    """Return a CSV file with the mark by which Excel recognizes UTF-8."""
    return csv_response(name, [f"\ufeff{columns[0]}", *columns[1:]], rows, headers)


def in_units(cents: Cell) -> Decimal | None:
    """Return cents as an amount with two decimals."""
    return None if cents is None else Decimal(str(cents)).scaleb(-2)


def page_or_file(request: Request, query: ListQuery) -> ListQuery:
    """Return the query of a page, or that of a file's first MOST_IN_FILE rows."""
    return query.model_copy(update={"limit": MOST_IN_FILE}) if is_file(request) else query


def too_many(what: str) -> InvalidRequest:
    """Return the error for a file that would lack rows of a period."""
    return InvalidRequest(f"A file has at most {MOST_IN_FILE:,} {what}. Choose a shorter period.")


@dataclass(frozen=True, slots=True)
class Column(Generic[Row]):
    """A column's name in queries and CSV files, its header, and its value in a row.

    Columns without a label are in the CSV file only.
    """

    name: str
    label: str | None
    value: Callable[[Row], Cell]
    is_number: bool = False

    def cell(self, row: Row) -> Cell:
        """Return the value in a file: cents in units."""
        value = self.value(row)
        return in_units(value) if self.name.endswith(CENTS) else value


class Position(BaseModel):
    """The page of a list in the query: after a cursor, or in another order at an offset."""

    sort: str = ""
    cursor: str | None = None
    offset: int = Field(default=0, ge=0, le=2**31 - 1)

    def pager(self, meta: PageMeta, limit: int) -> "Pager":
        following: dict[str, object] = {}
        if meta.nextCursor:
            following = {"cursor": meta.nextCursor}
        elif meta.hasMore:
            following = {"offset": self.offset + limit}
        order = {"sort": self.sort} if self.sort else {}
        is_first = self.cursor is None and not self.offset
        return Pager(order, is_first, {**order, **following} if following else None)


@dataclass(frozen=True, slots=True)
class Pager:
    """Query parameters of the first page and, if there is one, of the next."""

    first: Mapping[str, object]
    is_first: bool
    following: Mapping[str, object] | None


@dataclass(frozen=True, slots=True)
class Header:
    """A column header; `href` sorts by the column or reverses the order."""

    label: str
    is_number: bool
    direction: Direction | None
    href: str


@dataclass(frozen=True, slots=True)
class SortedTable(Generic[Row]):
    """Rows in the order of the query, or in the given order.

    `is_sorted`: the given rows are a page of all rows in the order of the query.
    """

    request: Request
    columns: Sequence[Column[Row]]
    given: Sequence[Row]
    is_sorted: bool = False

    @property
    def sort(self) -> str:
        """The sort column, with a minus for descending; "" for the given order."""
        sent = self.request.query_params.get(SORT, "")
        names = {column.name for column in self.columns if column.label}
        return sent if sent.removeprefix("-") in names else ""

    @property
    def rows(self) -> list[Row]:
        """The sorted rows; unknown values are last in both directions."""
        for column in self.columns:
            if column.name == self.sort.removeprefix("-") and not self.is_sorted:
                return sorted_rows(self.given, column.value, descending=self.sort.startswith("-"))
        return list(self.given)

    @property
    def headers(self) -> Iterator[Header]:
        """The headers; numbers sort descending first, text ascending."""
        for column in self.columns:
            if column.label:
                names = (f"-{column.name}", column.name)
                first, other = names if column.is_number else names[::-1]
                direction: Direction | None = None
                if self.sort in names:
                    direction = "descending" if self.sort == names[0] else "ascending"
                dropped = PAGE_PARAMS if self.is_sorted else {OFFSET}
                href = self._address(other if self.sort == first else first, dropped)
                yield Header(column.label, column.is_number, direction, href)

    @property
    def csv_address(self) -> str:
        """The query string of the same rows as CSV."""
        return f"{self._address(self.sort)}&{FORMAT}=csv".replace("?&", "?")

    @property
    def is_file(self) -> bool:
        """Whether the query requests CSV."""
        return is_file(self.request)

    def file(self, name: str) -> Response:
        """Return the rows as the CSV file `name`, cents as amounts with their currency."""
        names = [column.name.removesuffix(CENTS) for column in self.columns]
        currency = [CURRENCY] if any(column.name.endswith(CENTS) for column in self.columns) else []
        rows = ([*(column.cell(row) for column in self.columns), *currency] for row in self.rows)
        return file_for_people(name, [*names, *(["currency"] if currency else [])], rows)

    def _address(self, sort: str, dropped: Collection[str] = PAGE_PARAMS) -> str:
        """Return the query string with an order, by default from the first page on."""
        sent = [
            (name, value)
            for name, value in self.request.query_params.multi_items()
            if name not in {SORT, FORMAT, *dropped}
        ]
        return f"?{urlencode([*sent, *([(SORT, sort)] if sort else [])])}"


def sorted_rows(
    rows: Sequence[Row], value: Callable[[Row], Cell], *, descending: bool
) -> list[Row]:
    """Return the rows by a value; unknown values are last in both directions."""
    known = [row for row in rows if value(row) is not None]
    unknown = [row for row in rows if value(row) is None]
    known.sort(key=lambda row: _key(value(row)), reverse=descending)
    return [*known, *unknown]


def _key(value: Cell) -> Any:
    return value.casefold() if isinstance(value, str) else value
