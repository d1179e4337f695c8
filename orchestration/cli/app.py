"""The `tracker` command: the one list of commands and the one place that turns errors into lines.

What a command does lives in the module of its name; nothing here knows a noun.
"""

import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import NoReturn

import typer
from pydantic import ValidationError

from orchestration.cli import (
    audit,
    backfill,
    backup,
    imports,
    init,
    org,
    publish,
    rebuild,
    rescore,
    run,
    serve,
    simulate,
    up,
    user,
)
from orchestration.cli.demo import command as demo
from orchestration.cli.doctor import command as doctor
from orchestration.cli.output import CommandFailed, complain
from warehouse.logs import configure_logs

app = typer.Typer(
    name="tracker",
    help="Tracks public TikTok and Instagram posts: scrape, compute, publish, serve.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)

COMMANDS: dict[str, Callable[..., None]] = {
    "init": init.init,
    "run": run.run,
    "import": imports.import_file,
    "backfill": backfill.backfill,
    "rebuild": rebuild.rebuild,
    "rescore": rescore.rescore,
    "publish": publish.publish,
    "backup": backup.backup,
    "restore": backup.restore,
    "doctor": doctor.doctor,
    "audit": audit.audit,
    "serve": serve.serve,
    "up": up.up,
    "simulate": simulate.simulate,
    "demo": demo.demo,
}
for _name, _command in COMMANDS.items():
    app.command(_name)(_command)
app.add_typer(org.app, name="org")
app.add_typer(user.app, name="user")


def main() -> None:
    """Run the command line; exit 0 when done, 1 when it failed, 2 when it was asked wrongly."""
    signal.signal(signal.SIGTERM, _end)
    # stdout is for results: the log of what happens on the way goes to stderr.
    configure_logs(sys.stderr)
    carry_out(sys.argv[1:])


def carry_out(arguments: list[str]) -> NoReturn:
    """Run one command and exit with its code; a failure or a misuse is told in one line."""
    try:
        app(arguments)
    except CommandFailed as failed:
        complain(str(failed), failed.way_out)
        sys.exit(failed.exit_code)
    except ValidationError as invalid:
        complain(*_settings_error(invalid))
        sys.exit(2)
    sys.exit()


def _end(number: int, _frame: FrameType | None) -> None:
    """Leave by way of every `finally`: PostgreSQL stops with its last user, locks are let go."""
    signal.signal(number, signal.SIG_IGN)
    sys.exit(128 + number)


def _settings_error(invalid: ValidationError) -> tuple[str, str]:
    first = invalid.errors()[0]
    name = "TRACKER_" + "_".join(str(part) for part in first["loc"]).upper()
    return f"{name} is not usable: {first['msg']}", "Mend it in the environment or in .env."
