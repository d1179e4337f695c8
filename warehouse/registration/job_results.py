"""Results of scrape jobs, which the outcomes of their fetches bring."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import polars as pl
from sqlalchemy import false, func, or_, select
from sqlalchemy.orm import Session

from warehouse.operational.clock import clock_of_database
from warehouse.operational.models import ScrapeJob, Video
from warehouse.registration.scrapable import scrapable_video
from warehouse.scrape_jobs.queue import WAIT, let_wait, may_wait

PASSING = ({"rate_limited"}, {"unreachable"})
"""If all fetches of a job ended so, it waits, because the platform may answer soon."""
RESULT = ("status", "error", "videos_seen", "started_at", "finished_at")
NOT_THIS_ACCOUNT = "the handle now belongs to another account, or this one is no longer tracked"


def finish_jobs(session: Session, outcomes: pl.DataFrame, about: pl.DataFrame) -> None:
    """Write the results of the jobs whose fetches are in the batch.

    A job of several fetches succeeds if one of them does, and with it queued jobs for the same that
    were requested before the end of its fetches. It goes on later if it ended without an answer
    because the platform was away. A failed job can still succeed, if its lease expired and the
    other worker's batch is registered later. A late failure, of fetches that began before the last
    claim or of a queued job, changes nothing.
    """
    of_jobs = outcomes.with_row_index("row").drop_nulls("job_id").sort("row")
    if of_jobs.is_empty():
        return
    jobs = _jobs(session, of_jobs["job_id"].unique())
    answered = {(row, account) for row, account, _ in about.iter_rows()}
    for (job_id,), fetches in of_jobs.group_by("job_id", maintain_order=True):
        if job := jobs.get(UUID(str(job_id))):
            errors = [_error(job, fetch, answered) for fetch in fetches.iter_rows(named=True)]
            _finish(session, job, fetches, errors)
    _finish_same(session, [job for job in jobs.values() if job.status == "succeeded"])


def _jobs(session: Session, ids: Iterable[str]) -> dict[UUID, ScrapeJob]:
    statement = select(ScrapeJob).where(ScrapeJob.id.in_([UUID(job_id) for job_id in ids]))
    locked = statement.order_by(ScrapeJob.id).with_for_update()
    return {job.id: job for job in session.scalars(locked)}


def _error(job: ScrapeJob, fetch: dict[str, Any], answered: set[tuple[int, str]]) -> str | None:
    if fetch["outcome"] != "ok":
        return ": ".join(filter(None, (fetch["outcome"], fetch["detail"])))
    if fetch["platform_video_id"] is None and (fetch["row"], str(job.account_id)) not in answered:
        return NOT_THIS_ACCOUNT
    return None


def _count_posts(
    session: Session, job: ScrapeJob, fetches: pl.DataFrame, since: datetime
) -> tuple[int | None, int]:
    """Return how many posts a job saw (None: unknown), and how many of its account it did not."""
    seen = fetches["videos_seen"].drop_nulls()
    if not seen.len() or job.account_id is None or job.job_type != "video_stats":
        return (int(seen.sum()) if seen.len() else None), 0
    is_read = func.coalesce(Video.last_scraped_at >= since, false())
    counts = select(func.count().filter(is_read), func.count().filter(~is_read, scrapable_video()))
    read, unread = session.execute(counts.where(Video.account_id == job.account_id)).one()
    return read, unread


def _finish(
    session: Session, job: ScrapeJob, fetches: pl.DataFrame, errors: list[str | None]
) -> None:
    since = job.started_at or min(fetches["started_at"])
    seen, unread = _count_posts(session, job, fetches, min(since, job.created_at))
    succeeded = None in errors or (job.job_type == "video_stats" and bool(seen))
    is_late = job.status != "running" or max(fetches["started_at"]) < since
    if job.status == "succeeded" or (is_late and not succeeded):
        return
    is_passing = set(fetches["outcome"]) in PASSING and may_wait(job, max(fetches["finished_at"]))
    if job.status == "running" and is_passing:
        let_wait(job, clock_of_database(session) + WAIT)
        return
    job.status = "succeeded" if succeeded else "failed"
    job.error = None if None in errors else errors[0]
    if succeeded and job.error:
        job.error = f"posts not read: {unread}; {job.error}" if unread else None
    job.videos_seen = seen
    job.started_at = since
    job.finished_at = max(fetches["finished_at"])
    job.lease_expires_at = None


def _finish_same(session: Session, ended: Sequence[ScrapeJob]) -> None:
    """End queued jobs like those that succeeded: they would fetch the same once more."""
    ended_for = {_purpose_of(job): job for job in ended}
    of_same = or_(
        ScrapeJob.account_id.in_([job.account_id for job in ended if job.account_id]),
        ScrapeJob.video_id.in_([job.video_id for job in ended if job.video_id]),
    )
    queued = select(ScrapeJob).where(of_same, ScrapeJob.status == "queued").order_by(ScrapeJob.id)
    for job in session.scalars(queued.with_for_update()) if ended else ():
        same = ended_for.get(_purpose_of(job))
        if same and same.finished_at and job.created_at <= same.finished_at:
            for name in RESULT:
                setattr(job, name, getattr(same, name))


def _purpose_of(job: ScrapeJob) -> tuple[str, UUID | None, UUID | None]:
    return job.job_type, job.account_id, job.video_id
