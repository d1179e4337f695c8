"""Tables that headers sort, both ways, and what they show as CSV. The order is in the address."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar
from urllib.parse import urlencode

from fastapi import Request, Response

from serving_api.kit.csv import csv_response
from warehouse.csv_cells import Cell

SORT, FORMAT = "sort", "format"
PAGE_PARAMS = {"cursor", "offset", "done", "ids"}
"""Parameters of a page of a list, or of what was done there: another order begins at its first."""
Direction = Literal["ascending", "descending"]
Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Column(Generic[Row]):
    """What addresses and CSV files call a column, its header, and its value in a row.

    Without a label it is in the file alone.
    """

    name: str
    label: str | None
    value: Callable[[Row], Cell]
    is_number: bool = False


@dataclass(frozen=True, slots=True)
class Header:
    """A header of the page: `href` sorts by its column, or turns the order round."""

    label: str
    is_number: bool
    direction: Direction | None
    href: str


@dataclass(frozen=True, slots=True)
class SortedTable(Generic[Row]):
    """Rows in the order that an address asks for, else in the order in which they are given."""

    request: Request
    columns: Sequence[Column[Row]]
    unsorted: Sequence[Row]

    @property
    def sort(self) -> str:
        """The name of the column, with a minus where the largest comes first; empty: none."""
        sent = self.request.query_params.get(SORT, "")
        names = {column.name for column in self.columns if column.label}
        return sent if sent.removeprefix("-") in names else ""

    @property
    def rows(self) -> list[Row]:
        """The rows; unknown values come last in both directions."""
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
        """The headers: of a number the largest come first, unless they do already."""
        for column in self.columns:
            if column.label:
                names = (f"-{column.name}", column.name)
                first, other = names if column.is_number else names[::-1]
                direction: Direction | None = None
                if self.sort in names:
                    direction = "descending" if self.sort == names[0] else "ascending"
                href = self._address(other if self.sort == first else first, without=PAGE_PARAMS)
                yield Header(column.label, column.is_number, direction, href)

    @property
    def csv_address(self) -> str:
        """The end of the address of the same rows as CSV."""
        return f"{self._address(self.sort)}&{FORMAT}=csv".replace("?&", "?")

    @property
    def is_file(self) -> bool:
        """Whether the address asks for CSV."""
        return self.request.query_params.get(FORMAT) == "csv"

    def file(self, name: str) -> Response:
        """Return the rows as the CSV file `name`."""
        cells = ([column.value(row) for column in self.columns] for row in self.rows)
        return csv_response(name, [column.name for column in self.columns], cells, {})

    def _address(self, sort: str, without: Collection[str] = ()) -> str:
        """Return the end of the page's address with an order, and without some parameters."""
        sent = {
            name: value
            for name, value in self.request.query_params.items()
            if name not in {SORT, FORMAT, *without}
        }
        return f"?{urlencode({**sent, **({SORT: sort} if sort else {})})}"


def _key(value: Cell) -> Any:
    return value.casefold() if isinstance(value, str) else value
