"""The run history of an installation: opening it, and what is under way in it.

One history an installation: `tracker run` and `tracker up` record in the same place.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from threading import Event, Thread
from typing import NamedTuple

import psycopg
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
from dagster._core.storage.dagster_run import FINISHED_STATUSES
from dagster._core.storage.event_log import SqlEventLogStorage
from dagster._core.storage.event_log.schema import AssetCheckExecutionsTable
from dagster._core.storage.noop_compute_log_manager import NoOpComputeLogManager
from dagster._core.storage.root import TemporaryLocalArtifactStorage
from dagster._core.storage.runs import InMemoryRunStorage
from dagster_shared.check import CheckError
from sqlalchemy import select

from orchestration.running.event_log import UnreadEventLogStorage
from orchestration.running.instance import dagster_home
from warehouse.ids import uuid7
from warehouse.operational.store import OperationalStore
from warehouse.settings import Settings

BY_COMMAND = "tracker/command"
"""Tag of runs that a command executes in its own process."""
HELD = "tracker/held"
"""Tag with the number of the advisory lock that such a process holds in PostgreSQL."""
LOCK_BITS = 63
CHECKED_EVERY_SECONDS, GRACE_SECONDS = 1.0, 5.0
"""How often a process checks its lock, and for how long others wait for it."""
QUEUED_FETCHES = {"tracker/fetches": "queued"}
"""Tags of scrapes that fetch only what somebody asked for."""

FIRST_WAIT, LONGEST_WAIT = timedelta(seconds=30), timedelta(minutes=15)
"""After one failed run, and after many: each further one doubles the wait."""
_COUNTED = 8
"""The newest runs that are counted; so many failures wait for longest."""

RETENTION = timedelta(days=30)
"""For how long finished runs are kept; INSTANCE_SETTINGS keep ticks as long."""
FORGOTTEN_AT_ONCE = 200
CHECKS_AT_ONCE = 50_000
"""Results of checks, some hundred for each of those runs."""

UNDER_WAY = (
    DagsterRunStatus.QUEUED,
    DagsterRunStatus.NOT_STARTED,
    DagsterRunStatus.STARTING,
    DagsterRunStatus.STARTED,
    DagsterRunStatus.CANCELING,
)


class InstanceUnusableError(Exception):
    """Dagster does not take its settings: what it says of them."""


def open_instance(settings: Settings) -> DagsterInstance:
    """Open the installation's run history (use as a context manager).

    Raises InstanceUnusableError.
    """
    with _refusal_in_one_line():
        return DagsterInstance.from_config(str(dagster_home(settings)))


def unrecorded() -> DagsterInstance:
    """Return an instance for runs of which only the caller learns (use as a context manager)."""
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
def held_run(store: OperationalStore) -> Iterator[Mapping[str, str]]:
    """Hold a lock that PostgreSQL frees when this process ends, however; yield its run's tag.

    PostgreSQL's restart frees it too: a thread takes it again.
    """
    number, is_over = uuid7().int % 2**LOCK_BITS, Event()
    connection = _locked(store.dsn, number)
    keeper = Thread(
        target=_stay_connected, args=(connection, store.dsn, number, is_over), daemon=True
    )
    keeper.start()
    try:
        yield {HELD: str(number)}
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
    """Mark runs of commands as failed whose processes are gone; return the ids of those runs.

    One that is held by nobody is checked again a few seconds later.
    """
    if not _without_process(instance, store):
        return []
    time.sleep(GRACE_SECONDS)
    dead = _without_process(instance, store)
    for run in dead:
        instance.report_run_failed(
            run, "its process ended without a word: killed, or out of memory"
        )
    return [run.run_id for run in dead]


def _without_process(instance: DagsterInstance, store: OperationalStore) -> list[DagsterRun]:
    runs = [run for run in _under_way(instance) if BY_COMMAND in run.tags]
    if not runs:
        return []
    with store.statements() as connection:
        return [run for run in runs if not _is_held(connection, run)]


def _is_held(connection: psycopg.Connection, run: DagsterRun) -> bool:
    """Tell whether the process of a run lives. Runs of earlier versions hold nothing."""
    query = """
        select exists (
            select from pg_locks
            where locktype = 'advisory' and granted and objsubid = 1
                and database = (select oid from pg_database where datname = current_database())
                and classid::bigint << 32 | objid::bigint = %s
        )
    """
    return bool(connection.execute(query, [int(run.tags.get(HELD, -1))]).fetchall()[0][0])


def close_abandoned_runs(
    instance: DagsterInstance, statuses: Sequence[DagsterRunStatus] = UNDER_WAY
) -> None:
    """Mark runs as failed whose processes died with an earlier `tracker up`, or code server.

    Call this before anything is launched. Runs of `tracker run` are left to `close_dead_runs`,
    those of another launcher than Dagster's default one to that launcher. Raises
    InstanceUnusableError.
    """
    with _refusal_in_one_line():  # Dagster reads these settings where it needs them first (1.13)
        launcher, *_ = instance.run_launcher, instance.run_coordinator, instance.compute_log_manager
    if not isinstance(launcher, DefaultRunLauncher):
        return
    for run in instance.get_runs(RunsFilter(statuses=list(statuses))):
        if BY_COMMAND not in run.tags:
            instance.report_run_failed(run, "its process ended with the one that had started it")


def forget_old_runs(instance: DagsterInstance, now: datetime) -> list[str]:
    """Delete runs that ended, of more than KEPT before `now`: events, logs, files.

    The oldest first, so many at once; return their ids. What was counted does not depend on them.
    """
    old = RunsFilter(statuses=FINISHED_STATUSES, created_before=now - RETENTION)
    records = instance.get_run_records(old, limit=FORGOTTEN_AT_ONCE, ascending=True)
    forgotten = [record.dagster_run.run_id for record in records]
    for run_id in forgotten:
        instance.compute_log_manager.delete_logs(prefix=[run_id])
        instance.event_log_storage.delete_events(run_id)
        instance.run_storage.delete_run(run_id)  # last: a run that is known is forgotten again
    _forget_old_checks(instance, now - RETENTION)
    return forgotten


def _forget_old_checks(instance: DagsterInstance, before: datetime) -> None:
    """Delete results of checks from before then, which stay where a run's events go (1.13).

    The oldest by their ids, so that no index on runs or times is needed.
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


def is_running(
    instance: DagsterInstance,
    job_name: str,
    tags: Mapping[str, str] | None = None,
    *,
    besides: Mapping[str, str] | None = None,
) -> bool:
    """Return whether a run of the job (with these tags; besides those with those) is under way."""
    under_way = RunsFilter(job_name=job_name, statuses=list(UNDER_WAY), tags=dict(tags or {}))
    runs = instance.get_runs(under_way)
    return any(besides is None or not besides.items() <= run.tags.items() for run in runs)


def began_lately(instance: DagsterInstance, job_name: str, now: datetime) -> bool:
    """Return whether a run of the job was asked for within the day before `now`."""
    lately = RunsFilter(job_name=job_name, created_after=now - timedelta(days=1))
    return instance.get_runs_count(lately) > 0


class Failing(NamedTuple):
    """The newest run of a job that ended, which failed, and until when the next should wait."""

    run_id: str
    until: datetime


def failing(
    instance: DagsterInstance,
    job_name: str,
    now: datetime,
    tags: Mapping[str, str] | None = None,
) -> Failing | None:
    """Return what the job's last runs (with these tags) say of the next; None after a success.

    Canceled runs failed too: Dagster starts no second one under their key. A run that ended later
    than `now` delays nothing: the clock was set back.
    """
    ended = RunsFilter(job_name=job_name, statuses=FINISHED_STATUSES, tags=dict(tags or {}))
    newest = instance.get_run_records(ended, limit=_COUNTED)
    failed = [*takewhile(lambda record: not record.dagster_run.is_success, newest)]
    if not failed:
        return None
    wait = min(LONGEST_WAIT, FIRST_WAIT * 2 ** (len(failed) - 1))
    ended_at = failed[0].end_time
    since = datetime.fromtimestamp(ended_at, UTC) if ended_at else failed[0].update_timestamp
    return Failing(failed[0].dagster_run.run_id, since + wait if since <= now else now)


@contextmanager
def _refusal_in_one_line() -> Iterator[None]:
    try:
        yield
    except (DagsterInvalidConfigError, CheckError) as refused:
        reason = " ".join(str(refused).split())
        raise InstanceUnusableError(f"Dagster does not take its settings: {reason}") from refused
