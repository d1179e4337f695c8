"""What may happen to reports. What they show is `serving_api.report_page`'s."""

from uuid import UUID

from sqlalchemy.orm import Session

from serving_api.errors import Conflict, InvalidBody, NotFound
from serving_api.kit.envelope import Page
from serving_api.kit.errand import Errand, WriteErrand
from serving_api.kit.pagination import PageQuery, read_slice
from serving_api.kit.sessions import ORIGIN
from serving_api.resources.organization import projects
from serving_api.resources.programs.campaigns import repository as campaigns
from serving_api.resources.programs.reports import repository, schemas
from serving_api.resources.programs.reports.addresses import report_path
from serving_api.resources.tracking.share_links.pins import random_pin, set_pin
from warehouse.clock import system_clock
from warehouse.operational.models import ReportLink

MOST_REPORTS = 100


def list_reports(errand: Errand, project_id: UUID, query: PageQuery) -> Page[schemas.Report]:
    """Return a page of a project's reports, the newest first. Raises NotFound."""
    projects.require(errand.session, errand.organization_id, project_id)
    statement = repository.of_project(errand.organization_id, project_id)
    keyset = repository.NEWEST_FIRST.of(project_id)
    found = read_slice(errand.session, statement, keyset, query)
    return found.page(lambda rows: [_shown(errand.session, row) for row in rows])


def create(errand: WriteErrand, project_id: UUID, body: schemas.NewReport) -> schemas.OpenReport:
    """Share a report; its PIN is in the answer and nowhere else.

    Raises NotFound, InvalidBody, and Conflict where the project has as many as it may.
    """
    projects.lock(errand.session, errand.organization_id, project_id)
    _check(errand, project_id, body)
    there = repository.count_of_project(
        errand.session, errand.organization_id, project_id, system_clock()
    )
    if there >= MOST_REPORTS:
        raise Conflict(f"A project has at most {MOST_REPORTS} reports", reason="too_many_reports")
    pin = body.pin or random_pin()
    report = ReportLink(
        organization_id=errand.organization_id,
        project_id=project_id,
        campaign_id=body.campaign_id,
        shared_by_user_id=errand.caller.user_id,
        show_creators=body.show_creators,
        expires_at=body.expires_at,
    )
    set_pin(report, pin, errand.services.encryption)
    errand.session.add(report)
    errand.session.flush()
    return schemas.OpenReport(**dict(_shown(errand.session, report)), pin=pin)


def revoke(errand: WriteErrand, report_id: UUID) -> None:
    """Close a report for good. Raises NotFound."""
    report = repository.lock(errand.session, errand.organization_id, report_id)
    if report is None:
        raise NotFound.named("Report")
    errand.session.delete(report)


def _check(errand: Errand, project_id: UUID, body: schemas.NewReport) -> None:
    if body.expires_at is not None and body.expires_at <= system_clock():
        raise InvalidBody.at("expires_at", "must lie in the future")
    if body.campaign_id is None:
        return
    campaign = campaigns.find(errand.session, errand.organization_id, body.campaign_id)
    if campaign is None or campaign.project_id != project_id:
        raise InvalidBody.at("campaign_id", "is no campaign of the project")


def _shown(session: Session, row: ReportLink) -> schemas.Report:
    names = schemas.Report.model_fields.keys() - {"url"}
    columns = {name: getattr(row, name) for name in names}
    return schemas.Report(**columns, url=f"{session.info[ORIGIN]}{report_path(row.id)}")
