"""Sensors: what requests runs.

Landed batches, members' changes and a new day request a rollup of the shards that lack them,
queued scrape jobs a scrape for all shards. Shards do not wait for each other. The run key
identifies what was seen, so that each is requested once. After a failed run it is requested again,
at growing intervals. A publication that other machines lack is uploaded until they have it.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple
from uuid import UUID

from dagster import (
    AddDynamicPartitionsRequest,
    DagsterInstance,
    DefaultSensorStatus,
    DeleteDynamicPartitionsRequest,
    ResourceParam,
    RunRequest,
    SensorEvaluationContext,
    SensorResult,
    SkipReason,
    sensor,
)
from sqlalchemy import select

from orchestration.defs.jobs import INGESTING, rollup, scrape, scraping
from orchestration.defs.publish import share
from orchestration.partitions import SHARDS, shards_in
from orchestration.running.instance import SHARD
from orchestration.running.pace import failing, is_running, may_start, newest_runs, next_rollup_at
from orchestration.running.runs import PLATFORM, QUEUED_FETCHES, forget_old_runs
from orchestration.running.steps import title_of
from orchestration.scraping.worker import Scope
from warehouse.clock import system_clock
from warehouse.ids import computed_id
from warehouse.landing.opening import open_landing
from warehouse.models_version import models_version
from warehouse.operational.models import Shard
from warehouse.operational.store import OperationalStore
from warehouse.operational.unpublished import Waiting, waiting_changes
from warehouse.platforms import PLATFORMS
from warehouse.publication.shared.sending import unshared
from warehouse.raw.sharing import lacked
from warehouse.scrape_jobs.open_jobs import is_first_fetch, waiting_jobs
from warehouse.settings import MAIN_SHARD, Settings
from warehouse.step_metrics import forget_failure

EVERY_SECONDS = 5
DAY_BEGINS = timedelta(minutes=5)
"""When each day is computed, after midnight in UTC."""

watching = partial(
    sensor, minimum_interval_seconds=EVERY_SECONDS, default_status=DefaultSensorStatus.RUNNING
)


@watching(description="Add and remove the partitions of added and removed shards.")
def shards(
    context: SensorEvaluationContext, store: ResourceParam[OperationalStore]
) -> SensorResult | SkipReason:
    """Keep Dagster's partitions equal to PostgreSQL's shards, or `main` if there are none."""
    with store.read_session() as session:
        names = set(session.scalars(select(Shard.name))) or {MAIN_SHARD}
    partitions = set(shards_in(context.instance))
    if names == partitions:
        return SkipReason("all shards have a partition")
    requests: list[AddDynamicPartitionsRequest | DeleteDynamicPartitionsRequest] = []
    if added := sorted(names - partitions):
        requests.append(SHARDS.build_add_request(added))
    if removed := sorted(partitions - names):
        requests.append(SHARDS.build_delete_request(removed))
    return SensorResult(dynamic_partitions_requests=requests)


@watching(job=rollup, description="Register, compute and publish the batches that a shard lacks.")
def landed_batches(
    context: SensorEvaluationContext,
    settings: ResourceParam[Settings],
    store: ResourceParam[OperationalStore],
) -> list[RunRequest] | SkipReason:
    """Request a rollup of each shard that lacks a batch, unless one is running.

    The first numbers of an organization do not wait for the pace.
    """
    landing = open_landing(settings)
    listed = (*landing.incoming(), *landing.registered())
    batches = {batch.batch_id: batch.moved_at for batch in listed}
    if not batches:
        return SkipReason("no batch waits")
    with store.read_session() as session:
        reasons = [
            Reason(shard, key_of(lacks, batches), is_awaited=is_first_fetch(session, shard))
            for shard, lacks in lacked(session, batches.keys()).items()
        ]
    return _rollups(context.instance, settings, reasons)


def key_of(batches: Mapping[UUID, int | None], moved_at: Mapping[UUID, float | None]) -> str:
    """Return the run key of waiting batches.

    It covers all of them: the newest may come from a clock that was ahead, and wait for days. After
    an upgrade it is another one: a batch of a newer version may have waited for that. Times tell a
    batch that was set aside and came back. Then a run gives it a number, and the next ingests it.
    """
    moved = [(batch_id, number, moved_at[batch_id]) for batch_id, number in sorted(batches.items())]
    return f"batches {computed_id(models_version(), *moved)}"


@watching(
    job=rollup,
    description="Publish members' changes and compute each day; retry failed rollups.",
)
def changed_decisions(
    context: SensorEvaluationContext,
    settings: ResourceParam[Settings],
    store: ResourceParam[OperationalStore],
) -> list[RunRequest] | SkipReason:
    """Request a rollup of each shard with unpublished changes, a failed rollup, or none today.

    A failed rollup or `tracker run` may have ingested its batches, so a rollup follows although
    nothing else waits.
    Tracking windows depend on the day. A schedule would start a second rollup after a stop.
    """
    instance = context.instance
    with store.read_session() as session:
        waiting = {shard: waiting_changes(session, shard) for shard in shards_in(instance)}
    reasons = [
        Reason(shard, key, changes)
        for shard, changes in waiting.items()
        if (key := _key_of_shard(instance, shard, changes))
    ]
    return _rollups(instance, settings, reasons)


def _key_of_shard(instance: DagsterInstance, shard: str, changes: Waiting | None) -> str | None:
    if changes:
        return f"changes {changes.first} to {changes.last}"
    now, of_shard = system_clock(), {SHARD: shard}
    if failing(instance, INGESTING, of_shard, now):
        return "the last rollup"
    newest = newest_runs(instance, rollup.name, of_shard)
    day = (now - DAY_BEGINS).date()  # a rollup of a later one is of a clock that was ahead
    is_new = newest and (newest[0].create_timestamp - DAY_BEGINS).date() != day
    return f"day {day}" if is_new else None


@watching(job=scrape, description="Fetch queued scrape jobs.")
def queued_scrape_jobs(
    context: SensorEvaluationContext,
    settings: ResourceParam[Settings],
    store: ResourceParam[OperationalStore],
) -> list[RunRequest] | SkipReason:
    """Request a crawl of each platform's queue while jobs wait, unless it pauses or one runs."""
    instance, now, egress = context.instance, system_clock(), settings.scrape_egress
    with store.read_session() as session:
        waiting = [platform for platform in PLATFORMS if waiting_jobs(session, platform, egress)]
    requests: list[RunRequest] = []
    for platform in waiting:
        tags = {**QUEUED_FETCHES, PLATFORM: platform}
        if may_start(instance, scrape.name, tags, now):
            requests.append(scraping(platform, Scope.NOTHING, tags))
    return requests or SkipReason("no job waits, or its scrape pauses, failed or is running")


@watching(
    job_name=share.name,  # given the job, Dagster warns that its ops lack resources
    minimum_interval_seconds=60,
    description="Upload a shard's last publication to the bucket, so that other machines serve it.",
)
def unshared_publication(
    context: SensorEvaluationContext,
    settings: ResourceParam[Settings],
    store: ResourceParam[OperationalStore],
) -> list[RunRequest] | SkipReason:
    """Request another upload until it succeeds, unless a rollup is about to send a newer one."""
    instance, now = context.instance, system_clock()
    waiting = [each for each in shards_in(instance) if unshared(settings.of_shard(each), store)]
    if not waiting:
        forget_failure(settings.metrics_path, title_of("sharing"))
    requests = [
        RunRequest(partition_key=shard)
        for shard in waiting
        if not is_running(instance, rollup.name, {SHARD: shard})
        and may_start(instance, share.name, {SHARD: shard}, now)
    ]
    return requests or SkipReason("no publication waits, or its upload failed or is running")


@watching(
    minimum_interval_seconds=600,
    description="Delete runs that succeeded after 3 days, others after 30, with events and logs.",
)
def old_runs(context: SensorEvaluationContext) -> SkipReason:
    forgotten = forget_old_runs(context.instance, system_clock())
    return SkipReason(f"deleted: {len(forgotten):,} runs" if forgotten else "no run is that old")


SENSORS = [
    *(shards, landed_batches, changed_decisions),
    *(queued_scrape_jobs, unshared_publication, old_runs),
]


class Reason(NamedTuple):
    """Why a shard needs a rollup; `changes` are its unpublished changes."""

    shard: str
    key: str
    changes: Waiting | None = None
    is_awaited: bool = False


def _rollups(
    instance: DagsterInstance, settings: Settings, reasons: Iterable[Reason]
) -> list[RunRequest] | SkipReason:
    """Request rollups of the shards that have a partition, each at its pace."""
    partitions = shards_in(instance)
    outcomes = [
        (reason.shard, _rollup(instance, settings, reason))
        for reason in reasons
        if reason.shard in partitions
    ]
    requests = [request for _, request in outcomes if isinstance(request, RunRequest)]
    waits = (f"{shard}: {wait}" for shard, wait in outcomes if isinstance(wait, str))
    return requests or SkipReason("; ".join(waits) or "nothing waits")


def _rollup(instance: DagsterInstance, settings: Settings, reason: Reason) -> RunRequest | str:
    """Return the request, or why it waits: a rollup runs, began recently or failed."""
    of_shard, run_key = {SHARD: reason.shard}, f"{reason.shard}: {reason.key}"
    if is_running(instance, rollup.name, of_shard):
        return "a rollup is running"
    now, due_at = system_clock(), None
    if failed := failing(instance, INGESTING, of_shard, now):
        if failed.until > now:
            return f"run {failed.run_id} failed: retrying at {_time(failed.until)}"
        run_key = f"{run_key} after {failed.run_id}"
    elif not reason.is_awaited:
        newest = newest_runs(instance, rollup.name, of_shard)
        due_at = next_rollup_at(newest, now, settings.rollup_seconds, reason.changes)
    if due_at is not None and due_at > now:
        return f"gathering until {_time(due_at)}"
    return RunRequest(run_key=run_key, partition_key=reason.shard)


def _time(instant: datetime) -> str:
    return f"{instant:%H:%M:%S} UTC"
