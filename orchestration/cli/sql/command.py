"""`tracker sql`: a query, a file of queries, or a shell, on the current publication."""

import sys
from typing import Annotated

import typer

from orchestration.cli.opening import settings_of_environment, unreadable_publication
from orchestration.cli.output import CommandFailed
from warehouse.publication.errors import NoPublication

Query = Annotated[
    str | None,
    typer.Argument(help="SQL to run; default: standard input, or a shell on a terminal."),
]
AsCsv = Annotated[
    bool, typer.Option("--csv", help="Print CSV with a header, formatted as in REST exports.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print rows as a JSON array of objects.")]


def sql(query: Query = None, as_csv: AsCsv = False, as_json: AsJson = False) -> None:
    """Query the current publication in DuckDB's SQL, read-only. The default schema is `marts`.

    Examples: `tracker sql "from campaigns"` · `tracker sql --csv "from payout_costs" > costs.csv` ·
    `tracker sql < report.sql` · `tracker sql` (a shell; `.tables`, `.columns videos`, `.quit`)

    The tables are in `warehouse/README.md`; questions with their SQL in `docs/recipes.md`.
    """
    if as_csv and as_json:
        raise CommandFailed("--csv and --json cannot be combined.", "Use one of them.", exit_code=2)
    import duckdb  # noqa: PLC0415  not for --help

    from orchestration.cli.sql.answers import LAYOUTS, Answers  # noqa: PLC0415  likewise

    layout = LAYOUTS["csv" if as_csv else "json" if as_json else "table"]
    try:
        answers = Answers(settings_of_environment().publications_path, layout)
    except NoPublication as none:
        raise CommandFailed(f"{none}.") from none
    except (duckdb.Error, OSError) as error:
        raise unreadable_publication(error) from error
    with answers:
        if query is None and sys.stdin.isatty():
            from orchestration.cli.sql.shell import Shell  # noqa: PLC0415

            Shell(answers).talk()
        else:
            answers.print(sys.stdin.read() if query is None else query)
