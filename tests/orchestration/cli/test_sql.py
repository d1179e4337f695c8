"""`tracker sql` queries the current publication and prints a table, CSV or JSON."""

import csv
import json
import os
import pty
import signal
import subprocess
import threading
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from uuid import UUID

import duckdb
import psutil
import pytest
from click.testing import Result
from typer.testing import CliRunner

from orchestration.building.rendering import RENDERED, read_project
from orchestration.cli.app import app
from orchestration.cli.output import CommandFailed
from tests.dbt_project.harness import Harness
from tests.factories.marts import create_marts
from tests.orchestration.commands import COMMAND, PATIENCE_SECONDS, environment
from tests.warehouse.operational.processes import wait_until
from warehouse.publication.publish import publish
from warehouse.settings import Settings
from warehouse.warehouse_lock import warehouse_lock

EIGHT = datetime(2026, 7, 20, 8, tzinfo=UTC)
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
        publish(Settings(home=home), connection, as_of=EIGHT)
    return environment(home)


def run_sql(env: dict[str, str], *arguments: str, typed: str | None = None) -> Result:
    return CliRunner().invoke(app, ["sql", *arguments], env=env, input=typed)


def test_an_answer_is_a_table(env: dict[str, str]) -> None:
    table = run_sql(env, NAMES).stdout
    assert "Beta, Inc." in table
    assert "analytics_tz" in table


def test_the_signal_thread_ends_with_the_answer(env: dict[str, str]) -> None:
    before = {*threading.enumerate()}
    run_sql(env, NAMES)
    assert signal.set_wakeup_fd(-1) == -1
    assert {*threading.enumerate()} <= before  # threads of other tests may end


def test_an_answer_is_csv_or_json_for_programs(env: dict[str, str]) -> None:
    rows = 'name,analytics_tz\nAcme,UTC\n"Beta, Inc.",Asia/Tokyo\n'
    assert run_sql(env, "--csv", NAMES).stdout == rows
    assert json.loads(run_sql(env, "--json", NAMES).stdout)[0] == {
        "name": "Acme",
        "analytics_tz": "UTC",
    }


def test_json_has_null_where_there_is_no_number(env: dict[str, str]) -> None:
    query = "select 1 / 0 as cpm, ['nan'::double, 0.5] as rates, {'least': '-inf'::double} as rule"
    [row] = json.loads(run_sql(env, "--json", query).stdout, parse_constant=pytest.fail)
    assert row == {"cpm": None, "rates": [None, 0.5], "rule": {"least": None}}


def test_json_has_instants_as_rest_writes_them(env: dict[str, str]) -> None:
    query = (
        "select '2026-07-01 02:30:00.5+02'::timestamptz as ts, [ts] as every, ts::timestamp as t"
    )
    [row] = json.loads(run_sql(env, "--json", query).stdout)
    at = "2026-07-01T00:30:00.500000"
    assert row == {"ts": f"{at}Z", "every": [f"{at}Z"], "t": at}


def test_json_loses_no_column_of_the_same_name(env: dict[str, str]) -> None:
    query = "from organizations as a join organizations as b using (organization_id)"
    refused = run_sql(env, "--json", query)
    assert isinstance(refused.exception, CommandFailed)
    assert "analytics_tz, name" in str(refused.exception)
    assert "as" in str(refused.exception.way_out)


def test_cells_of_csv_are_those_of_exports(env: dict[str, str]) -> None:
    query = """
        select '=1+1' as caption, true as counts, as_of, -0.50::decimal(4, 2) as usd, null as none
        from publication
    """
    [_, row] = run_sql(env, "--csv", query).stdout.splitlines()
    assert row == "'=1+1,true,2026-07-20T08:00:00Z,-0.50,"


def test_statements_may_come_from_a_file(env: dict[str, str]) -> None:
    script = """
        set variable least = 'B';
        select name from organizations where name > getvariable('least');
    """
    process = run_sql(env, "--csv", typed=script)
    assert process.stdout == 'name\n"Beta, Inc."\n'


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("from campains", "Table with name campains does not exist"),
        ("delete from organizations", "read-only"),
        ("selec 1", "syntax error"),
    ],
)
def test_unanswerable_queries_are_refused_with_the_reason(
    env: dict[str, str], query: str, why: str
) -> None:
    refused = run_sql(env, query)
    assert isinstance(refused.exception, CommandFailed)
    assert why in str(refused.exception)


def test_without_a_publication_the_way_to_one_is_named(tmp_path: Path) -> None:
    refused = run_sql(environment(tmp_path), "select 1")
    assert isinstance(refused.exception, CommandFailed)
    assert "tracker run" in str(refused.exception)


@pytest.fixture
def begun_env(tmp_path: Path) -> dict[str, str]:
    """The environment of an installation whose run began at eight, with a reading at nine."""
    built = Harness(tmp_path)
    readings = [
        {"account_id": UUID(int=1), "captured_at": EIGHT + timedelta(hours=hours)}
        for hours in (-1, 1)
    ]
    built.ingest(account_snapshots=readings)
    built.begin(as_of=EIGHT)
    return environment(tmp_path, TRACKER_WAREHOUSE_URL=f"duckdb:///{built.path}")


def test_a_rendered_model_runs_on_the_warehouse(begun_env: dict[str, str]) -> None:
    read_project()
    model = RENDERED / "full/staging/stg_account_snapshots.sql"
    answer = run_sql(begun_env, "--csv", "--file", str(model)).stdout
    assert [row["captured_at"] for row in csv.DictReader(StringIO(answer))] == [
        "2026-07-20T07:00:00Z"
    ]


def test_a_file_query_fails_at_once_beside_a_writer(begun_env: dict[str, str]) -> None:
    with warehouse_lock(Settings(warehouse_url=begun_env["TRACKER_WAREHOUSE_URL"])):
        refused = run_sql(begun_env, "--file", __file__)
    assert isinstance(refused.exception, CommandFailed)
    assert f"process {os.getpid()}" in str(refused.exception)


def test_a_file_cannot_change_the_warehouse(begun_env: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "change.sql").write_text("delete from raw.account_snapshots")
    refused = run_sql(begun_env, "--file", str(tmp_path / "change.sql"))
    assert isinstance(refused.exception, CommandFailed)
    assert "read-only" in str(refused.exception)


def test_a_file_is_run_without_another_query(begun_env: dict[str, str]) -> None:
    refused = run_sql(begun_env, "select 1", "--file", __file__)
    assert isinstance(refused.exception, CommandFailed)
    assert "cannot be combined" in str(refused.exception)


def test_a_file_needs_a_warehouse(tmp_path: Path) -> None:
    refused = run_sql(environment(tmp_path), "--file", __file__)
    assert isinstance(refused.exception, CommandFailed)
    assert "tracker run" in str(refused.exception.way_out)


@pytest.mark.slow
def test_without_a_query_on_a_terminal_a_shell_is_suggested(env: dict[str, str]) -> None:
    ours, theirs = pty.openpty()
    ended = subprocess.run(
        [*COMMAND, "sql"], env=env, stdin=theirs, capture_output=True, text=True, check=False
    )
    os.close(theirs)
    os.close(ours)
    assert ended.returncode == 2
    assert "duckdb -readonly" in ended.stderr


@pytest.mark.slow
def test_ctrl_c_ends_a_long_query(env: dict[str, str]) -> None:
    numbers = "range(10_000_000)"
    endless = f"select count(*) from {numbers} as a, {numbers} as b where a.range * b.range = 7"
    with subprocess.Popen(
        [*COMMAND, "sql", f"select 'be' || 'gun'; {endless}"], env=env, stdout=subprocess.PIPE
    ) as command:
        while b"begun" not in command.stdout.readline():
            assert command.poll() is None
        process = psutil.Process(command.pid)
        before = process.cpu_times().user
        wait_until(lambda: process.cpu_times().user > before + 0.5)  # DuckDB runs the second query
        command.send_signal(signal.SIGINT)
        assert command.wait(PATIENCE_SECONDS) == 130
