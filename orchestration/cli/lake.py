"""`tracker lake`: how analysts attach the lake, who may read it, and how to reset it."""

from typing import Annotated

import psycopg
import typer

from orchestration.cli.opening import current_store, settings_of_environment
from orchestration.cli.output import OUT, CommandFailed, say
from warehouse.settings import Settings

Role = Annotated[str, typer.Argument(help="PostgreSQL role with login.")]


def attach(
    role: Annotated[
        str | None,
        typer.Option(
            "--role", help="PostgreSQL role that attaches it; default: the service's own."
        ),
    ] = None,
) -> None:
    """Print the SQL that attaches the lake in any DuckDB (1.5 or newer), without secrets.

    Example: `tracker lake attach --role analyst`
    """
    from warehouse.lake.opening import lines_for  # noqa: PLC0415  DuckDB, not for --help

    settings = _settings()
    with current_store(settings) as store:
        for line in lines_for(settings, store, role):
            OUT.print(line, soft_wrap=True, markup=False, highlight=False)


def grant(role: Role) -> None:
    """Let a role read the lake, which has the numbers of ALL organizations, and nothing else.

    Example: `tracker lake grant analyst`. To undo: `revoke all on schema lake from analyst`
    """
    from warehouse.lake.catalog import let_read  # noqa: PLC0415

    with current_store(_settings()) as store:
        try:
            let_read(store, role)
        except psycopg.errors.UndefinedObject as unknown:
            raise CommandFailed(
                f"PostgreSQL has no role {role}.", "Create it: `create role ... login`."
            ) from unknown
        except psycopg.errors.InvalidSchemaName as empty:
            raise CommandFailed("the lake is empty.", "Run `tracker publish`.") from empty
    say(f"tracker: {role} can now read the lake's catalog; give it access to the files too")


def forget() -> None:
    """Reset the lake's catalog and its grants: the next run creates it again.

    Use it if the lake's files are lost, or after TRACKER_LAKE_URL changed.

    Example: `tracker lake forget`
    """
    from warehouse.lake.catalog import forget as forget_all  # noqa: PLC0415

    with current_store(_settings()) as store:
        forget_all(store)


def _settings() -> Settings:
    settings = settings_of_environment()
    if settings.lake_path is None:
        raise CommandFailed("there is no lake.", "Set TRACKER_LAKE_URL to its location.")
    return settings
