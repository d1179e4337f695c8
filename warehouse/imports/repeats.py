"""Lines of a file about the same: contradictions are reported, and repeated lines left out."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from warehouse.imports.report import Problem, Report
from warehouse.settings import Settings


@contextmanager
def opened(settings: Settings, folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield an empty database that spills to `folder`."""
    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": settings.duckdb_memory_limit,
        "threads": settings.duckdb_threads,
        "temp_directory": str(folder),
    }
    with duckdb.connect(config=config) as connection:
        connection.execute("set TimeZone = 'UTC'")
        yield connection


def report_contradictions(
    connection: duckdb.DuckDBPyConnection, rows: Path, report: Report, statement: str, column: str
) -> bool:
    """Report lines of `$rows` that contradict another; return whether there are any.

    `statement` selects line, value of `column`, and the other line, in the order of lines.
    """
    before = report.bad
    contradictions = connection.execute(statement, {"rows": str(rows)})
    while some := contradictions.fetchmany():
        reason = "is on line {} with other values"
        report.refuse([Problem(line, column, str(v), reason.format(o)) for line, v, o in some])
    report.problems.sort(key=lambda problem: problem.line)
    return report.bad > before


def write_lines(
    connection: duckdb.DuckDBPyConnection, rows: Path, target: Path, statement: str
) -> None:
    """Write the lines that the statement selects of `$rows` to `target`."""
    files = {"rows": str(rows), "target": str(target)}
    connection.execute(f"copy ({statement}) to $target (format parquet)", files)
