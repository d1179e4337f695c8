"""Scrapes that people ask for: their daily allowance and their queue."""

from uuid import UUID

from serving_api.errors import NotFound, RateLimitExceeded
from serving_api.kit.days import seconds_to_midnight, start_of_day, today_in
from serving_api.kit.errand import Errand, WriteErrand
from serving_api.resources.organization.organizations import repository as organizations
from serving_api.resources.tracking.scrape_jobs import repository, schemas
from warehouse.operational.base import business_now
from warehouse.operational.models import Account, ScrapeJob, Video
from warehouse.scrape_jobs.queue import enqueue


def read_job(errand: Errand, job_id: UUID) -> schemas.ScrapeJob:
    """Return how a job is doing. Raises NotFound."""
    job = repository.find(errand.session, errand.organization_id, job_id)
    if job is None:
        raise NotFound.named("Scrape job")
    return schemas.ScrapeJob.model_validate(job, from_attributes=True)


def request_scrape(
    errand: WriteErrand,
    *,
    job_type: str,
    account: Account | None = None,
    video: Video | None = None,
) -> ScrapeJob:
    """Queue a scrape that a person asked for. Raises RateLimitExceeded past the day's allowance."""
    _spend_allowance(errand)
    return enqueue(errand.session, job_type=job_type, account=account, video=video, is_manual=True)


def _spend_allowance(errand: WriteErrand) -> None:
    """Hold the organization's count of today (its own zone) still and check it."""
    organizations.lock(errand.session, errand.organization_id)
    now = business_now(errand.session)
    midnight = start_of_day(today_in(errand.caller.analytics_tz, now), errand.caller.analytics_tz)
    spent = repository.count_manual(errand.session, errand.organization_id, midnight)
    if spent >= errand.caller.plan.max_manual_scrapes_per_day:
        retry_after = seconds_to_midnight(errand.caller.analytics_tz, now)
        raise RateLimitExceeded("manual_scrapes", retry_after=retry_after)
