"""`/share/creator/{creator_id}/amounts/{accrual_id}`: an amount, and disputing it."""

from uuid import UUID

from fastapi import Depends, Request, Response
from fastapi.responses import RedirectResponse

from serving_api.errors import DisputeOpen, InvalidRequest
from serving_api.kit.schemas import LONGEST_REMARK
from serving_api.kit.services import Services, services_of
from serving_api.page_forms import Fields
from serving_api.pages import page, page_router
from serving_api.rate_limit.allowances import allowance_by_address
from serving_api.resources.payouts.accruals.summary import dollars
from serving_api.resources.tracking.share_links.presenter import PATH
from serving_api.share_page import amounts, files, links
from serving_api.share_page.pins import ShareSessions, pin_form
from serving_api.share_page.routes import views
from serving_api.share_page.unlocking import SEE_OTHER
from warehouse.clock import system_clock
from warehouse.operational.audit import AuditEvent, recorded
from warehouse.operational.models import ShareLink

DISPUTES_A_MINUTE = 10
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
    """Open the creator's dispute; repeating it changes nothing."""
    services = services_of(request)
    try:
        reason = amounts.reason_in(fields.get("reason", ""))
    except InvalidRequest as error:
        return _amount_page(request, creator_id, accrual_id, problem=error.message)
    try:
        with services.store.write_session() as session:
            link = links.find_open(session, creator_id)
            if not services[ShareSessions].is_open(request, link):
                return pin_form(link, system_clock())
            with recorded(session, lambda: _audit_event(request, link, accrual_id)):
                amounts.dispute_of(session, services, link, accrual_id, reason)
    except DisputeOpen:
        pass  # A repeated form, or a member was first: the page shows the open dispute.
    return RedirectResponse(request.url.path, SEE_OTHER)


def _amount_page(
    request: Request, creator_id: str, accrual_id: UUID, problem: str = ""
) -> Response:
    services: Services = services_of(request)
    with services.store.read_session() as session:
        link = links.find_open(session, creator_id)
        if not services[ShareSessions].is_open(request, link):
            return pin_form(link, system_clock())
        amount = amounts.amount_of(session, services, link, accrual_id)
    back = f"{PATH}/{creator_id}"
    return page(
        "share_amount.html",
        status=BAD_REQUEST if problem else OK,
        loads_files=True,
        amount=amount,
        dollars=dollars,
        problem=problem,
        longest=LONGEST_REMARK,
        back=back,
        statement=f"{back}/statements/{accrual_id}",
        address_of=files.FILES.address_of,
    )


def _audit_event(request: Request, link: ShareLink, accrual_id: UUID) -> AuditEvent:
    return AuditEvent(
        channel="page",
        action="dispute_amount",
        organization_id=link.organization_id,
        request_id=request.state.request_id,
        ids={"creator_id": str(link.creator_id), "accrual_id": str(accrual_id)},
    )
