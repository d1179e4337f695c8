"""What `tracker up` does for Dagster's history; `test_up` covers a real daemon."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Event
from typing import cast

import pytest
from dagster import DagsterInstance, DagsterRunStatus
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from orchestration.running import upkeep as upkeep_module
from orchestration.running.postgresql import HistoryUnusableError, history_errors
from orchestration.running.upkeep import SILENT_SECONDS, Upkeep
from tests.orchestration.running.idle import idle
from warehouse.operational.store import OperationalStore
from warehouse.settings import Settings
from warehouse.shards.lease import Lease, LeaseLostError, held

ALONE = Lease("dagster", None)


class Rounds:
    """Clocks of a machine, and a stop after this many ticks."""

    def __init__(self, rounds: int, at: dict[int, Callable[[], None]]) -> None:
        self.rounds, self.at = rounds, at
        self.seconds, self.wall, self.round = 0.0, 1e9, 0

    def monotonic(self) -> float:
        return self.seconds

    def time(self) -> float:
        return self.wall

    def wait(self, seconds: float) -> bool:
        self.seconds += seconds
        self.wall += seconds
        self.round += 1
        self.at.get(self.round, lambda: None)()
        return self.round > self.rounds

    def set_clock_back(self) -> None:
        self.wall -= 3600


def beat(history: DagsterInstance, timestamp: float = 1000.5, kind: str = "SENSOR") -> None:
    with history.run_storage.connect() as connection:  # type: ignore[attr-defined]
        connection.execute(
            text("delete from daemon_heartbeats where daemon_type = :kind"), {"kind": kind}
        )
        connection.execute(
            text(
                "insert into daemon_heartbeats (daemon_type, daemon_id, timestamp, body) values"
                " (:kind, 'one', localtimestamp, :body)"
            ),
            {"kind": kind, "body": BODY % (kind, timestamp)},
        )


BODY = """
{"__class__": "DaemonHeartbeat", "daemon_id": "one", "daemon_type": "%s", "errors": [],
 "timestamp": %s}
"""


def tick(history: DagsterInstance, status: str) -> None:
    query = (
        "insert into job_ticks (job_origin_id, selector_id, status, timestamp, tick_body) values"
        " ('sensor', 'sensor', :status, clock_timestamp() at time zone 'UTC', '{}')"
    )
    with history.schedule_storage.connect() as connection:  # type: ignore[union-attr]
        connection.execute(text(query), {"status": status})


SILENT_ROUNDS = int(SILENT_SECONDS / upkeep_module.EVERY_SECONDS) + 1


@pytest.fixture
def replaced(
    settings: Settings, history: DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> Callable[[Rounds], list[tuple[int, str, str]]]:
    """Return (tick, reason) for each replaced part."""

    def watch(rounds: Rounds) -> list[tuple[int, str, str]]:
        parts: list[tuple[int, str, str]] = []
        monkeypatch.setattr(upkeep_module, "time", rounds)
        Upkeep(settings, history).watch(
            ALONE,
            lambda part, reason: parts.append((rounds.round, part, reason)),
            cast("Event", rounds),
        )
        return parts

    return watch


SILENT = ("daemon", "it had no heartbeat for 300 s")


@pytest.mark.slow
def test_a_thread_that_hangs_is_not_hidden_by_the_heartbeats_of_another(
    history: DagsterInstance, replaced: Callable[[Rounds], list[tuple[int, str, str]]]
) -> None:
    rounds = Rounds(SILENT_ROUNDS + 5, {})
    rounds.at = {each: partial(beat, history, float(each)) for each in range(2, SILENT_ROUNDS + 6)}
    rounds.at[1] = partial(beat, history, kind="SCHEDULER")
    beat(history, kind="OF_AN_OLDER_VERSION")
    assert [part for _, *part in replaced(rounds)] == [[*SILENT]]


@pytest.mark.slow
def test_a_code_server_that_hangs_is_replaced_though_the_daemon_notes_failed_ticks(
    history: DagsterInstance, replaced: Callable[[Rounds], list[tuple[int, str, str]]]
) -> None:
    def beat_and_tick(number: int) -> None:
        beat(history, float(number))
        tick(history, "SKIPPED" if number == 1 else "FAILURE")

    rounds = Rounds(SILENT_ROUNDS + 5, {})
    rounds.at = {each: partial(beat_and_tick, each) for each in range(1, SILENT_ROUNDS + 6)}
    assert replaced(rounds) == [(SILENT_ROUNDS + 1, "code", "no tick succeeded for 300 s")]
    tick(history, "SUCCESS")
    rounds = Rounds(SILENT_ROUNDS + 2, {1: partial(tick, history, "SUCCESS")})
    assert [part for _, *part in replaced(rounds)] == [[*SILENT]]  # not the code server


@pytest.mark.slow
def test_a_daemon_is_replaced_after_silence_and_where_the_clock_was_set_back(
    history: DagsterInstance, replaced: Callable[[Rounds], list[tuple[int, str, str]]]
) -> None:
    rounds = Rounds(SILENT_ROUNDS + 5, {})
    rounds.at = {5: lambda: beat(history), 8: rounds.set_clock_back}
    assert replaced(rounds) == [(8, "daemon", "the clock was set back")]  # restarts the count
    rounds = Rounds(SILENT_ROUNDS + 5, {})
    assert [part for _, *part in replaced(rounds)] == [[*SILENT]]


@pytest.mark.slow
def test_it_ends_when_another_takes_over_the_history(
    settings: Settings,
    store: OperationalStore,
    history: DagsterInstance,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(upkeep_module, "EVERY_SECONDS", 0.01)
    stop_requested, upkeep = Event(), Upkeep(settings, history)
    with held(store, "dagster", tmp_path / "fence", lambda _: None) as lease:
        with store.engine.begin() as connection:
            connection.execute(text("update leases set fence = fence + 1, holder = 'another'"))
        upkeep.watch(lease, lambda *_: None, stop_requested)
    assert stop_requested.is_set()
    assert isinstance(upkeep.ended_by, LeaseLostError)


@pytest.mark.slow
def test_a_history_that_is_damaged_meanwhile_ends_the_watch_with_its_error(
    settings: Settings, history: DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep_module, "EVERY_SECONDS", 0.01)
    stop_requested, upkeep = Event(), Upkeep(settings, history)
    upkeep.require_readable()
    history.create_run_for_job(idle, status=DagsterRunStatus.STARTED)
    with history.run_storage.connect() as connection:  # type: ignore[attr-defined]
        connection.execute(text("update runs set run_body = 'torn'"))
    upkeep.watch(ALONE, lambda *_: None, stop_requested)
    assert stop_requested.is_set()
    with pytest.raises(HistoryUnusableError, match="history cannot be read"), history_errors():
        upkeep.require_readable()


def test_a_stopped_postgresql_is_not_reported_as_a_damaged_history() -> None:
    ended = OperationalError("select 1", {}, Exception(), connection_invalidated=True)
    with pytest.raises(HistoryUnusableError) as raised, history_errors():
        raise ended
    assert "PostgreSQL ended or restarted" in str(raised.value.way_out)


STATE = {
    "__class__": "InstigatorState",
    "job_specific_data": {"__class__": "SensorInstigatorData", "min_interval": 5, "cursor": "kept"},
    "job_type": {"__enum__": "InstigatorType.SENSOR"},
    "origin": {
        "__class__": "ExternalJobOrigin",
        "external_repository_origin": {
            "__class__": "ExternalRepositoryOrigin",
            "repository_location_origin": {
                "__class__": "GrpcServerRepositoryLocationOrigin",
                "host": "127.0.0.1",
                "location_name": "tracker",
                "port": 1,
                "socket": None,
            },
            "repository_name": "__repository__",
        },
        "job_name": "landed_batches",
    },
    "status": {"__enum__": "InstigatorStatus.DECLARED_IN_CODE"},
}
