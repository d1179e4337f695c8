"""SQL of reports. Every statement names the organization."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import Select, func, or_, select
from sqlalchemy.orm import Session

from serving_api.kit.pagination import Keyset
from warehouse.operational.models import ReportLink
from warehouse.operational.session import WriteSession

NEWEST_FIRST = Keyset(ReportLink.created_at, ReportLink.id, "reports")


def of_project(organization_id: UUID, project_id: UUID) -> Select[ReportLink]:
    """Select the reports of a project and its campaigns."""
    return select(ReportLink).where(
        ReportLink.organization_id == organization_id, ReportLink.project_id == project_id
    )


def count_of_project(
    session: Session, organization_id: UUID, project_id: UUID, now: datetime
) -> int:
    """Return how many reports a project has that are open at `now` (real clock)."""
    is_open = or_(ReportLink.expires_at.is_(None), ReportLink.expires_at > now)
    own = of_project(organization_id, project_id).where(is_open)
    return session.scalars(own.with_only_columns(func.count())).one()


def lock(session: WriteSession, organization_id: UUID, report_id: UUID) -> ReportLink | None:
    """Return the report for writing; None if it is absent or another organization's."""
    return session.scalar(
        select(ReportLink)
        .where(ReportLink.organization_id == organization_id, ReportLink.id == report_id)
        .with_for_update()
    )
