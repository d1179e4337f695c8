"""Jobs (each in one process), and their schedules; `sensors` requests them as needed."""

from datetime import timedelta
from functools import partial

from dagster import (
    AssetSelection,
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
from orchestration.running.runs import QUEUED_FETCHES
from orchestration.running.steps import NOTE_STEP
from orchestration.scraping.worker import Scope
from warehouse.clock import system_clock
from warehouse.fetch_schedule.ahead import is_ahead
from warehouse.fetch_schedule.changes import is_behind
from warehouse.fetch_schedule.claims import is_any_due
from warehouse.operational.store import OperationalStore
from warehouse.settings import Settings

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

JOBS = (pipeline, pipeline_without_comments, scrape, comments, rollup, recompute, share)


def scraping(scope: Scope) -> RunConfig:
    """Return the run config of `scrape` for a scope."""
    ops = {key.to_python_identifier(): CrawlConfig(scope=scope) for key in LANDED}
    return RunConfig(ops=ops, loggers=TO_STDERR)


@schedule(
    job=scrape,
    cron_schedule="*/10 * * * *",
    default_status=DefaultScheduleStatus.RUNNING,
    description="Fetch the accounts and posts that are due by the fetch schedule.",
)
def due_fetches(
    context: ScheduleEvaluationContext, store: ResourceParam[OperationalStore]
) -> RunRequest | SkipReason:
    """Start a worker unless the last one still runs: at a polite pace it can take hours.

    Requested fetches do not count, as they may run at any time. If nothing is due, one worker a
    day still starts, to renew consents.
    """
    if is_running(context.instance, scrape.name, besides=QUEUED_FETCHES):
        return SkipReason("the last scrape is still running")
    with store.read_session() as session:
        now = store.clock()
        is_needed = is_behind(session) or is_any_due(session, now) or is_ahead(session, now)
    newest, now = newest_runs(context.instance, scrape.name), system_clock()
    is_of_day = newest and now - timedelta(days=1) < newest[0].create_timestamp <= now
    if is_of_day and not is_needed:
        return SkipReason("nothing is due")
    return RunRequest(run_config=scraping(Scope.DUE))


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
        return SkipReason("no comments are due")
    return RunRequest()


SCHEDULES = [due_fetches, hourly_comments]
