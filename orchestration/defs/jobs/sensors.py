"""What runs because something happened; each sensor looks every five seconds.

Landed batches and whatever people decide ask for a rollup, queued scrape jobs for a scrape. A run
key names what was seen, so that one and the same thing is asked for once, also when its run failed.
"""

from functools import partial

from dagster import (
    DefaultSensorStatus,
    ResourceParam,
    RunRequest,
    SensorEvaluationContext,
    SkipReason,
    sensor,
)

from orchestration.defs.jobs import jobs
from orchestration.partitions import partition_of
from orchestration.running.runs import QUEUED_LOOKS, is_running
from orchestration.scraping.worker import Scope
from warehouse.landing.batches import incoming, registered
from warehouse.operational.store import OperationalStore
from warehouse.operational.unpublished import waiting_changes
from warehouse.scrape_jobs.queue import waiting_jobs
from warehouse.settings import Settings

EVERY_SECONDS = 5
watching = partial(
    sensor,
    minimum_interval_seconds=EVERY_SECONDS,
    default_status=DefaultSensorStatus.RUNNING,
)


@watching(
    job=jobs.rollup,
    description="Landed batches wait: register, compute and publish them.",
)
def landed_batches(
    context: SensorEvaluationContext, settings: ResourceParam[Settings]
) -> RunRequest | SkipReason:
    """Ask for a rollup while any batch is on its way and none is at work."""
    batches = [*incoming(settings.landing_path), *registered(settings.landing_path)]
    if not batches:
        return SkipReason("no batch waits")
    return _rollup(context, settings, f"batch {max(batches).batch_id}")


@watching(
    job=jobs.rollup,
    description="Something was decided that no publication shows: compute and publish with it.",
)
def changed_decisions(
    context: SensorEvaluationContext,
    settings: ResourceParam[Settings],
    store: ResourceParam[OperationalStore],
) -> RunRequest | SkipReason:
    """Ask for a rollup while anything that is copied for the models waits to be published."""
    with store.read_session() as session:
        waiting = waiting_changes(session)
    if waiting is None:
        return SkipReason("nothing was decided that is not published")
    return _rollup(context, settings, f"changes {waiting.first} to {waiting.last}")


@watching(
    job=jobs.scrape,
    description="Somebody asked for a scrape: take the queued jobs.",
)
def queued_scrape_jobs(
    context: SensorEvaluationContext, store: ResourceParam[OperationalStore]
) -> RunRequest | SkipReason:
    """Ask for a sweep of the queue while jobs wait and no such sweep is at work."""
    with store.read_session() as session:
        waiting = waiting_jobs(session)
    if not waiting:
        return SkipReason("no job waits")
    if is_running(context.instance, jobs.scrape.name, QUEUED_LOOKS):
        return SkipReason("queued jobs are being worked on")
    return RunRequest(tags=QUEUED_LOOKS, run_config=jobs.scraping(Scope.NOTHING))


def _rollup(
    context: SensorEvaluationContext, settings: Settings, run_key: str
) -> RunRequest | SkipReason:
    """Ask for a rollup, unless one is at work."""
    if is_running(context.instance, jobs.rollup.name):
        return SkipReason("a rollup is at work")
    return RunRequest(run_key=run_key, partition_key=partition_of(settings.clock()))


SENSORS = [landed_batches, changed_decisions, queued_scrape_jobs]
