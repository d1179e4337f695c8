"""Reads Parquet files in chunks of text rows, as a CSV file would contain them.

Types are checked: a float may have lost digits of a count or id, and a time without a zone is not
an instant.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow.compute import CastOptions

from warehouse.imports.errors import UnusableFileError
from warehouse.imports.layouts import check_columns

CHUNK = 50_000
UNREADABLE = (pa.ArrowException, OSError)
TO_MICROSECONDS = CastOptions(pa.timestamp("us", "UTC"), allow_time_truncate=True)
INSTANT = "%Y-%m-%dT%H:%M:%S%.6fZ"


def parquet_chunks(path: Path, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
    """Yield the rows. `line` is the number of the row, from 1."""
    line = 1
    try:
        with pq.ParquetFile(path) as file:
            check_columns(path, file.schema_arrow.names, columns)
            _check_types(path, file.schema_arrow)
            for batch in file.iter_batches(CHUNK):
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
    frame = pl.DataFrame(columns).with_columns(pl.all().replace("", None))
    return frame.with_row_index("line", offset=line).with_columns(pl.col("line").cast(pl.Int64))


def _column(values: pa.Array) -> pl.Series:
    if pa.types.is_timestamp(values.type):
        instants = pl.Series(values.cast(options=TO_MICROSECONDS))
        return instants.dt.to_string(INSTANT)
    return pl.Series(values).cast(pl.String)
