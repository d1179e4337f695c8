"""Scrapes that people ask for: their daily allowance and their queue."""

from uuid import UUID

from sqlalchemy.orm import Session

from serving_api.auth.principals import Principal
from serving_api.errors import NotFound, RateLimitExceeded
from serving_api.kit.days import seconds_to_midnight, start_of_day, today_in
from serving_api.resources.organization.organizations import repository as organizations
from serving_api.resources.tracking.scrape_jobs import repository, schemas
from warehouse.operational.base import business_now
from warehouse.operational.models import Account, ScrapeJob, Video
from warehouse.operational.session import WriteSession
from warehouse.scrape_jobs.queue import enqueue


def read_job(caller: Principal, session: Session, job_id: UUID) -> schemas.ScrapeJob:
    """Return how a job is doing. Raises NotFound."""
    job = repository.find(session, caller.organization_id, job_id)
    if job is None:
        raise NotFound.named("Scrape job")
    return schemas.ScrapeJob.model_validate(job, from_attributes=True)


def request_scrape(
    caller: Principal,
    session: WriteSession,
    *,
    job_type: str,
    account: Account | None = None,
    video: Video | None = None,
) -> ScrapeJob:
    """Queue a scrape that a person asked for. Raises RateLimitExceeded past the day's allowance."""
    _spend_allowance(caller, session)
    return enqueue(session, job_type=job_type, account=account, video=video, is_manual=True)


def _spend_allowance(caller: Principal, session: WriteSession) -> None:
    """Hold the organization's count of today (its own zone) still and check it."""
    organizations.lock(session, caller.organization_id)
    now = business_now(session)
    midnight = start_of_day(today_in(caller.analytics_tz, now), caller.analytics_tz)
    spent = repository.count_manual(session, caller.organization_id, midnight)
    if spent >= caller.plan.max_manual_scrapes_per_day:
        retry_after = seconds_to_midnight(caller.analytics_tz, now)
        raise RateLimitExceeded("manual_scrapes", retry_after=retry_after)
