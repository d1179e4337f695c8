"""The lines of a pasted list: names, handles and URLs, with or without a header."""

import csv
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from scrapers.urls import InvalidAccount, normalize_handle, plain_text, platform_of
from serving_api.errors import InvalidBody
from serving_api.resources.tracking.creators.schemas import MAX_BATCH
from warehouse.platforms import PLATFORM_NAMES

BULLET = re.compile(r"^\s*(?:[-*•–]|[0-9]{1,3}[.)])\s+")  # noqa: RUF001 - lists have en dashes
UNKNOWN = re.compile(
    r"nan|n\.?/?a\.?|null|none|nil|undefined|unknown|tb[acd]|\(blank\)|[-\u2013\u2014?./]+"
    r"|#(n/?a|ref!|value!|name\?|null!|num!|div/0!|error!|spill!|calc!)",
    re.IGNORECASE,
)
"""What spreadsheets and people write into a cell without a value."""

# A cell is a profile URL, a handle with or without @, or a name. The first line may be a header.
# Problems are reported per line.
Account = tuple[str, str]
"""A platform, and the handle or URL as entered."""

NAME, HANDLE, PLATFORM = "name", "handle", "platform"
HEADINGS: Mapping[str, str] = {
    **{platform: platform for platform in PLATFORM_NAMES},
    "tik": "tiktok",
    "tok": "tiktok",
    "tt": "tiktok",
    "ig": "instagram",
    "insta": "instagram",
    **dict.fromkeys(("handle", "account", "username", "user", "url", "link", "profile"), HANDLE),
    **dict.fromkeys(("name", "creator", "display", "full", "influencer", "nickname"), NAME),
    **dict.fromkeys(("platform", "network", "channel"), PLATFORM),
}
"""Words of headers and what their columns contain: of several words, the first listed."""
FILLERS = ("", "social", "media", "video", "post")
NO_ACCOUNTS = "The first line names no column of handles or profile URLs"
WHICH_HANDLE = "Which cell is the handle? Write @ before it, or name the columns in the first line"
MORE_CELLS = "It has more cells than the first line: quote cells that contain a separator"
TOTAL = re.compile(r"((grand|sub)[ -]?)?totals?:?|sum:?", re.IGNORECASE)
IS_TOTAL = "It looks like a total, not a creator. If it is one, write @ before the handle"
MOST_LINES = 20
"""Lines of one row, by line breaks in quoted cells."""

Row = tuple[int, str, list[str]]
"""The number of its first line, its text and its cells."""


@dataclass(frozen=True, slots=True)
class Line:
    """A creator in the list, with its line number, its text and why it cannot be read."""

    number: int
    text: str
    name: str | None
    accounts: Sequence[Account]
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class PastedList:
    """The lines below the header, and the header's columns that are not used."""

    header: str
    lines: Sequence[Line]
    unused: Sequence[str]


def read_list(text: str, platform: str) -> PastedList:
    """Parse the list; bare handles belong to `platform`. Raises InvalidBody."""
    text = text.lstrip("\ufeff")
    first = next(filter(str.strip, text.splitlines()), "")
    rows = _rows(text, _separator(first))
    headings = _headings([cells for *_, cells in rows])
    if headings:
        [(_, header, names), *rows] = rows
    else:
        header, names, rows = "", [], _rows(text, None)
    if not rows:
        raise InvalidBody.at("list", "Paste at least one handle or profile URL")
    if headings and not {HANDLE, *PLATFORM_NAMES}.intersection(headings):
        raise InvalidBody.at("list", NO_ACCOUNTS)
    if len(rows) > MAX_BATCH:
        raise InvalidBody.at("list", f"Paste at most {MAX_BATCH} creators at once")
    unused = [name for name, kind in zip(names, headings, strict=True) if name and not kind]
    return PastedList(header, [_line(row, headings, platform) for row in rows], unused)


def _separator(line: str) -> str:
    return next((character for character in "\t;," if character in line), ",")


def _rows(text: str, separator: str | None) -> list[Row]:
    """Return the rows that have a value; below a header, tabs after a dash separate cells."""
    lines, rows, number = text.splitlines(), [], 0
    while number < len(lines):
        bullet = BULLET.match(lines[number])
        is_cell = bullet and separator == "\t" and "\t" in bullet[0]
        line = lines[number] if not bullet or is_cell else lines[number][bullet.end() :]
        own = separator if separator and separator in line else _separator(line)
        cells, count = _cells([line, *lines[number + 1 : number + MOST_LINES]], own)
        if any(cells) and not line.casefold().startswith("sep="):
            rows.append((number + 1, "\n".join(lines[number : number + count]), cells))
        number += count
    return rows


def _cells(lines: Sequence[str], separator: str) -> tuple[list[str], int]:
    """Return the cells of the first row, and its number of lines."""
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=separator, strict=True)
    try:
        cells, count = next(reader), reader.line_num
    except csv.Error:  # a quote that is not closed
        [cells], count = csv.reader(lines[:1], delimiter=separator), 1
    texts = [" ".join(cell.split()) for cell in cells]
    is_row = len(texts) > 1
    return ["" if is_row and UNKNOWN.fullmatch(text) else text for text in texts], count


def _words(cell: str) -> list[str]:
    words = re.split(r"[\W_]+", cell.casefold())
    return [word.removesuffix("s") for word in words if word not in FILLERS]


def _headings(rows: Sequence[Sequence[str]]) -> list[str | None]:
    """Return what the columns contain, [] without a header; None for other columns."""
    if not rows or any(map(_is_account, rows[0])):
        return []
    kinds = [_heading(cell) for cell in rows[0]]
    known = [number for number, kind in enumerate(kinds) if kind]
    if not known or not (all(kinds) or len(known) > 1 or _heads(known[0], kinds, rows)):
        return []
    # "Account name" is a name beside "Account username", and a handle alone.
    is_other = len([kind for kind in kinds if kind in (HANDLE, *PLATFORM_NAMES)]) > 1
    return [
        NAME if kind == HANDLE and is_other and "name" in _words(cell) else kind
        for kind, cell in zip(kinds, rows[0], strict=True)
    ]


def _heads(column: int, kinds: Sequence[str | None], rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the only known heading is one: a platform's name may be a row's platform."""
    below = {cell.casefold() for row in rows[1:] for cell in row[column : column + 1]}
    return bool(below) and not (kinds[column] in PLATFORM_NAMES and below & PLATFORM_NAMES.keys())


def _heading(cell: str) -> str | None:
    """Return what the column of a header contains; None for unknown headers and other cells."""
    words = _words(cell)
    is_known = all(word in HEADINGS for word in words)
    kinds = [HEADINGS[word] for word in words] if is_known else []
    return min(kinds, key=list(HEADINGS.values()).index, default=None)


def _is_account(cell: str) -> bool:
    return bool(platform_of(cell)) or plain_text(cell).startswith("@")


def _line(row: Row, headings: Sequence[str | None], platform: str) -> Line:
    number, text, cells = row
    columns = headings or _guessed(cells)
    pairs = [(kind, cell) for kind, cell in zip(columns, cells, strict=False) if kind and cell]
    names = [cell for kind, cell in pairs if kind == NAME]
    problem = None
    if any(cells[len(columns) :]):
        problem = MORE_CELLS
    elif not headings and len(names) > 1 and not any(map(_is_account, cells)):
        problem = WHICH_HANDLE
    elif any(map(TOTAL.fullmatch, names)) and all(
        cell.isdecimal() for kind, cell in pairs if kind not in (NAME, PLATFORM)
    ):
        problem = IS_TOTAL
    accounts = [] if problem else _accounts(pairs, platform, is_headed=bool(headings))
    return Line(number, text, next(iter(names), None), accounts, problem)


def _accounts(pairs: Sequence[tuple[str, str]], platform: str, *, is_headed: bool) -> list[Account]:
    """Return a row's accounts, each once; a header's handle takes its URL's platform."""
    of_line = next((cell.casefold() for kind, cell in pairs if kind == PLATFORM), None)
    cells = [(kind, cell) for kind, cell in pairs if kind not in (NAME, PLATFORM)]
    urls = [(site, cell) for _, cell in cells if is_headed and (site := platform_of(cell))]

    def platform_for(kind: str, cell: str) -> str:
        if kind != HANDLE:
            return kind
        same = (site for site, url in urls if _handle(site, url) == _handle(site, cell))
        return of_line or next(same, platform)

    accounts = [(platform_of(cell) or platform_for(kind, cell), cell) for kind, cell in cells]
    return list({(site, _handle(site, cell)): (site, cell) for site, cell in accounts}.values())


def _handle(platform: str, cell: str) -> str:
    with suppress(InvalidAccount):
        return normalize_handle(platform, cell)
    return cell


def _guessed(cells: Sequence[str]) -> list[str | None]:
    """Guess each cell's kind: URLs and @handles are accounts, otherwise the last cell is."""
    if len(cells) > 1 and cells[-1].casefold() in PLATFORM_NAMES:
        return [*_guessed(cells[:-1]), PLATFORM]
    if len(cells) > 1 and cells[0].casefold() in PLATFORM_NAMES:
        return [PLATFORM, *_guessed(cells[1:])]
    are = [_is_account(cell) for cell in cells]
    if not any(are):
        are[max((number for number, cell in enumerate(cells) if cell), default=0)] = True
    return [HANDLE if is_account else NAME for is_account in are]
