"""Dagster's history in our care: the same files as Dagster's own, opened far less often."""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from dagster import DagsterInstance
from dagster._core.storage.event_log import SqliteEventLogStorage
from sqlalchemy import Engine, event

from orchestration.running.event_log import MOST_OPEN, KeptOpenEventLogStorage
from orchestration.running.instance import dagster_home
from orchestration.running.runs import open_instance
from tests.fixtures.operational import settings_for
from tests.orchestration.running.idle import idle
from warehouse.settings import Settings


@pytest.fixture
def home(tmp_path: Path) -> Settings:
    return settings_for(tmp_path)


@pytest.fixture
def instance(home: Settings) -> Iterator[DagsterInstance]:
    with open_instance(home) as opened:
        yield opened


@pytest.fixture
def opened() -> Iterator[list[str]]:
    """The databases of events that are opened meanwhile, as often as they are."""
    seen: list[str] = []

    def note(connection: sqlite3.Connection, _record: object) -> None:
        _, _, path = connection.execute("pragma database_list").fetchone()
        if Path(path).parent.name == "runs":
            seen.append(path)

    event.listen(Engine, "connect", note)
    yield seen
    event.remove(Engine, "connect", note)


def recorded(instance: DagsterInstance) -> str:
    """Record a run; return its id."""
    return idle.execute_in_process(instance=instance).run_id


def said(storage: SqliteEventLogStorage, run_id: str) -> list[str]:
    return [entry.user_message or entry.message for entry in storage.get_logs_for_run(run_id)]


def folder_of_events(home: Settings) -> Path:
    return dagster_home(home).resolve() / "history" / "runs"


def databases_open(home: Settings) -> set[Path]:
    paths = {Path(file.path) for file in psutil.Process().open_files()}
    return {
        path for path in paths if path.parent == folder_of_events(home) and path.suffix == ".db"
    }


@pytest.mark.slow
def test_an_event_opens_nothing_that_is_open(instance: DagsterInstance, opened: list[str]) -> None:
    run_id = recorded(instance)
    before = len(opened)
    run = instance.get_run_by_id(run_id)
    for number in range(30):
        instance.report_engine_event(f"event {number}", run)
    assert said(instance.event_log_storage, run_id)[-1] == "event 29"
    assert (before > 0, len(opened)) == (True, before)


@pytest.mark.slow
def test_dagster_reads_what_it_wrote_and_it_what_dagster_wrote(home: Settings) -> None:
    with open_instance(home) as instance:
        assert isinstance(instance.event_log_storage, KeptOpenEventLogStorage)
        ours = recorded(instance)
        entries = said(instance.event_log_storage, ours)
    plain = SqliteEventLogStorage(str(folder_of_events(home)))
    assert said(plain, ours) == entries != []
    plain.store_event(plain.get_logs_for_run(ours)[0]._replace(user_message="Dagster wrote this"))
    with open_instance(home) as instance:
        assert said(instance.event_log_storage, ours) == [*entries, "Dagster wrote this"]


def test_processes_of_2_0_0_find_the_class_that_the_settings_name(home: Settings) -> None:
    """And ours find what a daemon of theirs, which is restarted last, hands to its runs."""
    settings = json.loads((dagster_home(home) / "dagster.yaml").read_text("utf-8"))
    named = {name: settings["event_log_storage"][name] for name in ("module", "class")}
    of_2_0_0 = {"module": "orchestration.running.event_log", "class": "KeptOpenEventLogStorage"}
    assert named == of_2_0_0


@pytest.mark.slow
def test_a_process_that_looks_at_many_runs_keeps_few_of_them_open(
    home: Settings, instance: DagsterInstance
) -> None:
    runs = [recorded(instance) for _ in range(MOST_OPEN + 4)]
    assert all(said(instance.event_log_storage, run) for run in runs)
    assert 1 < len(databases_open(home)) <= MOST_OPEN
    instance.event_log_storage.dispose()
    assert databases_open(home) == set()
