"""SQL of scrape jobs. Every statement names the organization."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from warehouse.operational.models import ScrapeJob


def find(session: Session, organization_id: UUID, job_id: UUID) -> ScrapeJob | None:
    """Return the job; None if it is absent or another organization's."""
    return session.scalar(
        select(ScrapeJob).where(
            ScrapeJob.organization_id == organization_id, ScrapeJob.id == job_id
        )
    )


def count_manual(session: Session, organization_id: UUID, since: datetime) -> int:
    """Return how many scrapes people asked for since an instant."""
    counted = (
        select(func.count())
        .select_from(ScrapeJob)
        .where(
            ScrapeJob.organization_id == organization_id,
            ScrapeJob.is_manual,
            ScrapeJob.created_at >= since,
        )
    )
    return session.scalars(counted).one()
