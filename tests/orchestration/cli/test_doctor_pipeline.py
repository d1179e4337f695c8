"""What `tracker doctor` and `/metrics` report about `tracker up` and Dagster's daemon."""

from datetime import UTC, datetime, timedelta

import pytest
from dagster import DagsterInstance, DagsterRunStatus
from sqlalchemy import text

from orchestration.cli.doctor.checks.machine import check_backup
from orchestration.cli.doctor.checks.pipeline import (
    check_pipeline,
    check_starting_runs,
    check_steps,
)
from orchestration.cli.doctor.finding import Installation
from orchestration.cli.up import _the_only_one
from orchestration.cli.up import _the_only_one_of_its_history as running
from tests.orchestration.running.idle import idle
from warehouse import step_metrics
from warehouse.operational.pipeline_signs import pipeline_signs
from warehouse.operational.store import OperationalStore
from warehouse.settings import Settings
from warehouse.step_metrics import BACKUP, forget_failure, note_failure, note_success

SIGNS = """
    delete from daemon_heartbeats; delete from job_ticks; delete from instigators;
    insert into daemon_heartbeats (daemon_type, daemon_id, timestamp)
    values ('SENSOR', 'one', localtimestamp - interval '{heartbeat}');
    insert into instigators (selector_id, instigator_body)
    values ('a', '{{"origin": {{"job_name": "landed_batches"}}}}');
    insert into job_ticks (job_origin_id, selector_id, timestamp, status) values
        ('a', 'a', localtimestamp - interval '{tick}', 'SKIPPED'),
        ('a', 'a', localtimestamp - interval '{failed_tick}', 'FAILURE');
"""


def leave(
    history: DagsterInstance, *, heartbeat: str, tick: str, failed_tick: str = "1 hour"
) -> None:
    signs = SIGNS.format(heartbeat=heartbeat, tick=tick, failed_tick=failed_tick)
    with history.run_storage.connect() as connection:  # type: ignore[attr-defined]
        connection.execute(text(signs))


def findings(settings: Settings) -> list[tuple[str, str]]:
    installation = Installation(settings, "127.0.0.1", 8000)
    return [(each.level, each.message) for each in check_pipeline(installation)]


@pytest.mark.slow
def test_a_daemon_without_heartbeat_or_ticks_is_named_after_two_minutes(
    settings: Settings, store: OperationalStore, history: DagsterInstance
) -> None:
    assert findings(settings) == []
    leave(history, heartbeat="1 minute", tick="1 minute")
    with running(settings, store):
        assert [level for level, _ in findings(settings)] == ["ok"]
        for silent, name in (
            ("heartbeat", "heartbeat"),
            ("tick", "successful tick of a sensor or schedule"),
        ):
            leave(history, **{"heartbeat": "1 second", "tick": "1 second", silent: "3 minutes"})
            [(level, message)] = findings(settings)
            assert level == "bad"
            assert message.startswith(f"Dagster's daemon has had no {name} since ")
        leave(history, heartbeat="1 second", tick="1 minute", failed_tick="1 second")
        assert findings(settings) == [("warn", "the last tick failed of: landed_batches")]
        leave(history, heartbeat="1 second", tick="3 minutes", failed_tick="1 second")
        assert [level for level, _ in findings(settings)] == ["bad"]  # as without ticks
        with store.read_session() as session:
            signs = pipeline_signs(session)
        assert signs
        assert signs.ticks.keys() == {"landed_batches"}
    assert findings(settings) == [("bad", "`tracker up` does not run")]
    for days in (30, 0):  # it was killed while the clock was ahead
        with store.write_session() as session:
            ends = f"now() + interval '{days} days'"
            session.execute(text(f"update leases set expires_at = {ends}"))
        assert findings(settings) == [("bad", "`tracker up` does not run")]
    note_success(settings.metrics_path, "publish", 1, [])  # by `tracker run`
    assert findings(settings) == [("warn", "`tracker up` does not run")]


@pytest.mark.slow
def test_a_run_that_does_not_start_is_named(
    settings: Settings, store: OperationalStore, history: DagsterInstance
) -> None:
    """Its process may have been killed; a run that was never launched has no process yet."""
    assert store
    history.create_run_for_job(idle)
    run = history.create_run_for_job(idle, status=DagsterRunStatus.STARTING)
    with history.run_storage.connect() as connection:  # type: ignore[attr-defined]
        connection.execute(text("update runs set update_timestamp = '2026-05-20 12:00:00'"))
    [finding] = check_starting_runs(Installation(settings, "127.0.0.1", 8000))
    assert finding.level == "warn"
    assert finding.message == f"run {run.run_id} has not started since 2026-05-20 12:00:00 UTC"


def test_without_the_embedded_postgresql_it_counts_as_stopped(
    settings: Settings,
) -> None:
    embedded = settings.model_copy(update={"database_url": None})
    assert findings(embedded) == []  # nothing has run yet
    embedded.home_path.mkdir(exist_ok=True)
    with _the_only_one(embedded):
        pass
    assert findings(embedded) == [("warn", "`tracker up` does not run")]


def test_a_step_is_named_from_its_failure_to_its_next_success(settings: Settings) -> None:
    note_failure(settings.metrics_path, "compute")
    note_success(settings.metrics_path, "publish", 1, [])
    [failed] = check_steps(Installation(settings, "127.0.0.1", 8000))
    assert failed.level == "warn"
    assert failed.message.startswith("'compute' has not succeeded since it failed at ")
    note_success(settings.metrics_path, "compute", 1, [])
    assert not [*check_steps(Installation(settings, "127.0.0.1", 8000))]
    note_failure(settings.metrics_path, "compute", "interrupted")
    [stopped] = check_steps(Installation(settings, "127.0.0.1", 8000))
    assert stopped.message.startswith("'compute' was interrupted at ")
    forget_failure(settings.metrics_path, "compute")  # it has nothing to do any more
    assert not [*check_steps(Installation(settings, "127.0.0.1", 8000))]


def test_a_record_at_a_future_time_hides_nothing(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    installation = Installation(settings, "127.0.0.1", 8000)
    ahead = datetime.now(UTC) + timedelta(days=30)
    with monkeypatch.context() as patch:
        patch.setattr(step_metrics, "system_clock", lambda: ahead)
        for step in ("compute", BACKUP):
            note_success(settings.metrics_path, step, 1, [])
    assert [finding.level for finding in check_backup(installation)] == ["warn"]
    note_failure(settings.metrics_path, "compute")
    assert [finding.level for finding in check_steps(installation)] == ["warn"]


def test_a_failure_at_a_future_time_ends_with_the_next_success(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    installation = Installation(settings, "127.0.0.1", 8000)
    ahead = datetime.now(UTC) + timedelta(minutes=20)
    with monkeypatch.context() as patch:
        patch.setattr(step_metrics, "system_clock", lambda: ahead)
        note_failure(settings.metrics_path, "compute")
    assert [*check_steps(installation)] == []
    note_success(settings.metrics_path, "compute", 1, [])
    names = {family.name for family in step_metrics.noted(settings.metrics_path)}
    assert "tracker_step_failed_timestamp_seconds" not in names, "TrackerStepFailed would fire"
