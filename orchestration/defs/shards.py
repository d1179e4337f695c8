"""Jobs, schedules and sensors of a Dagster that computes all shards: one daemon, one UI, one queue.

As in `jobs`, but each computing run is for one shard, named by its partition and a tag. Shards do
not wait for each other. Scrapes work for all shards, so there is no job for a complete run: every
shard computes what lands.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from dagster import (
    AddDynamicPartitionsRequest,
    DagsterInstance,
    DefaultScheduleStatus,
    DeleteDynamicPartitionsRequest,
    PartitionedConfig,
    PartitionsDefinition,
    ResourceParam,
    RunRequest,
    ScheduleEvaluationContext,
    SensorEvaluationContext,
    SensorResult,
    SkipReason,
    define_asset_job,
    schedule,
)
from dagster._core.definitions.unresolved_asset_job_definition import UnresolvedAssetJobDefinition
from sqlalchemy import select

from orchestration.defs import jobs, sensors
from orchestration.defs.publish import sharing
from orchestration.partitions import SHARDS
from orchestration.running.instance import SHARD
from orchestration.running.logs import TO_STDERR
from orchestration.running.pace import failing, is_running, next_rollup_at
from orchestration.running.steps import NOTE_STEP
from warehouse.clock import system_clock
from warehouse.landing.opening import open_landing
from warehouse.operational.models import Shard
from warehouse.operational.store import OperationalStore
from warehouse.operational.unpublished import Waiting, waiting_changes
from warehouse.publication.shared.sending import unshared
from warehouse.raw.sharing import lacked
from warehouse.scrape_jobs.queue import is_first_fetch
from warehouse.settings import MAIN_SHARD, Settings

OF_SHARD: PartitionedConfig[PartitionsDefinition[str]] = PartitionedConfig(
    partitions_def=SHARDS,
    run_config_for_partition_key_fn=lambda _shard: {"loggers": TO_STDERR},
    tags_for_partition_key_fn=lambda shard: {SHARD: shard},
)


def _of_shard(job: UnresolvedAssetJobDefinition) -> UnresolvedAssetJobDefinition:
    return define_asset_job(
        job.name, job.selection, description=job.description, hooks={NOTE_STEP}, config=OF_SHARD
    )


rollup = _of_shard(jobs.rollup)
recompute = _of_shard(jobs.recompute)
share = sharing(OF_SHARD)

JOBS = (jobs.scrape, jobs.comments, rollup, recompute, share)


@schedule(
    job=rollup,
    cron_schedule=jobs.daily_rollup.cron_schedule,
    default_status=DefaultScheduleStatus.RUNNING,
    description=jobs.daily_rollup.description,
)
def daily_rollup(context: ScheduleEvaluationContext) -> list[RunRequest]:
    """Compute and publish the new day of every shard."""
    return [RunRequest(run_key=shard, partition_key=shard) for shard in _known(context.instance)]


SCHEDULES = [jobs.due_fetches, jobs.hourly_comments, daily_rollup]


@sensors.watching(description="Add and remove the partitions of added and removed shards.")
def shards(
    context: SensorEvaluationContext, store: ResourceParam[OperationalStore]
) -> SensorResult | SkipReason:
    """Keep Dagster's partitions equal to PostgreSQL's shards, or `main` if there are none."""
    with store.read_session() as session:
        there = set(session.scalars(select(Shard.name))) or {MAIN_SHARD}
    known = set(_known(context.instance))
    if there == known:
        return SkipReason("all shards are known")
    requests: list[AddDynamicPartitionsRequest | DeleteDynamicPartitionsRequest] = []
    if new := sorted(there - known):
        requests.append(SHARDS.build_add_request(new))
    if gone := sorted(known - there):
        requests.append(SHARDS.build_delete_request(gone))
    return SensorResult(dynamic_partitions_requests=requests)


@sensors.watching(
    job=rollup, description="Register, compute and publish the batches that a shard lacks."
)
def landed_batches(
    context: SensorEvaluationContext,
    settings: ResourceParam[Settings],
    store: ResourceParam[OperationalStore],
) -> list[RunRequest] | SkipReason:
    """Request a rollup of each shard that lacks a batch, unless one is running."""
    landing = open_landing(settings)
    batches = {batch.batch_id for batch in (*landing.incoming(), *landing.registered())}
    if not batches:
        return SkipReason("no batch waits")
    with store.read_session() as session:
        lacking = lacked(session, batches)
        reasons = [
            Reason(shard, sensors.key_of(lacks), is_awaited=is_first_fetch(session, shard))
            for shard, lacks in lacking.items()
        ]
    return _rollups(context.instance, settings, reasons)


@sensors.watching(
    job=rollup, description="Publish members' changes in each shard, and retry failed rollups."
)
def changed_decisions(
    context: SensorEvaluationContext,
    settings: ResourceParam[Settings],
    store: ResourceParam[OperationalStore],
) -> list[RunRequest] | SkipReason:
    """Request a rollup of each shard with unpublished changes.

    A failed rollup may have ingested its batches, so it is retried although nothing else waits.
    """
    with store.read_session() as session:
        waiting = {shard: waiting_changes(session, shard) for shard in _known(context.instance)}
    reasons = [
        Reason(
            shard,
            f"changes {changes.first} to {changes.last}" if changes else "the last rollup",
            changes,
        )
        for shard, changes in waiting.items()
        if changes or failing(context.instance, rollup.name, system_clock(), {SHARD: shard})
    ]
    return _rollups(context.instance, settings, reasons)


@sensors.watching(
    job_name=share.name,
    minimum_interval_seconds=60,
    description="Upload a shard's last publication to the bucket.",
)
def unshared_publication(
    context: SensorEvaluationContext,
    settings: ResourceParam[Settings],
    store: ResourceParam[OperationalStore],
) -> list[RunRequest] | SkipReason:
    """Request another upload until it succeeds, unless a rollup is about to send a newer one."""
    requests = [
        _request(shard)
        for shard in _known(context.instance)
        if unshared(settings.of_shard(shard), store) is not None
        and not _is_at_work(context.instance, shard, rollup.name, share.name)
    ]
    return requests or SkipReason("other machines can serve all publications")


SENSORS = [
    shards,
    landed_batches,
    changed_decisions,
    sensors.queued_scrape_jobs,
    unshared_publication,
    sensors.old_runs,
]


def _known(instance: DagsterInstance) -> list[str]:
    return sorted(instance.get_dynamic_partitions(str(SHARDS.name)))


class Reason(NamedTuple):
    """Why a shard needs a rollup; `changes` are its unpublished changes."""

    shard: str
    key: str
    changes: Waiting | None = None
    is_awaited: bool = False


def _rollups(
    instance: DagsterInstance, settings: Settings, reasons: Iterable[Reason]
) -> list[RunRequest] | SkipReason:
    """Request rollups of known shards that are not running, at their pace."""
    known = _known(instance)
    requests = [
        request
        for reason in reasons
        if reason.shard in known and (request := _rollup(instance, settings, reason))
    ]
    return requests or SkipReason(
        "each waiting shard is running, gathering or waiting after a failure"
    )


def _rollup(instance: DagsterInstance, settings: Settings, reason: Reason) -> RunRequest | None:
    shard, run_key = reason.shard, f"{reason.shard}: {reason.key}"
    if _is_at_work(instance, shard, rollup.name):
        return None
    now, of_shard = system_clock(), {SHARD: shard}
    due_at: datetime | None = None
    if failed := failing(instance, rollup.name, now, of_shard):
        due_at, run_key = failed.until, f"{run_key} after {failed.run_id}"
    elif not reason.is_awaited:
        pace = settings.rollup_seconds
        due_at = next_rollup_at(instance, now, pace, reason.changes, of_shard)
    is_waiting = due_at is not None and due_at > now
    return None if is_waiting else _request(shard, run_key)


def _request(shard: str, run_key: str | None = None) -> RunRequest:
    return RunRequest(run_key=run_key, partition_key=shard)


def _is_at_work(instance: DagsterInstance, shard: str, *names: str) -> bool:
    return any(is_running(instance, name, {SHARD: shard}) for name in names)
