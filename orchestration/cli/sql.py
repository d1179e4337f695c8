"""`tracker sql`: SQL on the current publication, printed as a table, CSV or JSON."""

import csv
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from math import isfinite
from pathlib import Path
from shlex import quote
from tempfile import TemporaryDirectory
from threading import Thread
from typing import TYPE_CHECKING, Annotated, Any

import typer

from orchestration.cli.opening import settings_of_environment, unreadable_publication
from orchestration.cli.output import CommandFailed, print_json
from orchestration.running.interrupts import signal_numbers
from warehouse.csv_cells import cell_text
from warehouse.publication.errors import NoPublication
from warehouse.warehouse_lock import writers_locked_out

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

MOST_ROWS = 200
"""Maximum number of printed rows of a table; the middle is left out, as in DuckDB's shell."""
AT_ONCE = 10_000
NO_SIGNAL = b"\0"

Query = Annotated[str | None, typer.Argument(help="SQL to run; default: standard input.")]
AsCsv = Annotated[
    bool, typer.Option("--csv", help="Print CSV with a header, formatted as in REST exports.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print rows as a JSON array of objects.")]
OnWarehouse = Annotated[
    Path | None,
    typer.Option(
        "--file",
        exists=True,
        dir_okay=False,
        help="Run this file on the warehouse, such as a model in dbt_project/rendered.",
    ),
]


def sql(
    query: Query = None,
    as_csv: AsCsv = False,
    as_json: AsJson = False,
    file: OnWarehouse = None,
) -> None:
    """Query the current publication in DuckDB's SQL, read-only. The default schema is `marts`.

    Examples: `tracker sql "from campaigns"` · `tracker sql --csv "from payout_costs" > costs.csv` ·
    `tracker sql < report.sql` · `tracker sql "show tables"` · `tracker sql "describe videos"`

    The tables are in `warehouse/README.md`; questions with their SQL in `docs/recipes.md`.
    """
    if as_csv and as_json:
        raise CommandFailed("--csv and --json cannot be combined.", "Use one of them.", exit_code=2)
    layout = _as_csv if as_csv else _as_json if as_json else _as_table
    if file is not None:
        if query is not None:
            way_out = "Write the query to the file, or omit --file."
            raise CommandFailed("a query and --file cannot be combined.", way_out, exit_code=2)
        _on_warehouse(file, layout)
        return
    import duckdb  # noqa: PLC0415  not for --help

    from warehouse.publication.layout import CURRENT  # noqa: PLC0415  likewise

    current = settings_of_environment().publications_path / CURRENT
    if not current.exists():
        raise CommandFailed(f"{NoPublication()}.")
    if query is None and sys.stdin.isatty():
        shell = f"duckdb -readonly {quote(str(current))}"
        raise CommandFailed("a query is missing.", f"For a shell: `{shell}`.", exit_code=2)
    try:
        connection = duckdb.connect(current.resolve(), read_only=True)
    except (duckdb.Error, OSError) as error:
        raise unreadable_publication(error) from error
    with TemporaryDirectory() as spilled, connection, _interrupted_at_signals(connection):
        connection.execute("set temp_directory = $spilled", {"spilled": spilled})
        connection.execute("set TimeZone = 'UTC'")
        connection.execute("set schema = 'marts'")
        connection.execute("set parquet_metadata_cache = true")  # months' files never change
        _print(connection, sys.stdin.read() if query is None else query, layout)


@contextmanager
def _interrupted_at_signals(connection: "DuckDBPyConnection") -> Iterator[None]:
    """Interrupt queries at Ctrl-C and SIGTERM: Python's handlers do not run while DuckDB does."""
    with signal_numbers() as (reader, writer):

        def interrupt() -> None:
            if os.read(reader, 1) != NO_SIGNAL:
                connection.interrupt()

        thread = Thread(target=interrupt)
        thread.start()
        try:
            yield
        finally:
            os.write(writer, NO_SIGNAL)
            thread.join()


def _on_warehouse(file: Path, layout: Callable[["DuckDBPyRelation"], None]) -> None:
    """Run a file as a build does, but read-only. Pipeline runs wait until it ends."""
    import duckdb  # noqa: PLC0415  not for --help

    from warehouse.publication.sql import quoted_path  # noqa: PLC0415  likewise

    settings = settings_of_environment()
    path = settings.warehouse_path
    if not path.exists():
        raise CommandFailed(f"there is no warehouse at {path}.", "Run `tracker run`.")
    with (
        writers_locked_out(settings) as writer,
        TemporaryDirectory() as spilled,
        duckdb.connect(config={"temp_directory": spilled}) as connection,
        _interrupted_at_signals(connection),
    ):
        if writer:
            raise CommandFailed(f"{writer} is writing the warehouse.", "Wait until it ends.")
        try:
            connection.execute(f"attach {quoted_path(path)} as warehouse (read_only)")
        except duckdb.Error as error:
            raise CommandFailed(str(error), "Run it while no pipeline run writes.") from error
        connection.execute("set TimeZone = 'UTC'; set search_path = 'warehouse.main'")
        _print(connection, file.read_text(encoding="utf-8"), layout)


def _print(
    connection: "DuckDBPyConnection", query: str, layout: Callable[["DuckDBPyRelation"], None]
) -> None:
    """Print the result of each statement; raise CommandFailed with DuckDB's message."""
    import duckdb  # noqa: PLC0415  not for --help

    try:
        for statement in duckdb.extract_statements(query):
            if (answer := connection.sql(statement.query)) is not None:
                layout(answer)
    except duckdb.Error as wrong:
        raise CommandFailed(str(wrong)) from wrong


def _as_table(answer: "DuckDBPyRelation") -> None:
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 10_000
    answer.show(max_width=width, max_rows=MOST_ROWS)


def _as_csv(answer: "DuckDBPyRelation") -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(answer.columns)
    while rows := answer.fetchmany(AT_ONCE):
        writer.writerows([cell_text(cell) for cell in row] for row in rows)


def _as_json(answer: "DuckDBPyRelation") -> None:
    columns = answer.columns
    if twice := sorted({name for name in columns if columns.count(name) > 1}):
        way_out = "Rename one of them: select … as …"
        raise CommandFailed(
            f"JSON needs unique column names; duplicates: {', '.join(twice)}.", way_out
        )
    rows = map(_json_value, answer.fetchall())
    print_json([dict(zip(columns, row, strict=True)) for row in rows])


def _json_value(value: Any) -> Any:
    """Return a value as REST writes it: NaN and infinity are null, instants UTC."""
    if isinstance(value, float) and not isfinite(value):
        return None
    if isinstance(value, datetime):
        return cell_text(value)
    if isinstance(value, list | tuple):
        return [_json_value(each) for each in value]
    if isinstance(value, dict):
        return {key: _json_value(each) for key, each in value.items()}
    return value
