"""The first pass over a file: checks every row and writes the good ones to a scratch file.

Only after the whole file is read is it known whether anything may be loaded.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from warehouse.imports.file_rows import csv_chunks, parquet_chunks
from warehouse.imports.layouts import COLUMNS
from warehouse.imports.report import Problem, Report, UnusableFileError
from warehouse.imports.values import Rule, Spelling, meant, plain, refuse, value_rules
from warehouse.landing.schema import UTC

# A chunk has `line` and the columns of the file's kind. An empty text is null. `values` parses
# texts.

MAGIC = b"PAR1"


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some rows of a file, in order. `malformed` are lines that cannot be parsed as rows."""

    rows: pl.DataFrame
    malformed: Sequence[Problem] = ()


def read_chunks(path: Path, columns: Sequence[str]) -> Iterator[Chunk]:
    """Yield a file's rows. Raises UnusableFileError for another format or other columns."""
    if _is_parquet(path):
        for rows in parquet_chunks(path, columns):
            yield Chunk(_with_all(columns, rows))
    else:
        for rows, malformed in csv_chunks(path, columns):
            yield Chunk(_with_all(columns, rows), malformed)


def _with_all(columns: Sequence[str], rows: pl.DataFrame) -> pl.DataFrame:
    """Return the plain texts of all columns; optional ones that the file lacks are null."""
    lacking = (column for column in columns if column not in rows.columns)
    nulls = (pl.lit(None, pl.String).alias(column) for column in lacking)
    return rows.with_columns(nulls).select("line", *map(plain, columns))


def _is_parquet(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            head = file.read(len(MAGIC))
    except OSError as error:
        raise UnusableFileError(path, f"cannot be read: {error.strerror}") from error
    if not head:
        raise UnusableFileError(path, "is empty")
    return head == MAGIC or path.suffix.lower() == ".parquet"


OnRows = Callable[[int], None]
"""Called now and then with the number of rows read so far."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checks:
    """The checks for the rows of a kind of file.

    `look_up` adds the column `id` of the account or post, null if the project has none, and of a
    post `made_at`; `column_rules` are the rules about these columns. `now` is business time.
    """

    kind: str
    spelling: Spelling
    now: datetime
    look_up: Callable[[pl.DataFrame], pl.DataFrame]
    column_rules: Sequence[Rule]


def check_file(path: Path, checks: Checks, target: Path, on_rows: OnRows) -> Report:
    """Read a whole file, write its good rows to `target`, and report the errors of others.

    `target` has the columns `line`, those of the kind, and `id`. Raises UnusableFileError.
    """
    report = Report()
    with pq.ParquetWriter(target, _loaded_schema(checks.kind)) as writer:
        for chunk in read_chunks(path, COLUMNS[checks.kind]):
            writer.write_table(_check(chunk, checks, report).to_arrow())
            on_rows(report.rows)
    return report


def _check(chunk: Chunk, checks: Checks, report: Report) -> pl.DataFrame:
    values = checks.look_up(meant(chunk.rows, checks.kind, checks.spelling))
    rules = [*value_rules(checks.kind, checks.now), *checks.column_rules]
    good, problems = refuse(chunk.rows, values, rules)
    report.rows += chunk.rows.height + len(chunk.malformed)
    report.refuse(sorted([*chunk.malformed, *problems], key=lambda problem: problem.line))
    return good.drop("made_at", strict=False)


def _loaded_schema(kind: str) -> pa.Schema:
    types = {column: _dtype(column) for column in COLUMNS[kind]}
    frame = pl.DataFrame(schema={"line": pl.Int64, **types, "id": pl.String})
    return frame.to_arrow().schema


def _dtype(column: str) -> pl.DataType:
    if column.endswith("_count"):
        return pl.Int64()
    return UTC if column.endswith("_at") else pl.String()
