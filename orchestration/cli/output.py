"""How commands speak: results on stdout (text or JSON), everything else on stderr.

Holds the error that ends a command in one clear line. Knows no command.
"""

import json
from typing import Any

import typer
from rich.console import Console
from rich.markup import escape

OUT = Console()
ERR = Console(stderr=True)


class CommandFailed(Exception):  # noqa: N818 (reads as what happened to the command)
    """A command cannot go on. `way_out` says what the person can do about it."""

    def __init__(self, message: str, way_out: str | None = None, *, exit_code: int = 1) -> None:
        super().__init__(message)
        self.way_out = way_out
        self.exit_code = exit_code


def complain(message: str, way_out: str | None = None) -> None:
    """Say on stderr, in one line, what went wrong and what to do."""
    hint = f" [dim]{escape(way_out)}[/dim]" if way_out else ""
    ERR.print(f"[bold red]tracker:[/bold red] {escape(message)}{hint}", soft_wrap=True)


def say(line: str) -> None:
    """Tell on stderr what is going on; stdout stays for results."""
    ERR.print(line, soft_wrap=True)


def print_json(value: Any) -> None:
    """Print one JSON document on stdout; ids, dates and paths as strings."""
    typer.echo(json.dumps(value, default=str, indent=2))
