"""Requested scrapes that have not ended, for metrics and sensors."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import exists, func, select
from sqlalchemy.orm import Session, aliased

from warehouse.operational.models import Account, ScrapeJob
from warehouse.operational.unpublished import is_of_shard
from warehouse.scrape_jobs.claimable import IS_OPEN, claimable, is_on
from warehouse.scrape_jobs.pauses import is_paused
from warehouse.settings import MAIN_SHARD


def waiting_jobs(session: Session, platform: str, egress: str = "") -> int:
    """Return how many jobs of the platform a worker at an address could fetch now."""
    jobs = claimable(platform).where(~is_paused(egress, platform)).subquery()
    return session.scalar(select(func.count()).select_from(jobs)) or 0


def unfinished_jobs(session: Session, platform: str) -> int:
    """Return how many jobs of the platform are queued or running, in a pause too."""
    of_platform = select(func.count()).select_from(ScrapeJob).where(IS_OPEN, is_on(platform))
    return session.scalar(of_platform) or 0


def is_first_fetch(session: Session, shard: str | None) -> bool:
    """Return whether a worker fetches for an organization of the shard without any readings."""
    of_organization = aliased(Account)
    has_numbers = exists().where(
        of_organization.organization_id == ScrapeJob.organization_id,
        of_organization.last_scraped_at.is_not(None),
    )
    is_at_work = exists().where(
        ScrapeJob.status == "running",
        is_of_shard(ScrapeJob.organization_id, shard or MAIN_SHARD),
        ~has_numbers,
    )
    return bool(session.scalar(select(is_at_work)))


def open_jobs(session: Session) -> Sequence[tuple[str, str, int, datetime]]:
    """Return (type, status, number, oldest creation in UTC) of unfinished jobs."""
    rows = session.execute(
        select(ScrapeJob.job_type, ScrapeJob.status, func.count(), func.min(ScrapeJob.created_at))
        .where(IS_OPEN)
        .group_by(ScrapeJob.job_type, ScrapeJob.status)
        .order_by(ScrapeJob.job_type, ScrapeJob.status)
    )
    return rows.all()
