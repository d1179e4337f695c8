"""`/share/report/{report_id}`: the report page."""

from functools import partial

from fastapi import Request, Response
from sqlalchemy import Select, or_, select
from sqlalchemy.orm import Session

from serving_api.desk.periods import PeriodSent
from serving_api.kit.services import Numbers, services_of
from serving_api.page_forms import Fields
from serving_api.pages import page, page_router
from serving_api.report_page.content import report_of
from serving_api.resources.organization import logos
from serving_api.resources.programs.reports.addresses import PATH
from serving_api.share_page.links import id_of, known_of
from serving_api.share_page.pins import ShareSessions, pin_form
from serving_api.share_page.routes import unlocks, views
from serving_api.share_page.unlocking import try_pin
from warehouse.clock import system_clock
from warehouse.operational.models import Member, Organization, ReportLink, User
from warehouse.operational.session import WriteSession


def find_open(session: Session, report_id: str) -> ReportLink:
    """Return an open report's link. Raises NotFound."""
    return known_of(session.scalar(_open(report_id)))


def lock_open(session: WriteSession, report_id: str) -> ReportLink:
    """Return an open report's link, locked. Raises NotFound."""
    return known_of(session.scalar(_open(report_id).with_for_update(of=ReportLink)))


def _open(report_id: str) -> Select[ReportLink]:
    """Select a report that has not expired, whose member still belongs and is not banned."""
    return (
        select(ReportLink)
        .join(Organization, Organization.id == ReportLink.organization_id)
        .join(User, User.id == ReportLink.shared_by_user_id)
        .join(
            Member,
            (Member.organization_id == ReportLink.organization_id)
            & (Member.user_id == ReportLink.shared_by_user_id),
        )
        .where(
            ReportLink.id == id_of(report_id),
            or_(ReportLink.expires_at.is_(None), ReportLink.expires_at > system_clock()),
            User.is_banned.is_(False),
            Organization.is_suspended.is_(False),
        )
    )


REPORT = f"{PATH}/{{report_id}}"

router = page_router()


@router.get(REPORT, dependencies=[views])
def show_report(request: Request, numbers: Numbers, report_id: str, sent: PeriodSent) -> Response:
    """Show a report after its PIN was entered, otherwise the PIN form."""
    services = services_of(request)
    with services.store.read_session() as session:
        link = find_open(session, report_id)
        if not services[ShareSessions].is_open(request, link):
            return pin_form(link, system_clock())
        report = report_of(session, numbers, services, link, sent)
    return page(
        "report.html",
        status=report.period.rejected.status,
        draws_charts=True,
        shows_pictures=True,
        content=report,
        logo=logos.address_of(report.scope.logo_path),
    )


@router.post(REPORT, dependencies=[unlocks])
def unlock_report(request: Request, report_id: str, fields: Fields) -> Response:
    """Check the PIN; wrong ones are counted."""
    return try_pin(request, partial(lock_open, report_id=report_id), fields.get("pin", ""))
