"""The `tracker` command: the one list of commands and the one place that turns errors into lines.

What a command does lives in the module of its name; nothing here knows a noun.
"""

import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import Annotated, ClassVar, NoReturn

import typer

from orchestration.cli.commands import SETTINGS, Commands
from orchestration.cli.output import CommandFailed, complain
from warehouse.umask import be_private


class Organizations(Commands):
    """Organizations: the first admin and API key come from here."""

    modules: ClassVar = {"create": "org:create"}


class Shards(Commands):
    """Shards: which worker computes whom, once one is too little."""

    modules: ClassVar = {
        "list": "shard:list_shards",
        "add": "shard:add",
        "move": "shard:move",
        "split": "shard:split",
        "balance": "shard:balance",
        "remove": "shard:remove",
    }


class Users(Commands):
    """Users: who looks after all organizations, and passwords."""

    modules: ClassVar = {
        "platform-admin": "user:platform_admin",
        "set-password": "user:set_password_of",
    }


class Lake(Commands):
    """Let analysts in: the marts of all shards in one lake, for any DuckDB (TRACKER_LAKE_URL)."""

    modules: ClassVar = {"attach": "lake:attach", "grant": "lake:grant", "forget": "lake:forget"}


class Tracker(Commands):
    """All commands, in the order in which they are listed."""

    modules: ClassVar = {
        "init": "init:init",
        "run": "run:run",
        "scrape": "scrape:scrape",
        "plan": "plan:plan",
        "import": "imports:import_file",
        "backfill": "backfill:backfill",
        "rebuild": "rebuild:rebuild",
        "rescore": "rescore:rescore",
        "evaluate-comments": "evaluate_comments:evaluate_comments",
        "publish": "publish:publish",
        "sql": "sql.command:sql",
        "lake": Lake,
        "backup": "backup:backup",
        "restore": "backup:restore",
        "move-batches": "move_batches:move_batches",
        "doctor": "doctor.command:doctor",
        "audit": "audit:audit",
        "serve": "serve:serve",
        "deliver": "deliver:deliver",
        "up": "up:up",
        "simulate": "simulate:simulate",
        "simulations": "simulations:simulations",
        "pictures": "pictures:pictures",
        "demo": "demo.command:demo",
        "org": Organizations,
        "shard": Shards,
        "user": Users,
    }


app = typer.Typer(
    **SETTINGS | {"add_completion": True},
    cls=Tracker,
    name="tracker",
    help="Tracks public TikTok and Instagram posts: scrape, compute, publish, serve.",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(is_set: bool) -> None:
    """Print the installed version and end, where that is what was asked."""
    if is_set:
        from importlib.metadata import version  # noqa: PLC0415  no other command waits for it

        typer.echo(f"creator-tracker {version('creator-tracker')}")
        raise typer.Exit


Version = Annotated[
    bool,
    typer.Option(
        "--version", callback=_show_version, is_eager=True, help="Print the version and end."
    ),
]


@app.callback()
def begin(context: typer.Context, _version: Version = False) -> None:
    """Do what this process wants done before its command begins."""
    if context.obj:
        context.obj()


def main() -> None:
    """Run the command line; exit 0 when done, 1 when it failed, 2 when it was asked wrongly."""
    signal.signal(signal.SIGTERM, _end)
    be_private()
    carry_out(sys.argv[1:], before=_log_to_stderr)


def carry_out(arguments: list[str], before: Callable[[], None] | None = None) -> NoReturn:
    """Run one command and exit with its code; a failure or a misuse is told in one line."""
    try:
        app(arguments, obj=before)
    except CommandFailed as failed:
        complain(str(failed), failed.way_out)
        sys.exit(failed.exit_code)
    sys.exit()


def _log_to_stderr() -> None:
    """Leave stdout to results. `--help` does without, and is there sooner."""
    from warehouse.logs import configure_logs  # noqa: PLC0415

    configure_logs(sys.stderr)


def _end(number: int, _frame: FrameType | None) -> None:
    """Leave by way of every `finally`: PostgreSQL stops with its last user, locks are let go."""
    signal.signal(number, signal.SIG_IGN)
    sys.exit(128 + number)
