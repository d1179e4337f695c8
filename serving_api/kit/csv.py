"""CSV responses (RFC 4180, UTF-8), and responses that browsers save as files."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice

from fastapi.responses import StreamingResponse

from warehouse.csv_cells import Cell, cell_text


def saved_as(name: str) -> dict[str, str]:
    """Return the header that saves a response under an ASCII file name."""
    return {"Content-Disposition": f'attachment; filename="{name}"'}


MEDIA_TYPE = "text/csv"


class CsvResponse(StreamingResponse):
    """A CSV file, streamed row by row."""

    media_type = MEDIA_TYPE


def csv_response(
    name: str, columns: Sequence[str], rows: Iterable[Sequence[Cell]], headers: Mapping[str, str]
) -> CsvResponse:
    """Return the file `name`.csv as a download.

    The first rows are computed immediately, so that their errors still become error responses.
    """
    texts = csv_texts(columns, rows)
    first = list(islice(texts, 2))
    return CsvResponse(chain(first, texts), headers={**saved_as(f"{name}.csv"), **headers})


def csv_texts(
    columns: Sequence[str], rows: Iterable[Sequence[Cell]], *, at_once: int = 500
) -> Iterator[bytes]:
    """Yield a CSV file in parts: the header, then `at_once` rows each."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(columns)
    yield _drain(buffer)
    for number, row in enumerate(rows, start=1):
        writer.writerow([cell_text(cell) for cell in row])
        if number % at_once == 0:
            yield _drain(buffer)
    if buffer.tell():
        yield _drain(buffer)


def _drain(buffer: io.StringIO) -> bytes:
    text = buffer.getvalue()
    buffer.seek(0)
    buffer.truncate()
    return text.encode()
