"""Runs without a process or a lease are ended, whatever started them; old runs are deleted."""

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from socket import create_server
from threading import Event, Thread
from uuid import UUID, uuid4

import psycopg
import pytest
from dagster import (
    DagsterInstance,
    DagsterRunStatus,
    OpExecutionContext,
    ResourceDefinition,
    job,
    op,
)
from sqlalchemy import text

from orchestration.assembly import store as of_run
from orchestration.resources.warehouse import WarehouseWriter
from orchestration.running import publishing
from orchestration.running.pace import is_running
from orchestration.running.publishing import NotRecordedError, publish_run
from orchestration.running.runs import (
    LOCK_BITS,
    OF_SUCCESS,
    RETENTION,
    close_dead_runs,
    forget_old_runs,
    run_lock,
)
from tests.doses import dose
from tests.factories.marts import create_marts
from tests.fixtures.locks import wait_until_waiting
from tests.orchestration.running.idle import idle
from tests.warehouse.operational.processes import wait_until
from warehouse.clock import system_clock
from warehouse.control import begin_run
from warehouse.operational import session_lock
from warehouse.operational.engines import IDLE
from warehouse.operational.session import WriteSession
from warehouse.operational.session_lock import connected, long_lock
from warehouse.operational.store import OperationalStore
from warehouse.publication.layout import current_folder
from warehouse.settings import Settings
from warehouse.shards.lease import LeaseLostError

HOLDER = """
import sys
from pathlib import Path
from orchestration.running.runs import run_lock
from tests.fixtures.operational import settings_for
from warehouse.operational.store import operational_store

settings = settings_for(Path(sys.argv[1]), sys.argv[2])
with operational_store(settings) as store, run_lock(store, sys.argv[3]):
    print("holds", flush=True)
    sys.stdin.read()
"""


@contextmanager
def process_of(settings: Settings, run_id: str) -> Iterator[subprocess.Popen[str]]:
    """A process that has a run until it is killed."""
    arguments = [str(settings.home), settings.database_url.get_secret_value(), run_id]
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout.readline() == "holds\n"
        yield process
        process.kill()


def started(instance: DagsterInstance) -> str:
    return instance.create_run_for_job(idle, status=DagsterRunStatus.STARTED).run_id


def status_of(instance: DagsterInstance, run_id: str) -> DagsterRunStatus:
    run = instance.get_run_by_id(run_id)
    return run.status


def end_sessions_with_locks(store: OperationalStore) -> None:
    """Release the locks of living processes, as a restart of PostgreSQL does."""
    query = """
        select count(pg_terminate_backend(pid)) from pg_locks
        where locktype = 'advisory' and granted and pid <> pg_backend_pid()
            and database = (select oid from pg_database where datname = current_database())
    """
    with store.statements() as connection:
        assert connection.execute(query).fetchall()[0][0] >= 1


@pytest.mark.slow
def test_a_run_whose_process_is_gone_is_closed_and_others_stay(
    settings: Settings, store: OperationalStore, instance: DagsterInstance
) -> None:
    """Also after a restart of PostgreSQL, which releases all locks."""
    living, killed, broken = (started(instance) for _ in range(3))
    waiting = instance.create_run_for_job(idle).run_id
    with run_lock(store, living), process_of(settings, killed) as process:
        assert close_dead_runs(instance, store) == [broken]
        process.kill()
        process.wait()
        end_sessions_with_locks(store)
        assert close_dead_runs(instance, store) == [killed]
        assert status_of(instance, living) == DagsterRunStatus.STARTED
    assert status_of(instance, killed) == DagsterRunStatus.FAILURE
    assert status_of(instance, waiting) == DagsterRunStatus.NOT_STARTED


@pytest.mark.slow
def test_a_run_ends_while_a_session_that_it_lost_still_holds_its_lock(
    store: OperationalStore,
) -> None:
    """PostgreSQL may notice a broken connection hours later."""
    run_id, has_begun, is_over = str(uuid4()), Event(), Event()

    def run() -> None:
        with run_lock(store, run_id):
            has_begun.set()
            is_over.wait()

    process = Thread(target=run, daemon=True)
    process.start()
    assert has_begun.wait(60)
    lock = f"select pg_advisory_lock({UUID(run_id).int % (1 << LOCK_BITS)})"
    with psycopg.connect(store.dsn, autocommit=True) as lost, ThreadPoolExecutor(1) as pool:
        has_lock = pool.submit(lost.execute, lock.encode())
        wait_until_waiting(store.dsn)
        end_sessions_with_locks(store)
        has_lock.result()
        wait_until_waiting(store.dsn)
        is_over.set()
        process.join(60)
        assert not process.is_alive()


@pytest.mark.slow
def test_a_lock_is_retaken_after_a_restart_of_postgresql(store: OperationalStore) -> None:
    """Otherwise two processes crawl, and pay for, the same comments."""

    query = "select pid from pg_locks where locktype = 'advisory' and objid = 4711 and granted"

    def holders() -> list[int]:
        with store.statements() as connection:
            return [pid for (pid,) in connection.execute(query).fetchall()]

    def is_free() -> bool:
        with long_lock(store, 4711, waits=False) as is_elsewhere:
            return not is_elsewhere.is_set()

    with long_lock(store, 4711, waits=False) as is_elsewhere:
        before = holders()
        end_sessions_with_locks(store)
        wait_until(lambda: holders() not in (before, []))
        assert not is_free()
        assert not is_elsewhere.is_set()
    wait_until(is_free)


@pytest.mark.slow
def test_a_holder_learns_that_another_process_took_its_lock_at_a_restart(
    store: OperationalStore,
) -> None:
    with (
        psycopg.connect(store.dsn, autocommit=True) as other,
        ThreadPoolExecutor(1) as pool,
        long_lock(store, 4712, waits=False) as is_elsewhere,
    ):
        locking = pool.submit(other.execute, "select pg_advisory_lock(4712)")
        wait_until_waiting(store.dsn)
        end_sessions_with_locks(store)
        locking.result()
        wait_until(is_elsewhere.is_set)


@pytest.mark.slow
def test_a_lost_lock_is_requested_again_after_a_lock_timeout(
    store: OperationalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    pids = list[int]()

    def impatient(dsn: str) -> psycopg.Connection:
        connection = connected(dsn)
        connection.execute("set lock_timeout = '10ms'")
        pids.append(connection.info.backend_pid)
        return connection

    def has(condition: str) -> bool:
        with store.statements() as own:
            query = (
                f"select count(*) from pg_stat_activity left join pg_locks using (pid) {condition}"
            )
            return own.execute(query.encode(), {"pid": pids[-1]}).fetchall()[0][0] == 1

    monkeypatch.setattr(session_lock, "connected", impatient)
    with long_lock(store, 4713), psycopg.connect(store.dsn, autocommit=True) as other:
        end_sessions_with_locks(store)
        other.execute("select pg_advisory_lock(4713)")
        gave_up = "where pid = %(pid)s and state = 'idle' and query !~ '^set'"
        wait_until(lambda: len(pids) > 1 and has(gave_up))
        other.execute("select pg_advisory_unlock(4713)")
        wait_until(lambda: has("where pid = %(pid)s and objid = 4713 and granted"))


def test_a_run_does_not_wait_for_a_silent_server() -> None:
    """It locks its run elsewhere in time: PostgreSQL may be back behind a balancer, for example."""
    with ThreadPoolExecutor() as at_once, create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        locking = at_once.submit(connected, f"postgresql://nobody@127.0.0.1:{port}/x")
        ended = wait([locking], timeout=30).done
    assert ended
    assert isinstance(locking.exception(), psycopg.OperationalError)


@pytest.mark.slow
def test_a_run_takes_its_lock_through_the_jobs_common_store(
    settings: Settings, instance: DagsterInstance
) -> None:
    closed: list[str] = []

    @op(required_resource_keys={"store"})
    def look(context: OpExecutionContext) -> None:
        assert status_of(instance, context.run_id) == DagsterRunStatus.STARTED
        closed.extend(close_dead_runs(instance, context.resources.store))

    @job(
        resource_defs={"settings": ResourceDefinition.hardcoded_resource(settings), "store": of_run}
    )
    def looking() -> None:
        look()

    assert looking.execute_in_process(instance=instance).success
    assert closed == []


@pytest.mark.slow
def test_months_of_runs_take_the_room_of_days(history: DagsterInstance) -> None:
    """Three runs every 36 hours; runs older than three days are deleted with all their rows."""
    sizes = []
    for _ in range(dose(5, 24)):
        for _ in range(3):
            assert idle.execute_in_process(instance=history).success
        forget_old_runs(history, system_clock())
        sizes.append(rows(history))
        grow_older(history, hours=36)
    assert history.get_runs_count() == 6
    assert sizes[-1] == sizes[2] > 0


@pytest.mark.slow
def test_a_run_that_failed_is_kept_for_longer(history: DagsterInstance) -> None:
    failed = history.create_run_for_job(idle, status=DagsterRunStatus.STARTED)
    history.report_run_failed(failed)
    done = idle.execute_in_process(instance=history)
    assert forget_old_runs(history, system_clock() + 2 * OF_SUCCESS) == [done.run_id]
    assert forget_old_runs(history, system_clock() + 2 * RETENTION) == [failed.run_id]


def test_a_run_under_way_stays(instance: DagsterInstance) -> None:
    run = instance.create_run_for_job(idle)
    later = system_clock() + 2 * RETENTION
    assert forget_old_runs(instance, later) == []
    assert is_running(instance, idle.name)
    instance.report_run_failed(run)
    assert forget_old_runs(instance, later) == [run.run_id]


def grow_older(history: DagsterInstance, *, hours: int) -> None:
    with history.run_storage.connect() as connection:  # type: ignore[attr-defined]
        connection.execute(
            text("update runs set create_timestamp = create_timestamp - :n"),
            {"n": timedelta(hours=hours)},
        )


def rows(history: DagsterInstance) -> int:
    query = "select (select count(*) from runs) + (select count(*) from event_logs)"
    with history.run_storage.connect() as connection:  # type: ignore[attr-defined]
        number: int = connection.execute(text(query)).scalar_one()
        return number


TAKE = "update leases set fence = fence + 1, holder = 'another' where name = 'shard eu' returning 1"


def test_its_computed_rows_are_not_published(settings: Settings, store: OperationalStore) -> None:
    settings = settings.model_copy(update={"shard": "eu"})
    writer = WarehouseWriter(settings, store, print)
    with writer.connection() as connection:
        create_marts(connection)
        run = begin_run(connection, as_of=settings.clock())
        with store.write_session() as session:
            assert session.execute(text(TAKE)).all()
        with pytest.raises(LeaseLostError, match="another builds shard eu now"):
            publish_run(settings, store, connection, run, writer.hold())
        assert current_folder(settings.publications_path) is None
        assert connection.execute("select count(*) from control.published").fetchall() == [(0,)]
    writer.release()


def test_a_builder_stopped_while_recording_frees_its_lease(
    settings: Settings, store: OperationalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settings.model_copy(update={"shard": "eu"})
    other = replace(store, bounds="set local lock_timeout = '20s'")

    def stop(session: WriteSession, *_: object) -> None:
        session.execute(text(f"set local {IDLE} = '10ms'"))
        with other.write_session() as successor:
            assert successor.execute(text(TAKE)).all()

    monkeypatch.setattr(publishing, "promote", lambda *_: None)
    monkeypatch.setattr(publishing, "replace_deadlines", stop)
    writer = WarehouseWriter(settings, store, print)
    with writer.connection() as connection:
        create_marts(connection)
        run = begin_run(connection, as_of=settings.clock())
        with pytest.raises(NotRecordedError, match="idle-in-transaction"):
            publish_run(settings, store, connection, run, writer.hold())
    writer.release()
