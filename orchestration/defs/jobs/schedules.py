"""What runs by the clock: a worker of looks every ten minutes, a rollup once a day at least."""

from dagster import (
    DefaultScheduleStatus,
    RunRequest,
    ScheduleEvaluationContext,
    SkipReason,
    schedule,
)

from orchestration.defs.jobs import jobs
from orchestration.partitions import partition_of
from orchestration.running.runs import QUEUED_LOOKS, is_running
from orchestration.scraping.worker import Scope


@schedule(
    job=jobs.scrape,
    cron_schedule="*/10 * * * *",
    default_status=DefaultScheduleStatus.RUNNING,
    description="Look at the accounts and posts that are due by the plan of looks.",
)
def looks_that_are_due(context: ScheduleEvaluationContext) -> RunRequest | SkipReason:
    """Start a worker unless the last one is still at work: a polite pace can take hours.

    Looks that somebody asked for are no such work: they may be under way at any time.
    """
    if is_running(context.instance, jobs.scrape.name, besides=QUEUED_LOOKS):
        return SkipReason("the last scrape is still running")
    return RunRequest(run_config=jobs.scraping(Scope.DUE))


@schedule(
    job=jobs.comments,
    cron_schedule="30 * * * *",
    default_status=DefaultScheduleStatus.RUNNING,
    description="Walk each hour through the comments that have become due.",
)
def hourly_comments(context: ScheduleEvaluationContext) -> RunRequest | SkipReason:
    """Start walking unless the last walks are still under way: a polite pace can take hours."""
    if is_running(context.instance, jobs.comments.name):
        return SkipReason("comments are still being collected")
    return RunRequest()


@schedule(
    job=jobs.rollup,
    cron_schedule="5 0 * * *",
    default_status=DefaultScheduleStatus.RUNNING,
    required_resource_keys={"settings"},
    description="Move business time on once a day: freshness and windows depend on it.",
)
def daily_rollup(context: ScheduleEvaluationContext) -> RunRequest:
    """Compute and publish the new day."""
    return RunRequest(partition_key=partition_of(context.resources.settings.clock()))


SCHEDULES = [looks_that_are_due, hourly_comments, daily_rollup]
