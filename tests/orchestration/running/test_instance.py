"""Dagster's settings, with an operator's overrides, and its history in PostgreSQL."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import LiteralString, cast

import psycopg
import pytest
from dagster import (
    AssetCheckResult,
    DagsterInstance,
    DagsterRunStatus,
    Definitions,
    RunsFilter,
    asset,
    asset_check,
)
from dagster._core.run_coordinator import QueuedRunCoordinator
from dagster._serdes import serialize_value
from sqlalchemy import text

from orchestration.running.postgresql import open_instance
from orchestration.running.runs import OF_SUCCESS, forget_old_runs
from tests.fixtures.operational import settings_for
from tests.orchestration.commands import environment, tracker_here
from tests.orchestration.running.idle import idle
from warehouse.operational.engines import IDLE, LONGEST_IDLE
from warehouse.operational.store import OperationalStore
from warehouse.settings import Settings

LOGS = "compute_logs: {module: dagster.core.storage.local_compute_log_manager, "
LOGS += "class: LocalComputeLogManager"
TABLES = "select schemaname from pg_tables where tablename in ('runs', 'event_logs', 'job_ticks')"
OWN = """
run_launcher: {module: dagster, class: DefaultRunLauncher}
run_coordinator: {config: {max_concurrent_runs: 40}}
retention: {schedule: {purge_after_days: 7}}
"""


@pytest.mark.slow
def test_a_history_in_postgresql_has_its_runs_when_opened_elsewhere(
    settings: Settings, store: OperationalStore, tmp_path: Path
) -> None:
    with open_instance(settings) as instance:
        run_id = idle.execute_in_process(instance=instance, tags={"of": "test"}).run_id
        messages = [entry.message for entry in instance.all_logs(run_id)]
        assert "://" not in serialize_value(instance.get_ref())
    another_machine = settings.model_copy(update={"home": tmp_path / "another"})
    with open_instance(another_machine) as instance:
        with instance.run_storage.connect() as history:  # type: ignore[attr-defined]
            assert history.scalar(text(f"show {IDLE}")) == LONGEST_IDLE
        [run] = instance.get_runs(RunsFilter(tags={"of": "test"}))
        assert run.run_id == run_id
        assert [entry.message for entry in instance.all_logs(run_id)] == messages != []
    with psycopg.connect(store.dsn) as connection:
        assert set(connection.execute(TABLES).fetchall()) == {("dagster",)}
    assert not list(tmp_path.rglob("*.db"))


def test_nodes_that_first_start_at_once_share_a_history(
    settings: Settings, store: OperationalStore, caplog: pytest.LogCaptureFixture
) -> None:
    """Dagster retries two of three errors of such a start, with a warning, and not the third."""

    def opened(_node: int) -> int:
        with open_instance(settings) as instance:
            return instance.get_runs_count()

    with ThreadPoolExecutor(8) as nodes:
        assert list(nodes.map(opened, range(8))) == [0] * 8
    assert not caplog.records


def test_sensors_tick_one_after_the_other(settings: Settings, store: OperationalStore) -> None:
    """At a start, two sensors at once would both request a rollup: for batches and for changes."""
    with open_instance(settings) as instance:
        assert instance.get_sensor_settings()["num_workers"] == 1


def test_a_run_lost_at_its_start_is_closed_soon(
    settings: Settings, store: OperationalStore
) -> None:
    with open_instance(settings) as instance:
        timeout = instance.run_monitoring_start_timeout_seconds
        assert timeout + instance.run_monitoring_poll_interval_seconds <= 150


@pytest.mark.slow
def test_a_runs_start_is_utc_in_any_server_zone(tmp_path: Path, database_url: str) -> None:
    """The pace of rollups depends on it: with PostgreSQL in Tokyo's zone, each would wait 9 h."""
    in_tokyo = f"{database_url}&options=-ctimezone%3DAsia/Tokyo"
    before = datetime.now(UTC)
    with open_instance(settings_for(tmp_path, in_tokyo)) as instance:
        run_id = idle.execute_in_process(instance=instance).run_id
        [record] = instance.get_run_records(RunsFilter(run_ids=[run_id]))
    assert before <= record.create_timestamp <= datetime.now(UTC)


@pytest.mark.slow
def test_results_of_checks_are_deleted_with_their_runs(history: DagsterInstance) -> None:
    @asset
    def rows() -> None: ...

    @asset_check(asset=rows)
    def hold() -> AssetCheckResult:
        return AssetCheckResult(passed=True)

    job = Definitions(assets=[rows], asset_checks=[hold]).resolve_implicit_global_asset_job_def()
    now = datetime.now(UTC)
    assert job.execute_in_process(instance=history).success
    forget_old_runs(history, now + OF_SUCCESS - timedelta(minutes=1))
    assert (history.get_runs_count(), results_of_checks(history)) == (1, 1)
    forget_old_runs(history, now + OF_SUCCESS + timedelta(minutes=10))
    assert (history.get_runs_count(), results_of_checks(history)) == (0, 0)


def results_of_checks(instance: DagsterInstance) -> int:
    with instance.event_log_storage.index_connection() as connection:  # type: ignore[attr-defined]
        results: int = connection.execute(
            text("select count(*) from asset_check_executions")
        ).scalar_one()
        return results


def opened_with(tmp_path: Path, settings: Settings, values: str) -> DagsterInstance:
    own = tmp_path / "own.yaml"
    own.write_text(values)
    return open_instance(settings.model_copy(update={"dagster_settings": own}))


@pytest.mark.slow
def test_an_operators_values_replace_ours_and_the_rest_stays(
    tmp_path: Path, settings: Settings
) -> None:
    with opened_with(tmp_path, settings, OWN) as instance:
        assert isinstance(instance.run_coordinator, QueuedRunCoordinator)
        assert instance.run_coordinator.get_run_queue_config().max_concurrent_runs == 40
        assert instance.run_coordinator.dequeue_interval_seconds == 1
        assert not instance.telemetry_enabled
        assert instance.get_settings("retention")["schedule"] == {"purge_after_days": 7}
        assert instance.get_settings("retention")["sensor"]


@pytest.mark.slow
def test_settings_of_another_class_are_used_whole(tmp_path: Path, settings: Settings) -> None:
    """Our settings mean nothing to another class."""
    own = "run_coordinator: {module: dagster._core.run_coordinator, class: DefaultRunCoordinator}"
    with opened_with(tmp_path, settings, own) as instance:
        assert not isinstance(instance.run_coordinator, QueuedRunCoordinator)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "own.yaml cannot be read (No such file or directory)"),
        ("a: [", "own.yaml is not valid YAML"),
        ("- run_launcher", "must have sections of a dagster.yaml"),
        ("run_luncher: {}", 'Received unexpected config entry "run_luncher" at the root'),
        ("run_launcher: {module: dagster_k9s, class: Launcher}", "import module dagster_k9s"),
        ("run_coordinator: {config: {max_runs: 16}}", 'unexpected config entry "max_runs"'),
        (f"{LOGS}, config: {{folder: /tmp}}}}", 'unexpected config entry "folder"'),
    ],
    ids=[
        *("missing", "no YAML", "no sections", "unknown section", "not installed"),
        *("misspelt for the queue", "misspelt for logs"),
    ],
)
def test_a_file_that_dagster_cannot_use_is_refused_before_anything_starts(
    tmp_path: Path, database_url: str, text: str | None, message: str
) -> None:
    own = tmp_path / "own.yaml"
    if text is not None:
        own.write_text(text)
    ended = tracker_here(
        "up", env=environment(tmp_path, database_url, TRACKER_DAGSTER_SETTINGS=str(own))
    )
    assert ended.returncode == 2
    assert message in ended.stderr
    assert "TRACKER_DAGSTER_SETTINGS" in ended.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "damage",
    [
        "alter table dagster.runs drop column run_body",
        "update dagster.runs set run_body = 'torn'",
    ],
)
def test_a_damaged_history_is_one_line_and_set_aside_by_its_way_out(
    tmp_path: Path, database_url: str, damage: LiteralString
) -> None:
    settings, env = settings_for(tmp_path, database_url), environment(tmp_path, database_url)
    with open_instance(settings) as instance:
        instance.create_run_for_job(idle, status=DagsterRunStatus.STARTED)
    with psycopg.connect(database_url) as connection:
        connection.execute(damage)
    ended = tracker_here("up", "--no-api", env=env)
    assert ended.returncode == 2
    [line] = ended.stderr.splitlines()
    assert line.startswith("tracker: Dagster's history cannot be read: ")
    way_out = cast("LiteralString", line.split("`")[1])
    with psycopg.connect(database_url) as connection:
        connection.execute("create schema dagster_damaged")  # left by an earlier attempt
        connection.execute(way_out)
        damaged = cast("LiteralString", way_out.split()[-1])
        connection.execute(f"drop schema dagster_damaged, {damaged} cascade")
    with open_instance(settings) as instance:
        assert instance.get_runs_count() == 0


@pytest.mark.slow
def test_a_history_in_files_is_reported_by_an_upgrade(tmp_path: Path, database_url: str) -> None:
    unused = tmp_path / "dagster" / "history"
    unused.mkdir(parents=True)
    env = environment(tmp_path, database_url, TRACKER_DAGSTER_STORAGE="files")
    ended = tracker_here("init", env=env)
    assert ended.returncode == 0
    assert f"Dagster's history is in PostgreSQL now: {unused} is unused, remove it." in ended.stderr
    assert "ignored: TRACKER_DAGSTER_STORAGE. It is always in PostgreSQL." in ended.stderr
