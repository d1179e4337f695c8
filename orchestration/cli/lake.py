"""`tracker lake`: how analysts attach it, who may read it, and making it anew."""

from typing import Annotated

import psycopg
import typer

from orchestration.cli.opening import current_store, settings_of_environment
from orchestration.cli.output import OUT, CommandFailed, say
from warehouse.settings import Settings

Role = Annotated[str, typer.Argument(help="A role of PostgreSQL, which can log in.")]


def attach(
    role: Annotated[
        str | None, typer.Option("--role", help="Who attaches it; without it the service itself.")
    ] = None,
) -> None:
    """Print the lines by which any DuckDB (1.5 or newer) attaches the lake, without secrets.

    Example: `tracker lake attach --role analyst`
    """
    from warehouse.lake.attaching import lines_for  # noqa: PLC0415  DuckDB, not for --help

    settings = _settings()
    with current_store(settings) as store:
        for line in lines_for(settings, store, role):
            OUT.print(line, soft_wrap=True, markup=False, highlight=False)


def grant(role: Role) -> None:
    """Let a role read the lake, which has the numbers of ALL organizations, and nothing else.

    Example: `tracker lake grant analyst`; to take it back: `revoke all on schema lake from analyst`
    """
    from warehouse.lake.catalog import let_read  # noqa: PLC0415

    with current_store(_settings()) as store:
        try:
            let_read(store, role)
        except psycopg.errors.UndefinedObject as unknown:
            raise CommandFailed(
                f"PostgreSQL has no role {role}.", "`create role ... login` makes it."
            ) from unknown
        except psycopg.errors.InvalidSchemaName as empty:
            raise CommandFailed("nothing is in the lake yet.", "`tracker publish`.") from empty
    say(f"tracker: {role} may read the lake's catalog, if it can read its files as well")


def forget() -> None:
    """Forget what the lake has, also who may read it: the next run makes it anew.

    For when its files were lost, or TRACKER_LAKE_URL is another.
    """
    from warehouse.lake.catalog import forget as forget_all  # noqa: PLC0415

    with current_store(_settings()) as store:
        forget_all(store)


def _settings() -> Settings:
    settings = settings_of_environment()
    if settings.lake_path is None:
        raise CommandFailed("there is no lake.", "TRACKER_LAKE_URL says where it lies.")
    return settings
