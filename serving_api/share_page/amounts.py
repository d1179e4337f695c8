"""Content of an amount's page: evidence and disputes."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID
from zoneinfo import ZoneInfo

from pydantic import TypeAdapter, ValidationError
from sqlalchemy.orm import Session

from serving_api.errors import InvalidRequest
from serving_api.kit.schemas import LONGEST_REMARK, Remark
from serving_api.kit.services import Services
from serving_api.resources.payouts.accruals.current import accruals_now
from serving_api.resources.payouts.disputes.repository import of_accruals
from serving_api.resources.payouts.disputes.service import dispute
from serving_api.resources.tracking.videos.titles import titles_of
from serving_api.share_page.evidence_table import Table, table_of
from serving_api.share_page.evidence_words import in_words, posts_in
from serving_api.share_page.outcomes import outcome_of
from serving_api.share_page.payouts import Owed, line, own_amount, own_explained
from warehouse.operational.dated import zone_of
from warehouse.operational.models import PayoutDispute, ShareLink
from warehouse.operational.session import WriteSession

_REASON: TypeAdapter[str] = TypeAdapter(Remark)


@dataclass(frozen=True, slots=True)
class DisputeEntry:
    """A dispute on the page; times are in the organization's zone."""

    at: datetime
    by_creator: bool
    reason: str
    outcome: str
    due_at: datetime | None
    answer: str | None
    answered_at: datetime | None


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount; `can_dispute` unless a dispute is open."""

    owed: Owed
    table: Table | None
    lines: Sequence[str]
    disputes: Sequence[DisputeEntry]
    can_dispute: bool


def amount_of(session: Session, services: Services, link: ShareLink, accrual_id: UUID) -> Amount:
    """Return an amount's page. Raises NotFound for other creators' amounts."""
    with accruals_now(session, services.published, link.organization_id) as now:
        explained = own_explained(now, link, accrual_id)
    evidence = explained.evidence
    disputes = of_accruals(session, link.organization_id, [accrual_id]).get(accrual_id, ())
    zone = ZoneInfo(zone_of(session, link.organization_id))
    titles = titles_of(session, link.organization_id, posts_in(evidence))
    return Amount(
        owed=line(explained, disputes),
        table=table_of(explained.accrual.amount_cents, evidence, titles, zone),
        lines=in_words(evidence, titles, zone),
        disputes=[_dispute_entry(dispute, zone) for dispute in disputes],
        can_dispute=all(dispute.resolved_at for dispute in disputes),
    )


def reason_in(text: str) -> str:
    """Return the reason in the form. Raises InvalidRequest."""
    try:
        return _REASON.validate_python(text.replace("\r\n", "\n"))
    except ValidationError:
        raise InvalidRequest(f"Enter a reason of at most {LONGEST_REMARK:,} characters.") from None


def dispute_of(
    session: WriteSession, services: Services, link: ShareLink, accrual_id: UUID, reason: str
) -> PayoutDispute:
    """Open the creator's dispute of an amount. Raises NotFound and DisputeOpen."""
    with accruals_now(session, services.published, link.organization_id) as now:
        known = own_amount(now, link, accrual_id)
    return dispute(session, known, reason, by=None)


def _dispute_entry(row: PayoutDispute, zone: ZoneInfo) -> DisputeEntry:
    return DisputeEntry(
        at=row.opened_at.astimezone(zone),
        by_creator=row.opened_by is None,
        reason=row.reason,
        outcome=outcome_of(row),
        due_at=None if row.resolved_at else row.due_at.astimezone(zone),
        answer=row.answer,
        answered_at=row.answered_at and row.answered_at.astimezone(zone),
    )
