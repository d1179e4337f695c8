"""Output of commands: results on stdout (text or JSON), everything else on stderr.

Also has the error that ends a command in one line.
"""

import json
from typing import Any

import typer
from rich.console import Console
from rich.markup import escape

OUT = Console()
ERR = Console(stderr=True)
DISK_FULL = "A disk is full.", "Free space and run the command again; `tracker doctor` names it."


class CommandFailed(Exception):  # noqa: N818 (reads as what happened to the command)
    """A command failed. `way_out` says what the user can do."""

    def __init__(self, message: str, way_out: str | None = None, *, exit_code: int = 1) -> None:
        super().__init__(message)
        self.way_out = way_out
        self.exit_code = exit_code


def reason_of(error: OSError) -> str:
    """Return a file's error as a sentence without its number."""
    return f"{error.filename}: {error.strerror}." if error.filename else f"{error}."


def complain(message: str, way_out: str | None = None) -> None:
    """Print on stderr, in one line, what went wrong and what to do."""
    hint = f" [dim]{escape(way_out)}[/dim]" if way_out else ""
    ERR.print(f"[bold red]tracker:[/bold red] {escape(message)}{hint}", soft_wrap=True)


def say(line: str) -> None:
    """Print a line on stderr as it is; stdout is for results."""
    ERR.print(line, soft_wrap=True, markup=False)


def print_json(value: Any) -> None:
    """Print one JSON document on stdout; ids, dates and paths are strings."""
    typer.echo(json.dumps(value, default=str, indent=2))
