"""Which reports are open: of one answer whatever is not, as with share links."""

from sqlalchemy import Select, or_, select
from sqlalchemy.orm import Session

from serving_api.share_page.links import id_of, known_of
from warehouse.clock import system_clock
from warehouse.operational.models import Member, Organization, ReportLink, User
from warehouse.operational.session import WriteSession


def find_open(session: Session, report_id: str) -> ReportLink:
    """Return the link of a report that is open. Raises NotFound."""
    return known_of(session.scalar(_open(report_id)))


def lock_open(session: WriteSession, report_id: str) -> ReportLink:
    """Return the link of a report that is open, to be tried by nobody else for now.

    Raises NotFound.
    """
    return known_of(session.scalar(_open(report_id).with_for_update(of=ReportLink)))


def _open(report_id: str) -> Select[ReportLink]:
    """Select a report that has not expired, of a member who is one still, and not banned."""
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
