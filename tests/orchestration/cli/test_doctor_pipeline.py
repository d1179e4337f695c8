"""What `tracker doctor` and `/metrics` say of `tracker up` and Dagster's daemon."""

import pytest
from dagster import DagsterInstance
from sqlalchemy import text

from orchestration.cli.doctor.checks.pipeline import check_pipeline, check_steps
from orchestration.cli.doctor.finding import Installation
from orchestration.cli.up import _the_only_one_of_its_history as running
from warehouse.operational.pipeline_signs import pipeline_signs
from warehouse.operational.store import OperationalStore
from warehouse.settings import Settings
from warehouse.step_metrics import note_failure, note_success

SIGNS = """
    delete from daemon_heartbeats; delete from job_ticks; delete from instigators;
    insert into daemon_heartbeats (daemon_type, daemon_id, timestamp)
    values ('SENSOR', 'one', localtimestamp - interval '{heartbeat}');
    insert into instigators (selector_id, instigator_body)
    values ('a', '{{"origin": {{"job_name": "landed_batches"}}}}');
    insert into job_ticks (job_origin_id, selector_id, timestamp)
    values ('a', 'a', localtimestamp - interval '{tick}');
"""


def leave(history: DagsterInstance, *, heartbeat: str, tick: str) -> None:
    with history.run_storage.connect() as connection:  # type: ignore[attr-defined]
        connection.execute(text(SIGNS.format(heartbeat=heartbeat, tick=tick)))


def found(settings: Settings) -> list[tuple[str, str]]:
    findings = check_pipeline(Installation(settings, "127.0.0.1", 8000))
    return [(finding.level, finding.message) for finding in findings]


@pytest.mark.slow
def test_a_daemon_without_heartbeat_or_ticks_is_named_after_two_minutes(
    settings: Settings, store: OperationalStore, history: DagsterInstance
) -> None:
    assert found(settings) == []
    leave(history, heartbeat="1 minute", tick="1 minute")
    with running(settings, store):
        assert [level for level, _ in found(settings)] == ["ok"]
        for silent, name in (("heartbeat", "heartbeat"), ("tick", "tick of a sensor or schedule")):
            leave(history, **{"heartbeat": "1 second", "tick": "1 second", silent: "3 minutes"})
            [(level, message)] = found(settings)
            assert level == "bad"
            assert message.startswith(f"Dagster's daemon has had no {name} since ")
        with store.read_session() as session:
            signs = pipeline_signs(session)
        assert signs
        assert signs.ticks.keys() == {"landed_batches"}
    assert found(settings) == [("warn", "`tracker up` does not run")]


def test_a_step_is_named_from_its_failure_to_its_next_success(settings: Settings) -> None:
    note_failure(settings.metrics_path, "compute")
    note_success(settings.metrics_path, "publish", 1, [])
    [failed] = check_steps(Installation(settings, "127.0.0.1", 8000))
    assert failed.level == "warn"
    assert failed.message.startswith("'compute' has not succeeded since it failed at ")
    note_success(settings.metrics_path, "compute", 1, [])
    assert not [*check_steps(Installation(settings, "127.0.0.1", 8000))]
