"""Create, list and close reports; `serving_api.report_page` shows them."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import Select, func, or_
from sqlalchemy.orm import Session

from serving_api.errors import Conflict, InvalidBody
from serving_api.http.sessions import ORIGIN
from serving_api.kit.envelope import Page
from serving_api.kit.pagination import Keyset, PageQuery, read_slice
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.rows import from_row, lock_own, rows_of
from serving_api.resources.organization import projects
from serving_api.resources.programs.reports import schemas
from serving_api.resources.programs.reports.addresses import report_path
from serving_api.resources.tracking.share_links.pins import random_pin, set_pin
from warehouse.clock import system_clock
from warehouse.operational.models import Campaign, ReportLink

NEWEST_FIRST = Keyset(ReportLink.created_at, ReportLink.id, "reports")


def of_project(organization_id: UUID, project_id: UUID) -> Select[ReportLink]:
    return rows_of(ReportLink, organization_id).where(ReportLink.project_id == project_id)


def count_of_project(
    session: Session, organization_id: UUID, project_id: UUID, now: datetime
) -> int:
    """Return how many of a project's reports are open at `now` (real clock)."""
    is_open = or_(ReportLink.expires_at.is_(None), ReportLink.expires_at > now)
    own = of_project(organization_id, project_id).where(is_open)
    return session.scalars(own.with_only_columns(func.count())).one()


MOST_REPORTS = 100


def list_reports(
    context: RequestContext, project_id: UUID, query: PageQuery
) -> Page[schemas.Report]:
    """Return a page of a project's reports, newest first. Raises NotFound."""
    projects.require(context.session, context.organization_id, project_id)
    statement = of_project(context.organization_id, project_id)
    keyset = NEWEST_FIRST.of(project_id)
    page_slice = read_slice(context.session, statement, keyset, query)
    return page_slice.page(lambda rows: [_present(context.session, row) for row in rows])


def create(context: WriteContext, project_id: UUID, body: schemas.NewReport) -> schemas.OpenReport:
    """Create a report. Its PIN is only in this answer.

    Raises NotFound, InvalidBody, and Conflict if the project has too many reports.
    """
    projects.lock(context.session, context.organization_id, project_id)
    _check(context, project_id, body)
    there = count_of_project(context.session, context.organization_id, project_id, system_clock())
    if there >= MOST_REPORTS:
        raise Conflict(
            f"A project can have at most {MOST_REPORTS} reports", reason="too_many_reports"
        )
    pin = body.pin or random_pin()
    report = ReportLink(
        organization_id=context.organization_id,
        project_id=project_id,
        campaign_id=body.campaign_id,
        shared_by_user_id=context.caller.user_id,
        show_creators=body.show_creators,
        expires_at=body.expires_at,
    )
    set_pin(report, pin, context.services.encryption)
    context.session.add(report)
    context.session.flush()
    return schemas.OpenReport(**dict(_present(context.session, report)), pin=pin)


def revoke(context: WriteContext, report_id: UUID) -> None:
    """Close a report permanently. Raises NotFound."""
    context.session.delete(lock_own(context, ReportLink, report_id, "Report", key_share=False))


def _check(context: RequestContext, project_id: UUID, body: schemas.NewReport) -> None:
    if body.expires_at is not None and body.expires_at <= system_clock():
        raise InvalidBody.at("expires_at", "must be in the future")
    if body.campaign_id is None:
        return
    campaign = context.session.scalar(rows_of(Campaign, context.organization_id, body.campaign_id))
    if campaign is None or campaign.project_id != project_id:
        raise InvalidBody.at("campaign_id", "must be a campaign of the project")


def _present(session: Session, row: ReportLink) -> schemas.Report:
    return from_row(schemas.Report, row, url=f"{session.info[ORIGIN]}{report_path(row.id)}")
