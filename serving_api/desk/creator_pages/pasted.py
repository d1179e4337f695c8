"""A list of creators as people paste it: one on each line, or the rows of a spreadsheet.

A cell is a profile's address, a handle with or without @, or a name. The first line may name the
columns. What cannot be read is said of its line.
"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scrapers.urls import platform_of
from serving_api.errors import InvalidBody
from serving_api.resources.tracking.creators.schemas import MAX_BATCH
from warehouse.platforms import PLATFORM_NAMES

Account = tuple[str, str]
"""A platform, and what was written for the account there."""

NAME, HANDLE = "name", "handle"
HEADINGS: Mapping[str, str] = {
    **dict.fromkeys(("name", "creator", "display name", "display_name"), NAME),
    **dict.fromkeys(("handle", "account", "username", "url", "link", "profile"), HANDLE),
    **{platform: platform for platform in PLATFORM_NAMES},
}
"""What a first line may call its columns, and what is in them."""


@dataclass(frozen=True, slots=True)
class Line:
    """A creator of the list, and on which line it stands."""

    number: int
    name: str | None
    accounts: Sequence[Account]


def lines_of(text: str, platform: str) -> list[Line]:
    """Return the creators of a list; handles alone are of `platform`. Raises InvalidBody."""
    rows = [(number, cells) for number, cells in _rows(text) if cells]
    headings = [HEADINGS.get(cell.lower()) for cell in rows[0][1]] if rows else []
    if all(headings):
        rows = rows[1:]
    else:
        headings = []
    if not rows:
        raise InvalidBody.at("list", "Paste at least one handle or profile address")
    if len(rows) > MAX_BATCH:
        raise InvalidBody.at("list", f"Paste at most {MAX_BATCH} creators at once")
    return [_line(number, cells, headings, platform) for number, cells in rows]


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    separator = next((character for character in "\t;," if character in text), ",")
    for number, line in enumerate(text.splitlines(), start=1):
        [cells] = csv.reader([line], delimiter=separator) if line.strip() else [[]]
        stripped = [cell.strip() for cell in cells]
        yield number, stripped if any(stripped) else []


def _line(number: int, cells: list[str], headings: Sequence[Any], platform: str) -> Line:
    columns = headings or _guessed(cells)
    pairs = [(kind, cell) for kind, cell in zip(columns, cells, strict=False) if cell]
    name = next((cell for kind, cell in pairs if kind == NAME), None)
    accounts = [
        (platform_of(cell) or (platform if kind == HANDLE else kind), cell)
        for kind, cell in pairs
        if kind != NAME
    ]
    return Line(number, name, accounts)


def _guessed(cells: Sequence[str]) -> list[str]:
    """Return which cells are accounts: addresses and those with @, else the last one."""
    are = [bool(platform_of(cell)) or cell.startswith("@") for cell in cells]
    if not any(are):
        are[-1 if cells[-1] else 0] = True
    return [HANDLE if is_account else NAME for is_account in are]
