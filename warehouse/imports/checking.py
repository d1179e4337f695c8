"""The first pass over a file: every row checked, the good ones kept in a scratch file.

Only when the whole file was read is it known whether anything may be loaded.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from warehouse.imports.files import Chunk, read_chunks
from warehouse.imports.layouts import COLUMNS
from warehouse.imports.report import Report
from warehouse.imports.spelling import Spelling
from warehouse.imports.values import Rule, meant, refuse, value_rules
from warehouse.landing.schema import UTC

OnRows = Callable[[int], None]
"""Told, now and then, how many rows were read so far."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checks:
    """What the rows of a kind of file are held to.

    `look_up` adds the column `id` of what a row is about, null where the project has no such
    thing; the rule `unknown` refuses it then. `now` is business time.
    """

    kind: str
    spelling: Spelling
    now: datetime
    look_up: Callable[[pl.DataFrame], pl.DataFrame]
    unknown: Rule


def check_file(path: Path, checks: Checks, kept: Path, on_rows: OnRows) -> Report:
    """Read a whole file, write its good rows to `kept`, and report what is wrong with the others.

    `kept` has the columns `line`, those of the kind, and `id`. Raises UnusableFileError.
    """
    report = Report()
    with pq.ParquetWriter(kept, _kept_schema(checks.kind)) as writer:
        for chunk in read_chunks(path, COLUMNS[checks.kind]):
            writer.write_table(_check(chunk, checks, report).to_arrow())
            on_rows(report.rows)
    return report


def _check(chunk: Chunk, checks: Checks, report: Report) -> pl.DataFrame:
    values = checks.look_up(meant(chunk.rows, checks.kind, checks.spelling))
    rules = [*value_rules(checks.kind, checks.now), checks.unknown]
    good, problems = refuse(chunk.rows, values, rules)
    report.rows += chunk.rows.height + len(chunk.malformed)
    report.refuse(sorted([*chunk.malformed, *problems], key=lambda problem: problem.line))
    return good


def _kept_schema(kind: str) -> pa.Schema:
    types = {column: _dtype(column) for column in COLUMNS[kind]}
    frame = pl.DataFrame(schema={"line": pl.Int64, **types, "id": pl.String})
    return frame.to_arrow().schema


def _dtype(column: str) -> pl.DataType:
    if column.endswith("_count"):
        return pl.Int64()
    return UTC if column.endswith("_at") else pl.String()
