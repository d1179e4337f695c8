"""The lines of a pasted list: names, handles and URLs, with or without a header."""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scrapers.urls import plain_text, platform_of
from serving_api.errors import InvalidBody
from serving_api.resources.tracking.creators.schemas import MAX_BATCH
from warehouse.platforms import PLATFORM_NAMES

BULLET = re.compile(r"^\s*(?:[-*•–]|[0-9]{1,3}[.)])\s+")  # noqa: RUF001 - lists have en dashes

# A cell is a profile URL, a handle with or without @, or a name. The first line may be a header.
# Problems are reported per line.
Account = tuple[str, str]
"""A platform, and the handle or URL as entered."""

NAME, HANDLE, PLATFORM = "name", "handle", "platform"
HEADINGS: Mapping[str, str] = {
    **{platform: platform for platform in PLATFORM_NAMES},
    **dict.fromkeys(("handle", "account", "username", "user", "url", "link", "profile"), HANDLE),
    **dict.fromkeys(("name", "creator", "display", "full", "influencer"), NAME),
    **dict.fromkeys(("platform", "network", "channel"), PLATFORM),
}
"""Words of headers and what their columns contain: of several words, the first listed."""


@dataclass(frozen=True, slots=True)
class Line:
    """A creator in the list, with its line number."""

    number: int
    name: str | None
    accounts: Sequence[Account]


def lines_of(text: str, platform: str) -> list[Line]:
    """Parse the list; bare handles belong to `platform`. Raises InvalidBody."""
    rows = [(number, cells) for number, cells in _rows(text) if cells]
    headings = [_heading(cell) for cell in rows[0][1]] if rows else []
    if all(headings) or sum(map(bool, headings)) > 1:
        rows = rows[1:]
    else:
        headings = []
    if not rows:
        raise InvalidBody.at("list", "Paste at least one handle or profile URL")
    if len(rows) > MAX_BATCH:
        raise InvalidBody.at("list", f"Paste at most {MAX_BATCH} creators at once")
    return [_line(number, cells, headings, platform) for number, cells in rows]


def _heading(cell: str) -> str | None:
    """Return what the column of a header contains; None for unknown headers and other cells."""
    if cell.startswith("@"):
        return None
    words = re.split(r"[\W_]+", cell.lower().strip("\ufeff"))
    is_known = all(word.removesuffix("s") in HEADINGS for word in words)
    kinds = [HEADINGS[word.removesuffix("s")] for word in words] if is_known else []
    return min(kinds, key=list(HEADINGS.values()).index, default=None)


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    for number, written in enumerate(text.splitlines(), start=1):
        line = BULLET.sub("", written)
        separator = next((character for character in "\t;," if character in line), ",")
        [cells] = csv.reader([line], delimiter=separator) if line.strip() else [[]]
        stripped = [cell.strip() for cell in cells]
        yield number, stripped if any(stripped) else []


def _line(number: int, cells: list[str], headings: Sequence[Any], platform: str) -> Line:
    columns = headings or _guessed(cells)
    pairs = [(kind, cell) for kind, cell in zip(columns, cells, strict=False) if kind and cell]
    name = next((cell for kind, cell in pairs if kind == NAME), None)
    of_line = next((cell.casefold() for kind, cell in pairs if kind == PLATFORM), platform)
    accounts = [
        (platform_of(cell) or (of_line if kind == HANDLE else kind), cell)
        for kind, cell in pairs
        if kind not in (NAME, PLATFORM)
    ]
    return Line(number, name, accounts)


def _guessed(cells: Sequence[str]) -> list[str]:
    """Guess each cell's kind: URLs and @handles are accounts, otherwise the last cell is."""
    if len(cells) > 1 and cells[-1].casefold() in PLATFORM_NAMES:
        return [*_guessed(cells[:-1]), PLATFORM]
    are = [bool(platform_of(cell)) or plain_text(cell).startswith("@") for cell in cells]
    if not any(are):
        are[-1 if cells[-1] else 0] = True
    return [HANDLE if is_account else NAME for is_account in are]
