"""Import files as chunks of rows of text, whatever their format, in bounded memory.

A chunk's columns are `line` and those of the kind of file; an empty text is null. What the text
means is judged in `values`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from warehouse.imports.csv_rows import csv_chunks
from warehouse.imports.errors import UnusableFileError
from warehouse.imports.parquet_rows import parquet_chunks
from warehouse.imports.report import Problem

MAGIC = b"PAR1"


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some rows of a file, in its order; `malformed` are the rows that are no rows."""

    rows: pl.DataFrame
    malformed: Sequence[Problem] = ()


def read_chunks(path: Path, columns: Sequence[str]) -> Iterator[Chunk]:
    """Yield a file's rows. Raises UnusableFileError where it is not of this format or columns."""
    if _is_parquet(path):
        for rows in parquet_chunks(path, columns):
            yield Chunk(_with_all(columns, rows))
    else:
        for rows, malformed in csv_chunks(path, columns):
            yield Chunk(_with_all(columns, rows), malformed)


def _with_all(columns: Sequence[str], rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows with each of the columns: what a file may lack is null in all of them."""
    lacking = (column for column in columns if column not in rows.columns)
    nulls = (pl.lit(None, pl.String).alias(column) for column in lacking)
    return rows.with_columns(nulls).select("line", *columns)


def _is_parquet(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            head = file.read(len(MAGIC))
    except OSError as error:
        raise UnusableFileError(path, f"cannot be read: {error.strerror}") from error
    if not head:
        raise UnusableFileError(path, "is empty")
    return head == MAGIC or path.suffix.lower() == ".parquet"
