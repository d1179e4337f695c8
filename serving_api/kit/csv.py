"""CSV answers: cells, lines and the response (RFC 4180, UTF-8). Knows no noun.

A text that a spreadsheet would take for a formula is prefixed with an apostrophe; a number is none,
whatever its sign (decisions.md, Exports).
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from itertools import chain, islice
from uuid import UUID

from fastapi.responses import StreamingResponse

MEDIA_TYPE = "text/csv"
Cell = str | int | float | bool | date | UUID | None

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)


class CsvResponse(StreamingResponse):
    """A CSV file, sent as its rows are made."""

    media_type = MEDIA_TYPE


def csv_response(
    name: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    headers: Mapping[str, str],
) -> CsvResponse:
    """Return the file `name`.csv to download, as `csv_texts` makes it.

    Its first rows are made at once, so that what goes wrong with them is still told.
    """
    texts = csv_texts(columns, rows)
    first = list(islice(texts, 2))
    attachment = {"Content-Disposition": f'attachment; filename="{name}.csv"'}
    return CsvResponse(chain(first, texts), headers={**attachment, **headers})


def csv_texts(
    columns: Sequence[str], rows: Iterable[Sequence[Cell]], *, at_once: int = 500
) -> Iterator[bytes]:
    """Yield a CSV file in parts: the header, then `at_once` rows each."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(columns)
    yield _taken(buffer)
    for number, row in enumerate(rows, start=1):
        writer.writerow([cell_text(cell) for cell in row])
        if number % at_once == 0:
            yield _taken(buffer)
    if buffer.tell():
        yield _taken(buffer)


def cell_text(cell: Cell) -> str:
    """Return what a cell shows; unknown is empty. Instants are UTC, ISO 8601."""
    match cell:
        case None:
            return ""
        case bool():
            return "true" if cell else "false"
        case datetime():
            return cell.astimezone(UTC).isoformat().replace("+00:00", "Z")
        case date():
            return cell.isoformat()
        case str():
            return _harmless(cell)
        case _:
            return str(cell)


def _harmless(text: str) -> str:
    is_formula = text.startswith(_FORMULA_STARTS) and _NUMBER.fullmatch(text) is None
    return f"'{text}" if is_formula else text


def _taken(buffer: io.StringIO) -> bytes:
    """Return what the buffer holds, and empty it."""
    text = buffer.getvalue()
    buffer.seek(0)
    buffer.truncate()
    return text.encode()
