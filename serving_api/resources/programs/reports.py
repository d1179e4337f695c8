"""Reports: pages of a project or campaign for outsiders, opened with a PIN.

`serving_api.report_page` shows them. DECISIONS.md, Reports to share.
"""

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, Field
from sqlalchemy import Select, or_
from sqlalchemy.orm import Session

from serving_api.auth.dependencies import AdminReader, AdminWriter
from serving_api.errors import Conflict, InvalidBody, InvalidPin
from serving_api.http.keyed_route import keyed_router
from serving_api.http.sessions import ORIGIN
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Deleted, Envelope, Page
from serving_api.kit.pagination import Keyset, PageQuery, read_slice
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.rows import count_rows, from_row, lock_own, rows_of
from serving_api.kit.schemas import Body, Flag, Instant, Params
from serving_api.openapi import answers
from serving_api.resources.organization import projects
from serving_api.resources.tracking.share_links.schemas import Pin, random_pin, set_pin
from warehouse.clock import system_clock
from warehouse.operational.models import Campaign, ReportLink

PATH = "/share/report"


def report_path(report_id: UUID) -> str:
    return f"{PATH}/{report_id}"


_URL = "https://www.example.com/share/report/01976b2e-7c00-7c3a-9d7e-3f1c2b4a5d6e"


class NewReport(Body):
    """A new report: its scope, its content, and when it closes."""

    campaign_id: UUID | None = Field(
        default=None, description="A campaign of the project. Defaults to the whole project"
    )
    show_creators: Flag = Field(
        default=True, description="Name the creators with the most views, without amounts"
    )
    expires_at: Instant | None = Field(
        default=None, description="When it closes. Defaults to never"
    )
    pin: Pin | None = Field(default=None, description="Exactly 4 digits. Random by default")


class Report(BaseModel):
    """A report. It is open while its author is a member of the organization."""

    id: UUID
    url: str = Field(examples=[_URL])
    project_id: UUID
    campaign_id: UUID | None
    show_creators: bool
    expires_at: datetime | None
    shared_by_user_id: UUID
    created_at: datetime


class OpenReport(Report):
    """A new report with its PIN, which is shown only once."""

    pin: str | None = Field(description="Null in a replayed answer", examples=["4821"])


NEWEST_FIRST = Keyset(ReportLink.created_at, ReportLink.id, "reports")


def of_project(organization_id: UUID, project_id: UUID) -> Select[ReportLink]:
    return rows_of(ReportLink, organization_id).where(ReportLink.project_id == project_id)


MOST_REPORTS = 100


def create(context: WriteContext, project_id: UUID, body: NewReport) -> OpenReport:
    """Create a report. Its PIN is only in this answer.

    Raises NotFound, InvalidBody, and Conflict if the project has too many reports.
    """
    projects.lock(context, project_id)
    _check(context, project_id, body)
    is_open = or_(ReportLink.expires_at.is_(None), ReportLink.expires_at > system_clock())
    own = of_project(context.organization_id, project_id).where(is_open)
    if count_rows(context.session, own) >= MOST_REPORTS:
        raise Conflict(
            f"A project can have at most {MOST_REPORTS} reports", reason="too_many_reports"
        )
    pin, caller = body.pin or random_pin(), context.caller
    report = ReportLink(
        organization_id=context.organization_id,
        project_id=project_id,
        campaign_id=body.campaign_id,
        shared_by_user_id=caller.user_id,
        made_by_user_id=None if caller.maker_id == caller.user_id else caller.maker_id,
        show_creators=body.show_creators,
        expires_at=body.expires_at,
    )
    set_pin(report, pin, context.services.encryption)
    context.session.add(report)
    context.session.flush()
    return OpenReport(**dict(_present(context.session, report)), pin=pin)


def revoke(context: WriteContext, report_id: UUID) -> None:
    """Close a report permanently. Raises NotFound."""
    context.session.delete(lock_own(context, ReportLink, report_id, "Report", key_share=False))


def _check(context: RequestContext, project_id: UUID, body: NewReport) -> None:
    if body.expires_at is not None and body.expires_at <= system_clock():
        raise InvalidBody.at("expires_at", "must be in the future")
    if body.campaign_id is None:
        return
    campaign = context.session.scalar(rows_of(Campaign, context.organization_id, body.campaign_id))
    if campaign is None or campaign.project_id != project_id:
        raise InvalidBody.at("campaign_id", "must be a campaign of the project")


def _present(session: Session, row: ReportLink) -> Report:
    return from_row(Report, row, url=f"{session.info[ORIGIN]}{report_path(row.id)}")


router = keyed_router("share links")

REPORTS = "/projects/{project_id}/reports"


@router.get(REPORTS)
def list_reports(
    *, context: AdminReader, project_id: UUID, query: Params[PageQuery]
) -> Page[Report]:
    """List the reports of a project and its campaigns. The newest comes first."""
    projects.require(context.session, context.organization_id, project_id)
    statement = of_project(context.organization_id, project_id)
    page_slice = read_slice(context.session, statement, NEWEST_FIRST.of(project_id), query)
    return page_slice.page(lambda rows: [_present(context.session, row) for row in rows])


@router.post(REPORTS, status_code=201, responses=answers(Conflict, InvalidPin))
@idempotent(secrets=("pin",))
def share_report(
    *, context: AdminWriter, project_id: UUID, body: NewReport
) -> Envelope[OpenReport]:
    """Create a report of a project or campaign: a link that opens with a PIN.

    The PIN is shown only once.

    The report shows what its author sees, as long as the author is a member of the organization.
    It closes when the author, or the maker of the key that shared it, is removed.
    """
    return Envelope(data=create(context, project_id, body))


@router.delete("/reports/{report_id}")
def revoke_report(*, context: AdminWriter, report_id: UUID) -> Envelope[Deleted]:
    """Close a report permanently."""
    revoke(context, report_id)
    return Envelope(data=Deleted())
