"""The run history of an installation: opening it, and which runs are active.

`tracker run` and `tracker up` record in the same history.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from threading import Event, Thread
from typing import ClassVar

import psycopg
from alembic.config import Config
from alembic.script import ScriptDirectory
from dagster import (
    DagsterInstance,
    DagsterInvalidConfigError,
    DagsterRun,
    DagsterRunStatus,
    DefaultRunLauncher,
    RunsFilter,
)
from dagster._core.instance.types import InstanceType
from dagster._core.launcher.sync_in_memory_run_launcher import SyncInMemoryRunLauncher
from dagster._core.run_coordinator import DefaultRunCoordinator
from dagster._core.storage import sql
from dagster._core.storage.dagster_run import FINISHED_STATUSES
from dagster._core.storage.event_log import SqlEventLogStorage
from dagster._core.storage.event_log import in_memory as events_in_memory
from dagster._core.storage.event_log.schema import AssetCheckExecutionsTable
from dagster._core.storage.noop_compute_log_manager import NoOpComputeLogManager
from dagster._core.storage.root import TemporaryLocalArtifactStorage
from dagster._core.storage.runs import InMemoryRunStorage
from dagster._core.storage.runs import in_memory as runs_in_memory
from dagster_shared.check import CheckError
from sqlalchemy import select

from orchestration.running.event_log import UnreadEventLogStorage
from orchestration.running.instance import dagster_home
from warehouse.ids import uuid7
from warehouse.operational.store import OperationalStore
from warehouse.settings import Settings

BY_COMMAND = "tracker/command"
"""Tag of runs that a command executes in its own process."""
RUN_LOCK = "tracker/held"
"""Tag with the number of the PostgreSQL advisory lock that the command's process holds."""
LOCK_BITS = 63
CHECKED_EVERY_SECONDS, GRACE_SECONDS = 1.0, 5.0
"""How often a process checks its lock, and how long others wait for it to be locked again."""
QUEUED_FETCHES = {"tracker/fetches": "queued"}
"""Tags of scrapes that only fetch queued scrape jobs."""

RETENTION = timedelta(days=30)
"""How long ended runs are kept; INSTANCE_SETTINGS keep ticks as long."""
FORGOTTEN_AT_ONCE = 200
CHECKS_AT_ONCE = 50_000
"""Check results to delete at once: some hundred for each deleted run."""

UNDER_WAY = (
    DagsterRunStatus.QUEUED,
    DagsterRunStatus.NOT_STARTED,
    DagsterRunStatus.STARTING,
    DagsterRunStatus.STARTED,
    DagsterRunStatus.CANCELING,
)

# Dagster 1.13 loads all of its migrations to note the newest one in databases that it never opens
# again: a thirtieth of a small pipeline run.
for in_memory in (events_in_memory, runs_in_memory):
    in_memory.stamp_alembic_rev = lambda *_: None  # type: ignore[attr-defined]


class _Migrations(ScriptDirectory):
    """Dagster's migrations, which it loads again for each database that it opens."""

    _loaded: ClassVar[dict[str | None, ScriptDirectory]] = {}

    @classmethod
    def from_config(cls, config: Config) -> ScriptDirectory:
        location = config.get_main_option("script_location")
        if location not in cls._loaded:
            cls._loaded[location] = super().from_config(config)
        return cls._loaded[location]


sql.ScriptDirectory = _Migrations  # type: ignore[attr-defined]


class InstanceUnusableError(Exception):
    """Dagster rejects its settings; the message has its reason."""


def open_instance(settings: Settings) -> DagsterInstance:
    """Open the installation's run history (use as a context manager).

    Raises InstanceUnusableError.
    """
    with _refusal_in_one_line():
        return DagsterInstance.from_config(str(dagster_home(settings)))


def unrecorded() -> DagsterInstance:
    """Return an instance for unrecorded runs (use as a context manager)."""
    return DagsterInstance(
        instance_type=InstanceType.EPHEMERAL,
        local_artifact_storage=TemporaryLocalArtifactStorage(),  # type: ignore[no-untyped-call]
        run_storage=InMemoryRunStorage(),
        event_storage=UnreadEventLogStorage(),
        run_coordinator=DefaultRunCoordinator(),
        compute_log_manager=NoOpComputeLogManager(),
        run_launcher=SyncInMemoryRunLauncher(),
    )


@contextmanager
def run_lock(store: OperationalStore) -> Iterator[Mapping[str, str]]:
    """Hold a lock that PostgreSQL releases whenever this process ends; yield the run's tag.

    A restart of PostgreSQL releases it too: a thread locks it again.
    """
    number, is_over = uuid7().int % 2**LOCK_BITS, Event()
    connection = _locked(store.dsn, number)
    keeper = Thread(
        target=_stay_connected, args=(connection, store.dsn, number, is_over), daemon=True
    )
    keeper.start()
    try:
        yield {RUN_LOCK: str(number)}
    finally:
        is_over.set()
        keeper.join()


def _stay_connected(connection: psycopg.Connection, dsn: str, number: int, is_over: Event) -> None:
    while not is_over.wait(CHECKED_EVERY_SECONDS):
        with suppress(psycopg.OperationalError):
            if connection.closed:
                connection = _locked(dsn, number)
            connection.execute("select 1")
    connection.close()


def _locked(dsn: str, number: int) -> psycopg.Connection:
    connection = psycopg.connect(dsn, autocommit=True)
    connection.execute("select pg_advisory_lock(%s)", [number])
    return connection


def close_dead_runs(instance: DagsterInstance, store: OperationalStore) -> list[str]:
    """Mark runs of commands as failed if their processes are gone; return their ids.

    A run without a lock is checked again a few seconds later.
    """
    if not _without_process(instance, store):
        return []
    time.sleep(GRACE_SECONDS)
    dead = _without_process(instance, store)
    for run in dead:
        instance.report_run_failed(run, "its process was killed or ran out of memory")
    return [run.run_id for run in dead]


def _without_process(instance: DagsterInstance, store: OperationalStore) -> list[DagsterRun]:
    runs = [run for run in _under_way(instance) if BY_COMMAND in run.tags]
    if not runs:
        return []
    with store.statements() as connection:
        return [run for run in runs if not _is_locked(connection, run)]


def _is_locked(connection: psycopg.Connection, run: DagsterRun) -> bool:
    """Return whether the process of a run is alive. Runs of older versions hold no lock."""
    query = """
        select exists (
            select from pg_locks
            where locktype = 'advisory' and granted and objsubid = 1
                and database = (select oid from pg_database where datname = current_database())
                and classid::bigint << 32 | objid::bigint = %s
        )
    """
    return bool(connection.execute(query, [int(run.tags.get(RUN_LOCK, -1))]).fetchall()[0][0])


def close_abandoned_runs(
    instance: DagsterInstance, statuses: Sequence[DagsterRunStatus] = UNDER_WAY
) -> None:
    """Mark runs as failed whose processes died with an older `tracker up` or code server.

    Call this before launching any run. It skips runs of `tracker run`, which `close_dead_runs`
    handles, and runs of launchers other than Dagster's default. Raises InstanceUnusableError.
    """
    with _refusal_in_one_line():  # Dagster 1.13 reads these settings lazily
        launcher, *_ = instance.run_launcher, instance.run_coordinator, instance.compute_log_manager
    if not isinstance(launcher, DefaultRunLauncher):
        return
    for run in instance.get_runs(RunsFilter(statuses=list(statuses))):
        if BY_COMMAND not in run.tags:
            instance.report_run_failed(run, "its process ended with its parent process")


def forget_old_runs(instance: DagsterInstance, now: datetime) -> list[str]:
    """Delete ended runs created more than RETENTION before `now`: events, logs, files.

    The oldest first, up to FORGOTTEN_AT_ONCE; returns their ids. No numbers depend on them.
    """
    old = RunsFilter(statuses=FINISHED_STATUSES, created_before=now - RETENTION)
    records = instance.get_run_records(old, limit=FORGOTTEN_AT_ONCE, ascending=True)
    forgotten = [record.dagster_run.run_id for record in records]
    for run_id in forgotten:
        instance.compute_log_manager.delete_logs(prefix=[run_id])
        instance.event_log_storage.delete_events(run_id)
        instance.run_storage.delete_run(run_id)  # last, so that a failure is retried
    _forget_old_checks(instance, now - RETENTION)
    return forgotten


def _forget_old_checks(instance: DagsterInstance, before: datetime) -> None:
    """Delete older check results, which Dagster 1.13 keeps when a run's events are deleted.

    Selects the oldest by id, so that it needs no index on runs or times.
    """
    storage = instance.event_log_storage
    if not isinstance(storage, SqlEventLogStorage):
        return
    checks = AssetCheckExecutionsTable.c
    oldest = select(checks.id, checks.create_timestamp).order_by(checks.id).limit(CHECKS_AT_ONCE)
    first = oldest.subquery().c
    is_old = first.create_timestamp < before.astimezone(UTC).replace(tzinfo=None)
    with storage.index_connection() as connection:
        old = checks.id.in_(select(first.id).where(is_old))
        connection.execute(AssetCheckExecutionsTable.delete().where(old))


def _under_way(instance: DagsterInstance) -> Sequence[DagsterRun]:
    return instance.get_runs(RunsFilter(statuses=list(UNDER_WAY)))


@contextmanager
def _refusal_in_one_line() -> Iterator[None]:
    try:
        yield
    except (DagsterInvalidConfigError, CheckError) as refused:
        reason = " ".join(str(refused).split())
        raise InstanceUnusableError(f"Dagster rejects its settings: {reason}") from refused
