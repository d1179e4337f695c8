"""The list of commands is there at once: it imports none of them, and each imports only its own."""

import inspect
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from orchestration.cli.app import Tracker, app

COMMANDS = Tracker()
HELP = "from orchestration.cli.app import app; app(['--help'], standalone_mode=False)"
EVERY_COMMAND = """
from orchestration.cli.app import Tracker
for name in {*Tracker.modules} - {"demo", "doctor"}:
    Tracker().loaded(name)
"""


def modules_loaded_by(program: str) -> set[str]:
    told = f"{program}\nimport sys; print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    return set(done.stderr.splitlines()[-1].split())


def test_help_loads_no_command_and_nothing_heavy() -> None:
    loaded = modules_loaded_by(HELP)
    assert "orchestration.cli.app" in loaded
    assert not loaded & {"orchestration.cli.opening", "orchestration.cli.run"}
    assert not loaded & {"alembic", "dagster", "duckdb", "httpx", "polars"}
    assert not loaded & {"psycopg", "pydantic", "sqlalchemy", "structlog"}


def test_a_command_loads_nothing_heavy_until_it_runs() -> None:
    loaded = modules_loaded_by(EVERY_COMMAND)
    assert "orchestration.cli.run" in loaded
    assert not loaded & {"adbc_driver_manager", "alembic", "dagster", "dbt", "fastapi"}
    assert not loaded & {"duckdb", "polars", "pyarrow", "uvicorn"}


@pytest.mark.parametrize("name", Tracker.modules)
def test_the_list_says_of_each_command_what_its_own_help_says(name: str) -> None:
    listed, real = COMMANDS.commands[name], COMMANDS.loaded(name)
    assert inspect.cleandoc(listed.help or "") == inspect.cleandoc(real.help)
    assert real.help


def test_a_command_that_is_not_there_is_named_beside_the_nearest() -> None:
    refused = CliRunner().invoke(app, ["bakup"])
    assert refused.exit_code == 2
    assert "No such command 'bakup'" in refused.output
    assert "backup" in refused.output.split("'bakup'")[1]
