"""Reads CSV (RFC 4180) and Parquet files in chunks of text rows.

CSV is read by Python's reader instead of polars' (1.x): it knows the line on which a row begins,
also after quoted line breaks and blank lines, and it continues after a malformed row. Parquet's
types are checked: a float may have lost digits of a count or id, and a time without a zone is not
an instant.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import chain, compress, islice
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow.compute import CastOptions

from warehouse.imports.layouts import check_columns
from warehouse.imports.report import Problem, UnusableFileError
from warehouse.imports.text_files import Table, open_table

CHUNK = 50_000


def csv_chunks(
    path: Path, columns: Sequence[str]
) -> Iterator[tuple[pl.DataFrame, Sequence[Problem]]]:
    """Yield (rows, problems of rows with the wrong length or encoding)."""
    with open_table(path, columns) as table:
        while True:
            frame, malformed = _chunk(table)
            if frame.is_empty() and not malformed:
                return
            yield frame, malformed


def _chunk(table: Table) -> tuple[pl.DataFrame, list[Problem]]:
    """Read the next rows.

    Texts are in one list: a list per row would cost more time in Python's garbage collector than
    everything else here.
    """
    lines: list[int] = []
    texts: list[str] = []
    malformed: list[Problem] = []
    nameless = [number for number, name in enumerate(table.names) if not name]
    for line, row in islice(table.rows, CHUNK):
        if reason := _fault(row, len(table.names), nameless):
            malformed.append(Problem(line, None, None, reason))
        else:
            lines.append(line)
            texts += row
    try:
        return _frame(lines, texts, table.names), malformed
    except UnicodeEncodeError:
        garbled = _drop_garbled(lines, texts)
        reason = "is not UTF-8: save the file as CSV UTF-8"
        malformed += [Problem(line, None, None, reason) for line in garbled]
        return _frame(lines, texts, table.names), malformed


def _fault(row: list[str], width: int, nameless: Sequence[int]) -> str | None:
    if len(row) != width:
        return f"has {len(row)} values, not {width}"
    if any(row[number].strip() for number in nameless):
        return "has a value in a column without a name"
    return None


def _frame(lines: list[int], texts: list[str], names: Sequence[str]) -> pl.DataFrame:
    columns = [
        pl.Series(name, texts[number :: len(names)], pl.String)
        for number, name in enumerate(names)
        if name
    ]
    return pl.DataFrame([pl.Series("line", lines, pl.Int64), *columns])


def _drop_garbled(lines: list[int], texts: list[str]) -> list[int]:
    """Remove rows with surrogates from both lists. Returns their lines."""
    width = len(texts) // len(lines)
    rows = [texts[start : start + width] for start in range(0, len(texts), width)]
    are_text = [_has_text(row) for row in rows]
    garbled = [line for line, is_text in zip(lines, are_text, strict=True) if not is_text]
    lines[:] = compress(lines, are_text)
    texts[:] = chain.from_iterable(compress(rows, are_text))
    return garbled


def _has_text(row: list[str]) -> bool:
    try:
        "".join(row).encode()
    except UnicodeEncodeError:
        return False
    return True


UNREADABLE = (pa.ArrowException, OSError)
TO_MICROSECONDS = CastOptions(pa.timestamp("us", "UTC"), allow_time_truncate=True)
YEARS = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)
INSTANT = "%Y-%m-%dT%H:%M:%S%.6fZ"


def parquet_chunks(path: Path, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
    """Yield the rows. `line` is the number of the row, from 1."""
    line = 1
    try:
        with pq.ParquetFile(path) as file:
            check_columns(path, file.schema_arrow.names, columns)
            _check_types(path, file.schema_arrow)
            for batch in file.iter_batches(CHUNK):
                batch.validate(full=True)  # a damaged one ends the process when it is read
                yield _text(batch, line)
                line += batch.num_rows
    except UNREADABLE as error:
        raise UnusableFileError(path, f"cannot be read as Parquet: {error}") from error


def _check_types(path: Path, schema: pa.Schema) -> None:
    for field in schema:
        fits, type_name = _expected_type(field.name)
        if not (fits(_plain(field.type)) or pa.types.is_null(field.type)):
            raise UnusableFileError(path, f"{field.name} is {field.type}, not {type_name}")


def _expected_type(column: str) -> tuple[Callable[[pa.DataType], bool], str]:
    if column.endswith("_count"):
        return _is_integer_or_text, "a type of whole numbers"
    if column.endswith("_at"):
        return _is_instant_or_text, "a timestamp with a time zone"
    if column == "platform_video_id":
        return _is_integer_or_text, "text"
    return _is_text, "text"


def _plain(dtype: pa.DataType) -> pa.DataType:
    return dtype.value_type if pa.types.is_dictionary(dtype) else dtype


def _is_text(dtype: pa.DataType) -> bool:
    is_text: bool = (
        pa.types.is_string(dtype)
        or pa.types.is_large_string(dtype)
        or pa.types.is_string_view(dtype)
    )
    return is_text


def _is_integer_or_text(dtype: pa.DataType) -> bool:
    return pa.types.is_integer(dtype) or _is_text(dtype)


def _is_instant_or_text(dtype: pa.DataType) -> bool:
    return (pa.types.is_timestamp(dtype) and dtype.tz is not None) or _is_text(dtype)


def _text(batch: pa.RecordBatch, line: int) -> pl.DataFrame:
    columns = {name: _column(batch.column(name)) for name in batch.schema.names}
    frame = pl.DataFrame(columns)
    return frame.with_row_index("line", offset=line).with_columns(pl.col("line").cast(pl.Int64))


def _column(values: pa.Array) -> pl.Series:
    if pa.types.is_timestamp(values.type):
        instants = pl.Series(values.cast(options=TO_MICROSECONDS))
        usable = instants.is_between(*YEARS)  # others have no date: they stay numbers
        dated = instants.zip_with(usable, pl.Series([None], dtype=instants.dtype))
        return dated.dt.to_string(INSTANT).zip_with(usable, instants.to_physical().cast(pl.String))
    return pl.Series(values).cast(pl.String)
