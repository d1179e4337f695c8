"""The shell of `tracker sql`: statements end with a semicolon, and history is saved."""

import readline
from collections.abc import Iterator
from contextlib import suppress

import platformdirs

from orchestration.cli.output import CommandFailed, complain, say
from orchestration.cli.sql.answers import Answers

PROMPT, GOES_ON = "tracker> ", "    ...> "
REMEMBERED = 1000
HELP = ".tables lists tables, .columns TABLE its columns, .quit exits. End SQL with a semicolon."

TABLES = """
    select
        table_name as "table",
        comment as means
    from duckdb_tables()
    where database_name = current_database() and schema_name = 'marts'
    union all
    select
        view_name,
        comment
    from duckdb_views()
    where database_name = current_database() and schema_name = 'marts'
    order by all
"""


class Shell:
    """A shell with history and completion of table names."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        folder = platformdirs.user_state_path("creator-tracker")
        self._history = folder / "sql_history"

    def talk(self) -> None:
        """Read and run statements until `.quit` or the end of input; Ctrl-C cancels a statement."""
        say(f"Data up to {self._answers.as_of()}. {HELP}")
        self._remember()
        for statement in self._read_statements():
            try:
                self._answers.print(statement)
            except CommandFailed as failed:
                complain(str(failed))
            except KeyboardInterrupt:
                say("")
        with suppress(OSError):  # history cannot be saved
            self._history.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            readline.write_history_file(self._history)

    def _read_statements(self) -> Iterator[str]:
        """Yield statements and the SQL of dot commands; Ctrl-C clears the current input."""
        lines: list[str] = []
        while True:
            try:
                line = input(GOES_ON if lines else PROMPT).strip()
            except KeyboardInterrupt:
                lines.clear()
                say("")
                continue
            except EOFError:
                return
            if line == ".quit":
                return
            if line.startswith(".") and not lines:
                yield from _meant(line)
            elif line:
                lines.append(line)
                if line.endswith(";"):
                    yield "\n".join(lines)
                    lines.clear()

    def _remember(self) -> None:
        with suppress(OSError):  # the first time
            readline.read_history_file(self._history)
        readline.set_history_length(REMEMBERED)
        readline.set_completer_delims(" \t\n.,()")
        readline.set_completer(self._completed)
        readline.parse_and_bind("tab: complete")

    def _completed(self, begun: str, number: int) -> str | None:
        fitting = [name for name in self._answers.names() if name.startswith(begun)]
        return fitting[number] if number < len(fitting) else None


def _meant(command: str) -> Iterator[str]:
    """Yield the SQL of a dot command."""
    name, _, rest = command.partition(" ")
    if name == ".tables":
        yield TABLES
    elif name == ".columns" and rest:
        yield f"describe {rest}"
    else:
        say(HELP)
