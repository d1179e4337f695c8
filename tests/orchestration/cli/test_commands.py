"""The list of commands imports no command, and each command imports only what it needs."""

import inspect
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from orchestration.cli.app import Tracker, app
from orchestration.cli.commands import Commands
from orchestration.cli.output import say

GROUPS = {name: each for name, each in Tracker.modules.items() if not isinstance(each, str)}
HELP = "from orchestration.cli.app import app; app([*{!r}, '--help'], standalone_mode=False)"
EVERY_COMMAND = """
from orchestration.cli.app import Tracker
for name in {*Tracker.modules} - {"demo", "doctor"}:
    command = Tracker().loaded(name)
    for within in getattr(command, "modules", ()):
        command.loaded(within)
"""


def modules_loaded_by(program: str) -> set[str]:
    script = f"{program}\nimport sys; print(*sys.modules, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.slow
@pytest.mark.parametrize("words", [(), *((name,) for name in GROUPS)], ids=" ".join)
def test_help_loads_no_command_and_nothing_heavy(words: tuple[str, ...]) -> None:
    loaded = modules_loaded_by(HELP.format(words))
    assert "orchestration.cli.app" in loaded
    assert not loaded & {"orchestration.cli.opening", "orchestration.cli.run"}
    assert not loaded & {"alembic", "dagster", "duckdb", "httpx", "polars"}
    assert not loaded & {"psycopg", "sqlalchemy", "structlog"}
    assert words or "pydantic" not in loaded  # Typer loads it to read the options before a group


@pytest.mark.slow
def test_a_command_loads_nothing_heavy_until_it_runs() -> None:
    loaded = modules_loaded_by(EVERY_COMMAND)
    assert "orchestration.cli.run" in loaded
    assert not loaded & {"adbc_driver_manager", "alembic", "dagster", "dbt", "fastapi"}
    assert not loaded & {"duckdb", "polars", "pyarrow", "uvicorn"}


@pytest.mark.parametrize(
    ("group", "name"),
    [(group, name) for group in (Tracker, *GROUPS.values()) for name in group.modules],
)
def test_the_list_describes_each_command_as_its_own_help_does(
    group: type[Commands], name: str
) -> None:
    listed, real = group().commands[name], group().loaded(name)
    assert inspect.cleandoc(listed.help or "") == inspect.cleandoc(real.help)
    assert real.help


@pytest.mark.parametrize(
    "words",
    [
        *(name for name in Tracker.modules if name not in GROUPS),
        *(f"{group} {name}" for group, each in GROUPS.items() for name in each.modules),
    ],
)
def test_each_command_has_help_with_an_example(words: str) -> None:
    result = CliRunner().invoke(app, [*words.split(), "--help"], env={"COLUMNS": "200"})
    assert result.exit_code == 0
    assert "Example" in result.stdout
    assert f"tracker {words}" in " ".join(result.stdout.split())


def test_the_last_line_of_a_log_is_printed_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    say("api ended: [/srv/a] is missing [type=missing]")
    assert capsys.readouterr().err == "api ended: [/srv/a] is missing [type=missing]\n"


def test_an_unknown_command_is_reported_with_the_nearest_one() -> None:
    refused = CliRunner().invoke(app, ["bakup"])
    assert refused.exit_code == 2
    assert "No such command 'bakup'" in refused.output
    assert "backup" in refused.output.split("'bakup'")[1]


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("tracker ba", ["backfill", "backup"]),
        ("tracker org cr", ["create"]),
        ("tracker org create --pl", ["--plan"]),
    ],
)
def test_shells_complete_commands_and_their_options(words: str, completed: list[str]) -> None:
    variables = {
        "_TRACKER_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split()) - 1),
    }
    done = CliRunner().invoke(app, prog_name="tracker", env=variables)
    assert done.stdout.split() == completed


def test_a_python_without_the_package_is_named_in_one_line() -> None:
    command = [sys.executable, "-S", "-m", "orchestration.cli", "doctor"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    [line] = ended.stderr.splitlines()
    assert "Use .venv/bin/tracker" in line
