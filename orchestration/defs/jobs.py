"""Jobs (each in one process), and their schedules; `sensors` requests them as needed."""

from collections.abc import Mapping
from datetime import timedelta
from functools import partial

from dagster import (
    AssetKey,
    AssetSelection,
    DagsterInstance,
    DefaultScheduleStatus,
    ResourceParam,
    RunConfig,
    RunRequest,
    ScheduleEvaluationContext,
    SkipReason,
    define_asset_job,
    schedule,
)

from orchestration.defs.publish import share
from orchestration.defs.scrape import COMMENTS, LANDED, CrawlConfig, due_comments
from orchestration.partitions import OF_SHARD
from orchestration.running.logs import TO_STDERR
from orchestration.running.pace import is_running, newest_runs
from orchestration.running.runs import PLATFORM, QUEUED_FETCHES
from orchestration.running.steps import NOTE_STEP, title_of
from orchestration.scraping.worker import Scope
from warehouse.clock import system_clock
from warehouse.fetch_schedule.ahead import is_ahead
from warehouse.fetch_schedule.changes import is_behind
from warehouse.fetch_schedule.claims import BETWEEN_WORKERS, is_any_due
from warehouse.operational.store import OperationalStore
from warehouse.platforms import PLATFORMS
from warehouse.scrape_jobs.open_jobs import waiting_jobs
from warehouse.settings import Settings
from warehouse.step_metrics import forget_failure

job = partial(define_asset_job, hooks={NOTE_STEP})
scraping_job = partial(job, config=RunConfig(loggers=TO_STDERR))
shard_job = partial(job, config=OF_SHARD)

_LANDED = AssetSelection.assets(*LANDED)
_COMMENTS = AssetSelection.assets(COMMENTS)
_COMPUTED = AssetSelection.assets(["control", "run"]).required_multi_asset_neighbors().downstream()

pipeline = shard_job(
    "pipeline",
    AssetSelection.all(),
    description="One complete pipeline run: scrape, register, copy, ingest, compute, publish. "
    "It scrapes for all shards.",
)
pipeline_without_comments = shard_job(
    "pipeline_without_comments",
    AssetSelection.all() - _COMMENTS,
    description="A complete run without comments, which need the most requests.",
)
scrape = scraping_job(
    "scrape",
    _LANDED,
    description="Fetch the platforms and land the readings; a sensor starts the rollup.",
)
comments = scraping_job(
    "comments", _COMMENTS, description="Crawl due comments; a sensor starts the rollup."
)
rollup = shard_job(
    "rollup",
    AssetSelection.all() - _LANDED - _COMMENTS,
    description="Everything after the landing zone, up to a new publication.",
)
recompute = shard_job(
    "recompute",
    _COMPUTED,
    description="Only compute and publish; with the tag tracker/days it is a backfill.",
)

INGESTING = (pipeline.name, pipeline_without_comments.name, rollup.name)
"""Jobs that ingest batches, and publish them. A failed one may have done the first alone."""
JOBS = (pipeline, pipeline_without_comments, scrape, comments, rollup, recompute, share)


def scraping(
    platform: str, scope: Scope, tags: Mapping[str, str], run_key: str | None = None
) -> RunRequest:
    """Return the request of a `scrape` of one platform: in one run, each would wait for others."""
    key = AssetKey(["landing", platform])
    ops = {key.to_python_identifier(): CrawlConfig(scope=scope)}
    config = RunConfig(ops=ops, loggers=TO_STDERR)
    return RunRequest(run_key, run_config=config, asset_selection=[key], tags=dict(tags))


@schedule(
    job=scrape,
    cron_schedule=f"*/{BETWEEN_WORKERS // timedelta(minutes=1)} * * * *",
    default_status=DefaultScheduleStatus.RUNNING,
    description="Fetch the accounts and posts that are due by the fetch schedule.",
)
def due_fetches(
    context: ScheduleEvaluationContext,
    settings: ResourceParam[Settings],
    store: ResourceParam[OperationalStore],
) -> list[RunRequest] | SkipReason:
    """Start a worker of each platform unless its last one still runs: it can take hours.

    Requested fetches do not count, as they may run at any time. If nothing is due, one worker a
    day still starts, to renew consents.
    """
    instance, now = context.instance, store.clock()
    with store.read_session() as session:
        are_all = is_behind(session) or is_ahead(session, now)
        needed = [each for each in PLATFORMS if are_all or is_any_due(session, each, now)]
        queued = [each for each in PLATFORMS if waiting_jobs(session, each, settings.scrape_egress)]
    requests: list[RunRequest] = []
    for platform in PLATFORMS:
        tags = {PLATFORM: platform}
        if is_running(instance, scrape.name, tags, besides=QUEUED_FETCHES):
            continue
        if platform in needed or not _began_today(instance, tags):
            requests.append(scraping(platform, Scope.DUE, tags, run_key=platform))
        elif platform not in queued:
            forget_failure(settings.metrics_path, title_of(f"landing__{platform}"))
    return requests or SkipReason("nothing is due, or the last scrape is still running")


def _began_today(instance: DagsterInstance, tags: Mapping[str, str]) -> bool:
    newest, now = newest_runs(instance, scrape.name, tags), system_clock()
    return bool(newest) and now - timedelta(days=1) < newest[0].create_timestamp <= now


@schedule(
    job=comments,
    cron_schedule="30 * * * *",
    default_status=DefaultScheduleStatus.RUNNING,
    description="Crawl due comments every hour.",
)
def hourly_comments(
    context: ScheduleEvaluationContext,
    settings: ResourceParam[Settings],
    store: ResourceParam[OperationalStore],
) -> RunRequest | SkipReason:
    """Start crawling unless the last crawls still run: at a polite pace they can take hours."""
    if is_running(context.instance, comments.name):
        return SkipReason("comments are still being collected")
    if not due_comments(settings, store):
        forget_failure(settings.metrics_path, title_of(COMMENTS.to_python_identifier()))
        return SkipReason("no comments are due")
    return RunRequest()


SCHEDULES = [due_fetches, hourly_comments]
