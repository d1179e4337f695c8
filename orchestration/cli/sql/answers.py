"""Prints results of SQL on the current publication as a table, CSV or JSON."""

import csv
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from math import isfinite
from pathlib import Path
from threading import Event
from types import TracebackType
from typing import Any, Self

import duckdb

from orchestration.cli.output import CommandFailed, print_json
from warehouse.csv_cells import cell_text
from warehouse.publication.errors import NoPublication
from warehouse.publication.info import read_info
from warehouse.publication.layout import CURRENT

MOST_ROWS = 200
"""Maximum number of printed rows of a table; the middle is left out, as in DuckDB's shell."""
AT_ONCE = 10_000
INTERRUPT_CHECK_SECONDS = 0.1
"""An interrupt between two statements is lost, and a wait without end may miss a signal."""

Layout = Callable[[duckdb.DuckDBPyRelation], None]


class Answers:
    """A read-only connection to the publication that is current when it opens, in UTC."""

    def __init__(self, publications: Path, layout: Layout) -> None:
        """Raise NoPublication if there is none."""
        current = publications / CURRENT
        if not current.exists():
            raise NoPublication
        self._layout = layout
        self._connection = duckdb.connect(current.resolve(), read_only=True)
        self._connection.execute("set TimeZone = 'UTC'")
        self._connection.execute("set schema = 'marts'")
        self._connection.execute(
            "set parquet_metadata_cache = true"
        )  # the files of months never change

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        raised: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._connection.close()

    def print(self, query: str) -> None:
        """Print the result of each statement.

        Raises CommandFailed with DuckDB's message, also after Ctrl-C.
        """
        with ThreadPoolExecutor(1) as pool, _noticing_interrupts() as interrupted:
            printed = pool.submit(self._print, query)
            # DuckDB itself notices Ctrl-C late, and then leaves its threads at work.
            while wait([printed], INTERRUPT_CHECK_SECONDS).not_done:
                if interrupted.is_set():
                    self._connection.interrupt()
            printed.result()

    def _print(self, query: str) -> None:
        try:
            for statement in duckdb.extract_statements(query):
                if (answer := self._connection.sql(statement.query)) is not None:
                    self._layout(answer)
        except duckdb.Error as wrong:
            raise CommandFailed(str(wrong)) from wrong

    def names(self) -> list[str]:
        rows = self._connection.execute("show tables").fetchall()
        return [name for (name,) in rows]

    def as_of(self) -> str:
        return f"{read_info(self._connection).as_of:%Y-%m-%d %H:%M} UTC"


@contextmanager
def _noticing_interrupts() -> Iterator[Event]:
    """Yield what Ctrl-C sets in the block: as an exception it could come at any line."""
    interrupted = Event()
    before = signal.signal(signal.SIGINT, lambda *_: interrupted.set())
    try:
        yield interrupted
    finally:
        signal.signal(signal.SIGINT, before)


def _as_table(answer: duckdb.DuckDBPyRelation) -> None:
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 10_000
    answer.show(max_width=width, max_rows=MOST_ROWS)


def _as_csv(answer: duckdb.DuckDBPyRelation) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(answer.columns)
    while rows := answer.fetchmany(AT_ONCE):
        writer.writerows([cell_text(cell) for cell in row] for row in rows)


def _as_json(answer: duckdb.DuckDBPyRelation) -> None:
    columns = answer.columns
    if twice := sorted({name for name in columns if columns.count(name) > 1}):
        way_out = "Rename one of them: select … as …"
        raise CommandFailed(
            f"JSON needs unique column names; duplicates: {', '.join(twice)}.", way_out
        )
    rows = map(_json_value, answer.fetchall())
    print_json([dict(zip(columns, row, strict=True)) for row in rows])


def _json_value(value: Any) -> Any:
    """Return a value as JSON can represent it: NaN and infinity become null."""
    if isinstance(value, float) and not isfinite(value):
        return None
    if isinstance(value, list | tuple):
        return [_json_value(each) for each in value]
    if isinstance(value, dict):
        return {key: _json_value(each) for key, each in value.items()}
    return value


LAYOUTS: Mapping[str, Layout] = {"table": _as_table, "csv": _as_csv, "json": _as_json}
