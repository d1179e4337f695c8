"""`/share/creator/{creator_id}/amounts/{accrual_id}`: an amount, and disputing it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID
from zoneinfo import ZoneInfo

from fastapi import Depends, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import TypeAdapter, ValidationError
from sqlalchemy.orm import Session

from serving_api.errors import DisputeOpen, InvalidRequest
from serving_api.kit.schemas import LONGEST_REMARK, Remark
from serving_api.kit.services import Services, services_of
from serving_api.page_forms import Fields
from serving_api.pages import page, page_router
from serving_api.rate_limit.allowances import allowance_by_address
from serving_api.resources.payouts.accruals.current import accruals_now
from serving_api.resources.payouts.disputes.repository import of_accruals
from serving_api.resources.payouts.disputes.service import dispute
from serving_api.resources.tracking.share_links.repository import PATH
from serving_api.resources.tracking.videos import repository as videos
from serving_api.resources.tracking.videos.presenter import titles_of
from serving_api.share_page import links, routes
from serving_api.share_page.corrections import corrections_among, waived_among
from serving_api.share_page.evidence_table import Table, table_of
from serving_api.share_page.evidence_words import fell_in, in_words, posts_in
from serving_api.share_page.links import SEE_OTHER
from serving_api.share_page.payouts import Owed, line, outcome_of, own_amount, own_explained
from serving_api.share_page.pins import ShareSessions, pin_form
from serving_api.share_page.routes import views
from warehouse.clock import system_clock
from warehouse.operational.audit import AuditEvent, recorded
from warehouse.operational.base import business_now
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
    """An amount; `can_dispute` unless a dispute is open. `urls` are of the posts in `table`."""

    owed: Owed
    table: Table | None
    urls: Mapping[str, str]
    lines: Sequence[str]
    disputes: Sequence[DisputeEntry]
    can_dispute: bool


def amount_of(session: Session, services: Services, link: ShareLink, accrual_id: UUID) -> Amount:
    """Return an amount's page. Raises NotFound for other creators' amounts."""
    with accruals_now(session, services.published, link.organization_id) as now:
        explained = own_explained(now, link, accrual_id)
        related = corrections_among(now, [accrual_id]).get(accrual_id)
        disputes = of_accruals(session, link.organization_id, [accrual_id]).get(accrual_id, ())
        waived = waived_among(now, disputes)
        has_fall = fell_in(now.numbers, link.organization_id, explained.accrual)
    evidence = explained.evidence
    zone = ZoneInfo(explained.accrual.timezone)
    own_zone = ZoneInfo(zone_of(session, link.organization_id))
    entries = [_dispute_entry(dispute, waived, own_zone) for dispute in disputes]
    titles = titles_of(session, link.organization_id, posts_in(evidence), zone)
    table = table_of(explained.accrual.amount_cents, evidence, titles, zone)
    posts = [UUID(post.video_id) for post in table.posts] if table else []
    rows = videos.among_ids(session, link.organization_id, posts)
    return Amount(
        owed=line(explained, None, related, business_now(session)),
        table=table,
        urls={str(row.id): row.url for row in rows},
        lines=in_words(evidence, titles, zone, has_fall=has_fall),
        disputes=entries,
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


def _dispute_entry(row: PayoutDispute, waived: Collection[UUID], zone: ZoneInfo) -> DisputeEntry:
    return DisputeEntry(
        at=row.opened_at.astimezone(zone),
        by_creator=row.opened_by is None,
        reason=row.reason,
        outcome=outcome_of(row, waived),
        due_at=None if row.resolved_at else row.due_at.astimezone(zone),
        answer=row.answer,
        answered_at=row.answered_at and row.answered_at.astimezone(zone),
    )


DISPUTES_A_MINUTE = 10
ALREADY_OPEN = """\
This amount is already disputed. Your text was not added: dispute again after the answer."""
OK, BAD_REQUEST = 200, 400
AMOUNT = PATH + "/{creator_id}/amounts/{accrual_id}"

router = page_router()

disputes = Depends(allowance_by_address("shareDisputes", DISPUTES_A_MINUTE))


@router.get(AMOUNT, dependencies=[views])
def show_amount(request: Request, creator_id: str, accrual_id: UUID) -> Response:
    """Show an amount's evidence after the PIN was entered."""
    return _amount_page(request, creator_id, accrual_id)


@router.post(AMOUNT, dependencies=[disputes])
def dispute_amount(request: Request, creator_id: str, accrual_id: UUID, fields: Fields) -> Response:
    """Open the creator's dispute; repeating it changes nothing, other words are refused."""
    services = services_of(request)
    try:
        reason = reason_in(fields.get("reason", ""))
    except InvalidRequest as error:
        return _amount_page(request, creator_id, accrual_id, problem=error.message)
    try:
        with services.store.write_session() as session:
            link = links.find_open(session, creator_id)
            if not services[ShareSessions].is_open(request, link):
                return pin_form(link, system_clock())
            with recorded(session, lambda: _audit_event(request, link, accrual_id)):
                dispute_of(session, services, link, accrual_id, reason)
    except DisputeOpen as error:
        with services.store.read_session() as session:
            is_open = session.get_one(PayoutDispute, UUID(str(error.meta["dispute_id"])))
        if is_open.reason != reason:
            return _amount_page(request, creator_id, accrual_id, problem=ALREADY_OPEN)
    return RedirectResponse(request.url.path, SEE_OTHER)


def _amount_page(
    request: Request, creator_id: str, accrual_id: UUID, problem: str = ""
) -> Response:
    services: Services = services_of(request)
    with services.store.read_session() as session:
        link = links.find_open(session, creator_id)
        if not services[ShareSessions].is_open(request, link):
            return pin_form(link, system_clock())
        amount = amount_of(session, services, link, accrual_id)
    back = f"{PATH}/{creator_id}"
    return page(
        "share_amount.html",
        status=BAD_REQUEST if problem else OK,
        loads_files=True,
        amount=amount,
        problem=problem,
        longest=LONGEST_REMARK,
        back=back,
        statement=f"{back}/statements/{accrual_id}",
        address_of=routes.FILES.address_of,
    )


def _audit_event(request: Request, link: ShareLink, accrual_id: UUID) -> AuditEvent:
    return AuditEvent(
        channel="page",
        action="dispute_amount",
        organization_id=link.organization_id,
        request_id=request.state.request_id,
        ids={"creator_id": str(link.creator_id), "accrual_id": str(accrual_id)},
    )
