"""`/oauth/authorize`: where people sign in and let a program act for them, or do not."""

from typing import Any
from uuid import UUID

from fastapi import Depends, Request, Response
from fastapi.responses import RedirectResponse
from sqlalchemy.orm import Session

from serving_api.errors import Forbidden, InvalidRequest
from serving_api.kit.sessions import store_of
from serving_api.oauth import grants
from serving_api.oauth.asking import Asking, read_asking
from serving_api.oauth.metadata import AUTHORIZE, issuer_of, resource_of
from serving_api.oauth.organizations import Choice, choices_of
from serving_api.oauth.redirects import origin_of, source_of
from serving_api.oauth.refusals import Refusal
from serving_api.oauth.sign_in import sign_in
from serving_api.oauth.visits import Visit, visits_of
from serving_api.pages.forms import Fields
from serving_api.pages.rendering import page
from serving_api.pages.routes import page_router
from serving_api.rate_limit.allowances import allowance_by_address
from warehouse.clock import system_clock
from warehouse.operational.audit import Deed, recorded
from warehouse.operational.models import OauthGrant, User

SIGN_IN = "/oauth/sign-in"
CONSENT = "/oauth/consent"
SIGN_INS_A_MINUTE = 10
SEE_OTHER = 303

MEANINGS = {
    "read": "See everything in the organization",
    "write": "Add and change things for you",
    "admin": "Manage members, keys and settings",
}

router = page_router()

views = Depends(allowance_by_address("oauthPages"))
sign_ins = Depends(allowance_by_address("signIns", SIGN_INS_A_MINUTE))


@router.get(AUTHORIZE, dependencies=[views])
def show_authorization(request: Request) -> Response:
    """Show the sign-in form, and to who has signed in what the program wants."""
    with store_of(request).read_session() as session:
        asking = _asking(session, request)
        try:
            asking.check()
        except Refusal as refusal:
            return _back(asking, error=refusal.code, error_description=refusal.message)
        visit = visits_of(request).of(request) or visits_of(request).begin()
        shown = _page(session, request, asking, visit)
    visits_of(request).keep(shown, visit)
    return shown


@router.post(SIGN_IN, dependencies=[sign_ins])
def submit_sign_in(request: Request, fields: Fields) -> Response:
    """Sign somebody in, as a new visit."""
    visit = visits_of(request).require_form(request, SIGN_IN, fields.get("form", ""))
    with store_of(request).read_session() as session:
        asking = _asking(session, request)
    email = fields.get("email", "")
    outcome = sign_in(store_of(request), email, fields.get("password", ""), system_clock())
    if not isinstance(outcome, UUID):
        return _sign_in_form(request, asking, visit, status=400, email=email, problem=outcome)
    # The page is loaded anew, so that loading it once more sends no password again.
    signed_in = RedirectResponse(f"{AUTHORIZE}?{request.url.query}", SEE_OTHER)
    visits_of(request).keep(signed_in, visits_of(request).begin(outcome))
    return signed_in


@router.post(CONSENT, dependencies=[views])
def submit_consent(request: Request, fields: Fields) -> Response:
    """Let the program act, or not, and lead back to it."""
    visit = visits_of(request).require_form(request, CONSENT, fields.get("form", ""))
    with store_of(request).read_session() as session:
        asking = _asking(session, request)
    match fields.get("decision"):
        case "allow":
            return _back(asking, code=_allow(request, visit, fields.get("organization_id", "")))
        case "leave":
            left = RedirectResponse(f"{AUTHORIZE}?{request.url.query}", SEE_OTHER)
            visits_of(request).keep(left, visits_of(request).begin())
            return left
        case _:
            return _back(asking, error="access_denied")


def _allow(request: Request, visit: Visit, organization_id: str) -> str:
    """Return the code for a consent. Raises InvalidRequest and Forbidden."""
    grant: OauthGrant

    def deed() -> Deed:
        return Deed(
            channel="page",
            action="allow_program",
            organization_id=grant.organization_id,
            user_id=grant.user_id,
            request_id=request.state.request_id,
            ids={"client_id": str(grant.client_id), "grant_id": str(grant.id)},
        )

    with store_of(request).write_session() as session, recorded(session, deed):
        asking = _asking(session, request)
        chosen = _chosen(session, asking, visit, organization_id)
        grant, code = grants.allow(session, asking, chosen.member, chosen.scopes, system_clock())
    return code


def _chosen(session: Session, asking: Asking, visit: Visit, organization_id: str) -> Choice:
    if visit.user_id is None:
        raise Forbidden("Sign in first")
    for choice in choices_of(session, visit.user_id, asking.scopes):
        if str(choice.organization.id) == organization_id:
            return choice
    raise InvalidRequest("Choose an organization that you are a member of")


def _asking(session: Session, request: Request) -> Asking:
    query = request.query_params.multi_items()
    return read_asking(session, query, resource=resource_of(request), issuer=issuer_of(request))


def _back(asking: Asking, **answer: str) -> Response:
    return RedirectResponse(asking.address_with(**answer), SEE_OTHER)


def _page(session: Session, request: Request, asking: Asking, visit: Visit) -> Response:
    if visit.user_id is None:
        return _sign_in_form(request, asking, visit)
    user = session.get_one(User, visit.user_id)
    choices = choices_of(session, user.id, asking.scopes)
    return _form(
        "consent.html",
        request,
        visit,
        CONSENT,
        asking=asking,
        user=user,
        choices=choices,
        meanings=MEANINGS,
        leads_to=origin_of(asking.redirect_uri),
        form_leads_to=source_of(asking.redirect_uri),
    )


def _sign_in_form(
    request: Request,
    asking: Asking,
    visit: Visit,
    *,
    status: int = 200,
    email: str = "",
    problem: str = "",
) -> Response:
    values = {"asking": asking, "email": email, "problem": problem}
    return _form("sign_in.html", request, visit, SIGN_IN, status=status, **values)


def _form(template: str, request: Request, visit: Visit, action: str, **values: Any) -> Response:
    query = request.url.query
    form = visits_of(request).form(visit, action, query)
    return page(template, action=f"{action}?{query}", form=form, **values)
