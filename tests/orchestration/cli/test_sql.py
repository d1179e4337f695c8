"""`tracker sql` answers from the current publication, as a table, CSV, JSON or a shell."""

import json
import os
import pty
import signal
import subprocess
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest
from click.testing import Result
from typer.testing import CliRunner

from orchestration.cli.app import app
from orchestration.cli.output import CommandFailed
from orchestration.cli.sql.shell import PROMPT
from tests.factories.marts import create_marts
from tests.orchestration.commands import COMMAND, PATIENCE_SECONDS, environment
from warehouse.publication.publish import publish
from warehouse.settings import Settings

MADE = """
    insert into marts.organizations (organization_id, name, analytics_tz)
    values (gen_random_uuid(), 'Acme', 'UTC'), (gen_random_uuid(), 'Beta, Inc.', 'Asia/Tokyo')
"""
NAMES = "select name, analytics_tz from organizations order by name"


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of an installation that published two organizations."""
    home = tmp_path_factory.mktemp("published")
    with duckdb.connect(home / "made.duckdb") as connection:
        create_marts(connection)
        connection.execute(MADE)
        publish(Settings(home=home), connection, as_of=datetime(2026, 7, 20, 8, tzinfo=UTC))
    return environment(home, XDG_STATE_HOME=str(home / "state"))


def asked(env: dict[str, str], *arguments: str, typed: str | None = None) -> Result:
    return CliRunner().invoke(app, ["sql", *arguments], env=env, input=typed)


def test_an_answer_is_a_table(env: dict[str, str]) -> None:
    table = asked(env, NAMES).stdout
    assert "Beta, Inc." in table
    assert "analytics_tz" in table


def test_an_answer_is_csv_or_json_for_programs(env: dict[str, str]) -> None:
    rows = 'name,analytics_tz\nAcme,UTC\n"Beta, Inc.",Asia/Tokyo\n'
    assert asked(env, "--csv", NAMES).stdout == rows
    assert json.loads(asked(env, "--json", NAMES).stdout)[0] == {
        "name": "Acme",
        "analytics_tz": "UTC",
    }


def test_json_has_null_where_there_is_no_number(env: dict[str, str]) -> None:
    query = "select 1 / 0 as cpm, ['nan'::double, 0.5] as rates, {'least': '-inf'::double} as rule"
    [row] = json.loads(asked(env, "--json", query).stdout, parse_constant=pytest.fail)
    assert row == {"cpm": None, "rates": [None, 0.5], "rule": {"least": None}}


def test_json_loses_no_column_of_the_same_name(env: dict[str, str]) -> None:
    query = "from organizations as a join organizations as b using (organization_id)"
    refused = asked(env, "--json", query)
    assert isinstance(refused.exception, CommandFailed)
    assert "analytics_tz, name" in str(refused.exception)
    assert "as" in str(refused.exception.way_out)


def test_cells_of_csv_are_those_of_exports(env: dict[str, str]) -> None:
    query = """
        select '=1+1' as caption, true as counts, as_of, -0.50::decimal(4, 2) as usd, null as none
        from publication
    """
    [_, row] = asked(env, "--csv", query).stdout.splitlines()
    assert row == "'=1+1,true,2026-07-20T08:00:00Z,-0.50,"


def test_statements_may_come_from_a_file(env: dict[str, str]) -> None:
    script = """
        set variable least = 'B';
        select name from organizations where name > getvariable('least');
    """
    process = asked(env, "--csv", typed=script)
    assert process.stdout == 'name\n"Beta, Inc."\n'


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("from campains", "Table with name campains does not exist"),
        ("delete from organizations", "read-only"),
        ("selec 1", "syntax error"),
    ],
)
def test_what_cannot_be_answered_is_told(env: dict[str, str], query: str, why: str) -> None:
    refused = asked(env, query)
    assert isinstance(refused.exception, CommandFailed)
    assert why in str(refused.exception)


def test_without_a_publication_the_way_to_one_is_named(tmp_path: Path) -> None:
    refused = asked(environment(tmp_path), "select 1")
    assert isinstance(refused.exception, CommandFailed)
    assert "tracker run" in str(refused.exception)


def typed_into_a_shell(env: dict[str, str], *lines: str) -> str:
    """What a terminal shows at which somebody types these lines."""
    ours, theirs = pty.openpty()
    ends = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
    with subprocess.Popen([*COMMAND, "sql"], env={**env, "TERM": "dumb"}, **ends) as shell:
        os.close(theirs)
        os.write(ours, "".join(f"{line}\n" for line in lines).encode())
        output = b""
        with suppress(OSError):  # the other end is closed
            while more := os.read(ours, 10_000):
                output += more
        assert shell.wait(PATIENCE_SECONDS) == 0
    os.close(ours)
    return output.decode()


@pytest.mark.slow
def test_the_shell_answers_statement_by_statement_and_remembers_them(env: dict[str, str]) -> None:
    query = ("select name as shown", "from organizations where name = 'Acme';")
    commands = (".tables", ".columns organizations", ".unheard", ".quit")
    output = typed_into_a_shell(env, *query, "from nowhere;", *commands)
    assert "Data up to 2026-07-20 08:00 UTC" in output
    assert "│ Acme    │" in output
    assert "nowhere does not exist" in output
    assert "goal_compliance" in output
    assert "analytics_tz" in output
    assert output.count(".columns TABLE its columns") == 2
    history = Path(env["XDG_STATE_HOME"], "creator-tracker", "sql_history").read_text("utf-8")
    assert query[0] in history


@pytest.mark.slow
def test_an_interrupted_statement_leaves_the_shell_open(env: dict[str, str]) -> None:
    numbers = "range(10_000_000)"
    endless = f"select count(*) from {numbers} as a, {numbers} as b where a.range * b.range = 7;"
    ours, theirs = pty.openpty()
    ends = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
    with subprocess.Popen([*COMMAND, "sql"], env={**env, "TERM": "dumb"}, **ends) as shell:
        os.close(theirs)
        os.write(ours, f"select 'be' || 'gun'; {endless}\n".encode())
        read_until(ours, b"begun")
        shell.send_signal(signal.SIGINT)
        read_until(ours, PROMPT.encode())
        os.write(ours, b"select 'go' || 'es on';\n.quit\n")
        read_until(ours, b"goes on")
        assert shell.wait(PATIENCE_SECONDS) == 0
    os.close(ours)


def read_until(terminal: int, text: bytes) -> None:
    output = b""
    while text not in output:
        output += os.read(terminal, 10_000)
