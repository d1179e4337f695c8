"""Runs in Dagster's history: which are active, which lost their process, which are old."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from uuid import UUID

from dagster import DagsterInstance, DagsterRun, DagsterRunStatus, RunsFilter
from sqlalchemy import text

from warehouse.operational.session_lock import GRACE_SECONDS, long_lock
from warehouse.operational.store import OperationalStore

LOCK_BITS = 63
QUEUED_FETCHES = {"tracker/fetches": "queued"}
"""Tags of scrapes that only fetch queued scrape jobs."""
PLATFORM = "tracker/platform"
"""Tag of a scrape of one platform."""

RETENTION, OF_SUCCESS = timedelta(days=30), timedelta(days=3)
"""How long ended runs are kept, and those that succeeded: at a rollup each ten minutes they take
270 MB a day. INSTANCE_SETTINGS keep ticks of requests for 30 days.
"""
FORGOTTEN_AT_ONCE = 200
CHECKS_AT_ONCE = 50_000
"""Check results to delete at once: some hundred for each deleted run."""

AT_WORK = (DagsterRunStatus.STARTED, DagsterRunStatus.CANCELING)
"""Statuses of runs that have a process."""
UNDER_WAY = (
    DagsterRunStatus.QUEUED,
    DagsterRunStatus.NOT_STARTED,
    DagsterRunStatus.STARTING,
    *AT_WORK,
)
ENDED = (DagsterRunStatus.SUCCESS, DagsterRunStatus.FAILURE, DagsterRunStatus.CANCELED)


@contextmanager
def run_lock(store: OperationalStore, run_id: str) -> Iterator[None]:
    """Hold the run's lock, which PostgreSQL releases whenever this process ends."""
    with long_lock(store, _lock_number(run_id)):
        yield


def _lock_number(run_id: str) -> int:
    return UUID(run_id).int % (1 << LOCK_BITS)


def close_dead_runs(instance: DagsterInstance, store: OperationalStore) -> list[str]:
    """Mark runs as failed whose processes are gone; return their ids.

    A run without a lock is checked again a few seconds later: it may have just started, or
    PostgreSQL. Dagster closes runs that never start (`start_timeout_seconds`).
    """
    dead = []
    if suspects := _without_process(instance, store):
        time.sleep(GRACE_SECONDS)
        still = _without_process(instance, store)
        dead = [run for run_id, run in still.items() if run_id in suspects]
    for run in dead:
        instance.report_run_failed(
            run, "its process was killed, ran out of memory or lost its history"
        )
    return [run.run_id for run in dead]


def _without_process(instance: DagsterInstance, store: OperationalStore) -> dict[str, DagsterRun]:
    runs = instance.get_runs(RunsFilter(statuses=list(AT_WORK)))
    locks = _locks(store) if runs else set()
    return {run.run_id: run for run in runs if _lock_number(run.run_id) not in locks}


def _locks(store: OperationalStore) -> set[int]:
    query = """
        select classid::bigint << 32 | objid::bigint from pg_locks
        where locktype = 'advisory' and granted and objsubid = 1
            and database = (select oid from pg_database where datname = current_database())
    """
    with store.statements() as connection:
        return {number for (number,) in connection.execute(query).fetchall()}


def forget_old_runs(instance: DagsterInstance, now: datetime) -> list[str]:
    """Delete ended runs once RETENTION or OF_SUCCESS is over: events, logs, files.

    The oldest first, up to FORGOTTEN_AT_ONCE of each; returns their ids. No numbers depend on them.
    """
    success = DagsterRunStatus.SUCCESS
    others = [status for status in ENDED if status is not success]
    forgotten = [
        record.dagster_run.run_id
        for statuses, lasts in ((others, RETENTION), ([success], OF_SUCCESS))
        for record in instance.get_run_records(
            RunsFilter(statuses=statuses, created_before=now - lasts),
            limit=FORGOTTEN_AT_ONCE,
            ascending=True,
        )
    ]
    for run_id in forgotten:
        instance.compute_log_manager.delete_logs(prefix=[run_id])
        instance.event_log_storage.delete_events(run_id)
        instance.run_storage.delete_run(run_id)  # last, so that a failure is retried
    _forget_old_checks(instance, now - OF_SUCCESS)
    return forgotten


FORGET_CHECKS = """
    delete from asset_check_executions where id in (
        select id from (
            select id, create_timestamp from asset_check_executions order by id limit :at_once
        ) oldest where create_timestamp < :before
    )
"""
"""Selects the oldest by id, so that it needs no index on runs or times."""


def _forget_old_checks(instance: DagsterInstance, before: datetime) -> None:
    """Delete older check results, which Dagster 1.13 keeps when a run's events are deleted."""
    parameters = {"at_once": CHECKS_AT_ONCE, "before": before.astimezone(UTC).replace(tzinfo=None)}
    with instance.event_log_storage.index_connection() as connection:  # type: ignore[attr-defined]
        connection.execute(text(FORGET_CHECKS), parameters)
