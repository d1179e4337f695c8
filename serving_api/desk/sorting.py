"""Sortable tables, also as CSV. The query contains the order."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar
from urllib.parse import urlencode

from fastapi import Request, Response
from pydantic import BaseModel

from serving_api.kit.csv import csv_response
from warehouse.csv_cells import Cell

SORT, FORMAT = "sort", "format"
PAGE_PARAMS = {"cursor", "offset", "done", "ids"}
"""Query parameters of one page, which another order and the CSV file do not have."""
MOST_IN_FILE = 10_000
Direction = Literal["ascending", "descending"]
Row = TypeVar("Row")
ListQuery = TypeVar("ListQuery", bound=BaseModel)


def is_file(request: Request) -> bool:
    """Return whether the query requests CSV."""
    return request.query_params.get(FORMAT) == "csv"


def page_or_file(request: Request, query: ListQuery) -> ListQuery:
    """Return the query of a page, or that of a file's first MOST_IN_FILE rows."""
    return query.model_copy(update={"limit": MOST_IN_FILE}) if is_file(request) else query


@dataclass(frozen=True, slots=True)
class Column(Generic[Row]):
    """A column's name in queries and CSV files, its header, and its value in a row.

    Columns without a label are in the CSV file only.
    """

    name: str
    label: str | None
    value: Callable[[Row], Cell]
    is_number: bool = False


@dataclass(frozen=True, slots=True)
class Header:
    """A column header; `href` sorts by the column or reverses the order."""

    label: str
    is_number: bool
    direction: Direction | None
    href: str


@dataclass(frozen=True, slots=True)
class SortedTable(Generic[Row]):
    """Rows in the order of the query, or in the given order."""

    request: Request
    columns: Sequence[Column[Row]]
    unsorted: Sequence[Row]

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
            if column.name == self.sort.removeprefix("-"):
                known = [row for row in self.unsorted if column.value(row) is not None]
                unknown = [row for row in self.unsorted if column.value(row) is None]
                is_descending = self.sort.startswith("-")
                known.sort(key=lambda row: _key(column.value(row)), reverse=is_descending)
                return [*known, *unknown]
        return list(self.unsorted)

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
                href = self._address(other if self.sort == first else first)
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
        """Return the rows as the CSV file `name`."""
        cells = ([column.value(row) for column in self.columns] for row in self.rows)
        return csv_response(name, [column.name for column in self.columns], cells, {})

    def _address(self, sort: str) -> str:
        """Return the query string with an order, from the first page on."""
        sent = {
            name: value
            for name, value in self.request.query_params.items()
            if name not in {SORT, FORMAT, *PAGE_PARAMS}
        }
        return f"?{urlencode({**sent, **({SORT: sort} if sort else {})})}"


def _key(value: Cell) -> Any:
    return value.casefold() if isinstance(value, str) else value
