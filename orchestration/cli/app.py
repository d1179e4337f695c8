"""The `tracker` command: lists all commands, and prints errors as one line.

`modules` names the module and function of each command.
"""

import atexit
import gc
import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import Annotated, ClassVar, NoReturn

import typer

from orchestration.cli.commands import SETTINGS, Commands
from orchestration.cli.output import DISK_FULL, CommandFailed, complain, reason_of
from warehouse.umask import be_private


class Organizations(Commands):
    """Create organizations, with their first admin and API key."""

    modules: ClassVar = {"create": "org:create"}


class Shards(Commands):
    """Manage shards: spread the computation over several machines."""

    modules: ClassVar = {
        "list": "shard:list_shards",
        "add": "shard:add",
        "move": "shard:move",
        "split": "shard:split",
        "balance": "shard:balance",
        "remove": "shard:remove",
    }


class Users(Commands):
    """Manage users: platform admins and passwords."""

    modules: ClassVar = {
        "platform-admin": "org:platform_admin",
        "set-password": "org:set_password_of",
    }


def _print_template(context: typer.Context, kind: str | None) -> None:
    """Print the header of a file of `kind`; complain about another one."""
    if kind is None:
        return
    from warehouse.imports.layouts import COLUMNS  # noqa: PLC0415  only for this

    if kind not in COLUMNS:
        raise typer.BadParameter(f"use one of {', '.join(COLUMNS)}")
    typer.echo(",".join(COLUMNS[kind]))
    context.exit()


def _template_option(
    template: Annotated[
        str | None,
        typer.Option(
            callback=_print_template,
            is_eager=True,
            help="Print the columns of a file: videos, video-snapshots or account-snapshots.",
        ),
    ] = None,
) -> None:
    """Take the option of `tracker import`, which its callback carries out."""


class Imports(Commands):
    """Load history from files into a project, list what was loaded, and retract it."""

    modules: ClassVar = {
        "videos": "imports:videos",
        "video-snapshots": "imports:video_snapshots",
        "account-snapshots": "imports:account_snapshots",
        "list": "imports:list_imports",
        "retract": "imports:retract",
    }
    options: ClassVar = _template_option


class Lake(Commands):
    """Give analysts the marts of all shards as one lake for any DuckDB (TRACKER_LAKE_URL)."""

    modules: ClassVar = {"attach": "lake:attach", "grant": "lake:grant", "forget": "lake:forget"}


class Tracker(Commands):
    """All commands, in the order of `--help`."""

    modules: ClassVar = {
        "init": "init:init",
        "run": "run:run",
        "scrape": "scrape:scrape",
        "import": Imports,
        "backfill": "backfill:backfill",
        "rebuild": "archive:rebuild",
        "rescore": "comments:rescore",
        "evaluate-comments": "comments:evaluate_comments",
        "publish": "publish:publish",
        "sql": "sql:sql",
        "lake": Lake,
        "backup": "backup:backup",
        "restore": "backup:restore",
        "move-batches": "archive:move_batches",
        "doctor": "doctor.command:doctor",
        "audit": "audit:audit",
        "serve": "serve:serve",
        "deliver": "deliver:deliver",
        "up": "up:up",
        "probe": "probe:probe",
        "simulate": "simulate:simulate",
        "pictures": "workers:pictures",
        "demo": "demo.command:demo",
        "org": Organizations,
        "shard": Shards,
        "user": Users,
    }
    headings: ClassVar = {
        "Daily": "init up run scrape probe sql doctor org user",
        "Data": "import backfill rebuild rescore evaluate-comments audit publish lake",
        "Operations": "serve deliver pictures backup restore move-batches shard",
        "Development": "simulate demo",
    }


app = typer.Typer(
    **SETTINGS | {"add_completion": True},
    cls=Tracker,
    name="tracker",
    help="Tracks public TikTok and Instagram posts: scrape, compute, publish, serve.",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(is_set: bool) -> None:
    if is_set:
        from importlib.metadata import version  # noqa: PLC0415  only this option needs it

        typer.echo(f"creator-tracker {version('creator-tracker')}")
        raise typer.Exit


Version = Annotated[
    bool,
    typer.Option(
        "--version", callback=_show_version, is_eager=True, help="Print the version and exit."
    ),
]


@app.callback()
def begin(context: typer.Context, _version: Version = False) -> None:
    """Run the hook that this process passes to its commands."""
    if context.obj:
        context.obj()


def main() -> None:
    """Run the command line. Exit codes: 0 done, 1 failed, 2 wrong usage."""
    signal.signal(signal.SIGTERM, _end)
    atexit.register(gc.freeze)  # otherwise Python looks through all objects at its end (3.11)
    be_private()
    carry_out(sys.argv[1:], before=_log_to_stderr)


def carry_out(arguments: list[str], before: Callable[[], None] | None = None) -> NoReturn:
    """Run one command and exit with its code; an error is printed as one line."""
    try:
        app(arguments, obj=before)
    except CommandFailed as failed:
        complain(str(failed), failed.way_out)
        sys.exit(failed.exit_code)
    except RuntimeError as error:  # DuckDB 1.5 raises it for a signal during a query
        if not isinstance(error.__cause__, KeyboardInterrupt | SystemExit):
            raise
        sys.exit(getattr(error.__cause__, "code", 128 + signal.SIGINT))
    except Exception as error:
        if not (reason := _reason_outside(error)):
            raise
        complain(*reason)
        sys.exit(1)
    sys.exit()


def _reason_outside(error: Exception) -> tuple[str, str] | None:
    """Return what is wrong with a file or PostgreSQL and what to do; None for our own fault."""
    from orchestration.building.rendering import NotRenderedError  # noqa: PLC0415  only here
    from warehouse.full_disk import says_full  # noqa: PLC0415  loads psycopg
    from warehouse.operational.errors import is_lost  # noqa: PLC0415  likewise

    if isinstance(error, NotRenderedError):
        return f"{str(error).rstrip('.')}.", "Nothing was published. Fix this and run again."
    if says_full(error):
        return DISK_FULL
    if isinstance(error, OSError) and error.filename:
        return reason_of(error), "Correct the path, or set TRACKER_HOME to a folder of your own."
    if is_lost(error):
        reason = "PostgreSQL stopped answering, or ended a transaction that was idle for too long."
        return reason, "Start it if it does not run, and run the command again."
    return None


def _log_to_stderr() -> None:
    """Log to stderr, so that stdout has only results. `--help` skips this to start faster."""
    from warehouse.logs import configure_logs  # noqa: PLC0415

    configure_logs(sys.stderr)


def _end(number: int, _frame: FrameType | None) -> None:
    """Exit through every `finally`: the embedded PostgreSQL stops and locks are released."""
    signal.signal(number, signal.SIG_IGN)
    sys.exit(128 + number)
