"""Sensors: what requests runs.

Landed batches and members' changes request a rollup, queued scrape jobs a scrape. The run key
identifies what was seen, so that each is requested once. After a failed run it is requested again,
at growing intervals. A publication that other machines lack is uploaded until they have it.
"""

from collections.abc import Collection, Mapping
from functools import partial
from uuid import UUID

from dagster import (
    DefaultSensorStatus,
    ResourceParam,
    RunRequest,
    SensorEvaluationContext,
    SkipReason,
    sensor,
)

from orchestration.defs.jobs import rollup, scrape, scraping, share
from orchestration.partitions import partition_of
from orchestration.running.pace import failing, is_running, next_rollup_at
from orchestration.running.runs import QUEUED_FETCHES, forget_old_runs
from orchestration.scraping.worker import Scope
from warehouse.clock import system_clock
from warehouse.ids import computed_id
from warehouse.landing.opening import open_landing
from warehouse.models_version import models_version
from warehouse.operational.store import OperationalStore
from warehouse.operational.unpublished import Waiting, waiting_changes
from warehouse.publication.shared.sending import unshared
from warehouse.scrape_jobs.queue import is_first_fetch, waiting_jobs
from warehouse.settings import Settings

EVERY_SECONDS = 5

watching = partial(
    sensor, minimum_interval_seconds=EVERY_SECONDS, default_status=DefaultSensorStatus.RUNNING
)


@watching(job=rollup, description="Register, compute and publish landed batches.")
def landed_batches(
    context: SensorEvaluationContext,
    settings: ResourceParam[Settings],
    store: ResourceParam[OperationalStore],
) -> RunRequest | SkipReason:
    """Request a rollup while any batch waits and no rollup runs.

    The first numbers of an organization do not wait for the pace.
    """
    landing = open_landing(settings)
    batches = {batch.batch_id for batch in (*landing.incoming(), *landing.registered())}
    if not batches:
        return SkipReason("no batch waits")
    with store.read_session() as session:
        is_awaited = is_first_fetch(session, settings.shard)
    return _rollup(context, settings, key_of(batches), is_awaited=is_awaited)


def key_of(batches: Collection[UUID]) -> str:
    """Return the run key of waiting batches.

    It covers all of them: the newest may come from a clock that was ahead, and wait for days. After
    an upgrade it is another one: a batch of a newer version may have waited for that.
    """
    return f"batches {computed_id(models_version(), *sorted(batches))}"


@watching(job=rollup, description="Publish members' changes, and retry a failed rollup.")
def changed_decisions(
    context: SensorEvaluationContext,
    settings: ResourceParam[Settings],
    store: ResourceParam[OperationalStore],
) -> RunRequest | SkipReason:
    """Request a rollup while changes copied for the models wait to be published.

    A failed rollup may have ingested its batches, so it is retried although nothing else waits.
    """
    with store.read_session() as session:
        waiting = waiting_changes(session, settings.shard)
    if waiting is not None:
        run_key = f"changes {waiting.first} to {waiting.last}"
        return _rollup(context, settings, run_key, waiting)
    if failing(context.instance, rollup.name, system_clock()):
        return _rollup(context, settings, "the last rollup")
    return SkipReason("all changes are published")


@watching(job=scrape, description="Fetch queued scrape jobs.")
def queued_scrape_jobs(
    context: SensorEvaluationContext, store: ResourceParam[OperationalStore]
) -> RunRequest | SkipReason:
    """Request a crawl of the queue while jobs wait and no such crawl runs."""
    with store.read_session() as session:
        waiting = waiting_jobs(session)
    if not waiting:
        return SkipReason("no job waits")
    if is_running(context.instance, scrape.name, QUEUED_FETCHES):
        return SkipReason("queued jobs are being worked on")
    if wait := _wait(context, scrape.name, QUEUED_FETCHES):
        return wait
    return RunRequest(tags=QUEUED_FETCHES, run_config=scraping(Scope.NOTHING))


@watching(
    job_name=share.name,  # given the job, Dagster warns that its ops lack resources
    minimum_interval_seconds=60,
    description="Upload the last publication to the bucket, so that other machines serve it.",
)
def unshared_publication(
    context: SensorEvaluationContext,
    settings: ResourceParam[Settings],
    store: ResourceParam[OperationalStore],
) -> RunRequest | SkipReason:
    """Request another upload until it succeeds, unless a rollup is about to send a newer one."""
    if unshared(settings, store) is None:
        return SkipReason("other machines can serve the last publication")
    if any(is_running(context.instance, each.name) for each in (rollup, share)):
        return SkipReason("a publication is being built or uploaded")
    return _wait(context, share.name) or RunRequest()


@watching(
    minimum_interval_seconds=600,
    description="Delete ended runs after 30 days, with their events and logs.",
)
def old_runs(context: SensorEvaluationContext) -> SkipReason:
    forgotten = forget_old_runs(context.instance, system_clock())
    return SkipReason(f"deleted: {len(forgotten):,} runs" if forgotten else "no run is that old")


def _rollup(
    context: SensorEvaluationContext,
    settings: Settings,
    run_key: str,
    changes: Waiting | None = None,
    *,
    is_awaited: bool = False,
) -> RunRequest | SkipReason:
    """Request a rollup, unless one runs, began recently, or waits after a failure."""
    if is_running(context.instance, rollup.name):
        return SkipReason("a rollup is running")
    now = system_clock()
    if failed := failing(context.instance, rollup.name, now):
        run_key = f"{run_key} after {failed.run_id}"
    elif not is_awaited:
        due_at = next_rollup_at(context.instance, now, settings.rollup_seconds, changes)
        if due_at is not None and due_at > now:
            return SkipReason(f"gathering until {due_at:%H:%M:%S} UTC")
    return _wait(context, rollup.name) or RunRequest(
        run_key=run_key, partition_key=partition_of(settings.clock())
    )


def _wait(
    context: SensorEvaluationContext, job_name: str, tags: Mapping[str, str] | None = None
) -> SkipReason | None:
    """Return why the job waits after failed runs, or None."""
    now = system_clock()
    failed = failing(context.instance, job_name, now, tags)
    if failed is None or failed.until <= now:
        return None
    return SkipReason(f"run {failed.run_id} failed: retrying at {failed.until:%H:%M:%S} UTC")


SENSORS = [
    landed_batches,
    changed_decisions,
    queued_scrape_jobs,
    unshared_publication,
    old_runs,
]
