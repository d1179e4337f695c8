"""Scrape jobs: scrapes that people requested, their status, and the daily allowance."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel
from sqlalchemy import select

from serving_api.auth.dependencies import Reader
from serving_api.errors import RateLimitExceeded
from serving_api.http.keyed_route import keyed_router
from serving_api.kit.days import ONE_DAY, seconds_to_midnight, today_in
from serving_api.kit.envelope import Envelope
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.rows import count_rows, require_own, rows_of
from serving_api.resources.organization import organizations
from warehouse.operational import models
from warehouse.operational.models import Account, Video
from warehouse.scrape_jobs.queue import enqueue
from warehouse.zones import start_of

JobType = Literal["creator_profiles", "video_stats", "discover_videos"]


class ScrapeJob(BaseModel):
    """A requested scrape. `error` is one line of plain text if it failed or left posts unread."""

    id: UUID
    job_type: JobType
    status: Literal["queued", "running", "succeeded", "failed"]
    error: str | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    videos_seen: int | None


def zones_since(context: RequestContext, since: datetime) -> Sequence[str]:
    """Return the organization's timezones since an instant, the latest first."""
    own = select(models.OrganizationZone.analytics_tz, models.OrganizationZone.valid_from).where(
        models.OrganizationZone.organization_id == context.organization_id
    )
    rows = context.session.execute(own.order_by(models.OrganizationZone.valid_from.desc())).all()
    later = [zone for zone, valid_from in rows if valid_from > since]
    return [*later, *(zone for zone, _ in rows[len(later) : len(later) + 1])]


def count_manual(context: RequestContext, since: datetime) -> int:
    """Return how many scrapes people requested since an instant."""
    manual = rows_of(models.ScrapeJob, context.organization_id).where(models.ScrapeJob.is_manual)
    return count_rows(context.session, manual.where(models.ScrapeJob.created_at >= since))


def request_scrape(
    context: WriteContext,
    *,
    job_type: str,
    account: Account | None = None,
    video: Video | None = None,
) -> models.ScrapeJob:
    """Queue a requested scrape. Raises RateLimitExceeded beyond the day's allowance."""
    _spend_allowance(context)
    return enqueue(context.session, job_type=job_type, account=account, video=video, is_manual=True)


def _spend_allowance(context: WriteContext) -> None:
    """Lock the organization and check today's count.

    The day begins at midnight in its timezone. If that changed in the last 24 hours, the earliest
    midnight counts, so that a change does not start a new day.
    """
    organizations.lock(context.session, context.organization_id)
    now = context.now
    zones = zones_since(context, now - ONE_DAY)
    midnight = min(start_of(today_in(zone, now), zone) for zone in zones)
    spent = count_manual(context, midnight)
    if spent >= context.caller.plan.max_manual_scrapes_per_day:
        retry_after = max(seconds_to_midnight(zone, now) for zone in zones)
        raise RateLimitExceeded("manual_scrapes", retry_after=retry_after)


router = keyed_router("scrape jobs")


@router.get("/scrape-jobs/{job_id}")
def get_scrape_job(*, context: Reader, job_id: UUID) -> Envelope[ScrapeJob]:
    """Return the status of a requested scrape."""
    job = require_own(context, models.ScrapeJob, job_id, "Scrape job")
    return Envelope(data=ScrapeJob.model_validate(job, from_attributes=True))
