"""`/invitations/{token}`: the page to accept an invitation."""

from collections.abc import Mapping
from typing import Literal

from fastapi import Depends, Request, Response

from serving_api.desk.routes import arrive, audit_event_of
from serving_api.desk.sessions import PATH
from serving_api.kit.services import services_of
from serving_api.oauth.sign_in import Outcome, Person, sign_in
from serving_api.page_forms import Fields
from serving_api.pages import page, page_router
from serving_api.passwords import LONGEST, SHORTEST
from serving_api.rate_limit.allowances import allowance_by_address, network_behind
from serving_api.resources.organization.invitations import acceptance
from serving_api.resources.organization.invitations.acceptance import (
    HasAccount,
    Joined,
    NewUser,
    Offer,
)
from warehouse.clock import system_clock
from warehouse.operational.audit import AuditEvent, recorded

router = page_router()

SIGN_IN = "sign-in"
"""The form of people with an account; any other form is from a new user."""

allowance = allowance_by_address("invitations")


@router.get("/invitations/{token}", dependencies=[Depends(allowance)])
def show_invitation(request: Request, token: str) -> Response:
    return _form(_offer(request, token))


@router.post("/invitations/{token}", dependencies=[Depends(allowance)])
def accept_invitation(request: Request, token: str, fields: Fields) -> Response:
    offer = _offer(request, token)
    if fields.get("way") == SIGN_IN:
        return _accept_with_account(request, token, offer, fields.get("password", ""))
    return _accept_as_new(request, token, offer, fields)


def _offer(request: Request, token: str) -> Offer:
    with services_of(request).store.read_session() as session:
        return acceptance.read_offer(session, token)


def _accept_with_account(request: Request, token: str, offer: Offer, password: str) -> Response:
    """Sign in with the invited address, with the usual limits and locks for failed attempts."""
    network = network_behind(request)
    by = sign_in(services_of(request).store, offer.email, password, network, system_clock())
    if not isinstance(by, Person):
        return _form(offer, status=400, problem=by)
    return _accept(request, token, by)


def _accept_as_new(
    request: Request, token: str, offer: Offer, fields: Mapping[str, str]
) -> Response:
    display_name, password = fields.get("display_name", ""), fields.get("password", "")
    wrong = acceptance.problems_of(display_name, password)
    if any(wrong.values()):
        return _form(offer, status=400, display_name=display_name, wrong=wrong)
    try:
        with services_of(request).store.read_session() as session:
            acceptance.require_no_account(session, token)
        return _accept(request, token, acceptance.new_user(display_name, password))
    except HasAccount:
        return _form(offer, status=400, display_name=display_name, problem="has_account")


def _accept(request: Request, token: str, by: Person | NewUser) -> Response:
    """Accept the invitation and redirect to the desk, signed in."""
    joined: Joined

    def audit_event() -> AuditEvent:
        return AuditEvent(
            channel="page",
            action="accept_invitation",
            organization_id=joined.organization_id,
            user_id=joined.user_id,
            request_id=request.state.request_id,
            ids={},
        )

    with services_of(request).store.write_session() as session, recorded(session, audit_event):
        joined = acceptance.accept(session, token, by)
    person = Person(joined.user_id, by.password_hash)
    return arrive(request, person, PATH, audit_event_of(request, joined.user_id, "sign_in"))


def _form(
    offer: Offer,
    *,
    status: int = 200,
    display_name: str = "",
    wrong: Mapping[str, str | None] | None = None,
    problem: Outcome | Literal["has_account", ""] = "",
) -> Response:
    return page(
        "invitation.html",
        status=status,
        offer=offer,
        display_name=display_name,
        wrong=wrong or {},
        problem=problem,
        sign_in=SIGN_IN,
        shortest=SHORTEST,
        longest=LONGEST,
    )
