"""`/oauth/authorize`: users sign in and authorize an app, or deny it.

Apps send users to `/desk/authorize`, so that those who are signed in at the desk consent at once.
"""

from collections.abc import Mapping
from typing import Any

from fastapi import Depends, Request, Response
from fastapi.responses import RedirectResponse
from sqlalchemy.orm import Session

from serving_api.desk import sessions
from serving_api.desk.sessions import DeskCookies
from serving_api.errors import Forbidden, InvalidRequest
from serving_api.kit.services import services_of
from serving_api.oauth import grants
from serving_api.oauth.authorization_request import (
    Asking,
    is_local,
    origin_of,
    read_asking,
    source_of,
)
from serving_api.oauth.metadata import AUTHORIZE, DESK_AUTHORIZE, MEANINGS, issuer_of, resource_of
from serving_api.oauth.organizations import Choice, choices_of, hold_choice
from serving_api.oauth.refusals import BAD_REQUEST, Refusal
from serving_api.oauth.sign_in import Person, sign_in
from serving_api.oauth.sign_in_sessions import SignInSession, SignInSessions
from serving_api.page_forms import Fields
from serving_api.pages import page, page_router
from serving_api.rate_limit.allowances import allowance_by_address, network_behind
from warehouse.clock import system_clock
from warehouse.operational.audit import AuditEvent, recorded
from warehouse.operational.models import OauthGrant, User
from warehouse.operational.session import WriteSession

SIGN_IN = "/oauth/sign-in"
CONSENT = "/oauth/consent"
SIGN_INS_A_MINUTE = 10
SCOPE = "scope."
"""Prefix of the box of a permission that the user grants; the scope follows."""
SEE_OTHER = 303

router = page_router()

views = Depends(allowance_by_address("oauthPages"))
sign_ins = Depends(allowance_by_address("signIns", SIGN_INS_A_MINUTE))


@router.get(AUTHORIZE, dependencies=[views])
def show_authorization(request: Request) -> Response:
    """Show the sign-in form, or the consent page to signed-in users."""
    sign_in_sessions = services_of(request)[SignInSessions]
    return _authorization(request, sign_in_sessions.of(request) or sign_in_sessions.begin())


@router.get(DESK_AUTHORIZE, dependencies=[views])
def show_authorization_at_desk(request: Request) -> Response:
    """Show the consent page to users of the desk. Others sign in at `/oauth/authorize`."""
    services = services_of(request)
    sign_in_session = services[SignInSessions].of_desk(services[DeskCookies].token_of(request))
    with services.store.read_session() as session:
        if _signed_in(session, sign_in_session) is None:
            return RedirectResponse(f"{AUTHORIZE}?{request.url.query}", SEE_OTHER)
    return _authorization(request, sign_in_session)


def _authorization(request: Request, sign_in_session: SignInSession) -> Response:
    services = services_of(request)
    with services.store.read_session() as session:
        asking = _asking(session, request)
        try:
            asking.check()
        except Refusal as refusal:
            return _refused(asking, refusal)
        answer = _page(session, request, asking, sign_in_session)
    services[SignInSessions].set_cookie(answer, sign_in_session)
    return answer


@router.post(SIGN_IN, dependencies=[sign_ins])
def submit_sign_in(request: Request, fields: Fields) -> Response:
    """Sign in and start a new sign-in session."""
    services, form = services_of(request), fields.get("form", "")
    sign_in_session = services[SignInSessions].require_form(request, SIGN_IN, form)
    with services.store.read_session() as session:
        asking = _asking(session, request)
    email = fields.get("email", "")
    password, network = fields.get("password", ""), network_behind(request)
    outcome = sign_in(services.store, email, password, network, system_clock())
    if not isinstance(outcome, Person):
        return _sign_in_form(
            request, asking, sign_in_session, status=BAD_REQUEST, email=email, problem=outcome
        )
    # Redirect, so that a reload does not send the password again.
    signed_in = RedirectResponse(f"{AUTHORIZE}?{request.url.query}", SEE_OTHER)
    fresh = services[SignInSessions].begin()
    with services.store.write_session() as session:
        sessions.begin(session, outcome, fresh.token_hash, system_clock())
    services[SignInSessions].set_cookie(signed_in, fresh)
    return signed_in


@router.post(CONSENT, dependencies=[views])
def submit_consent(request: Request, fields: Fields) -> Response:
    """Handle the decision, and redirect to the app."""
    sign_in_session = services_of(request)[SignInSessions].require_form(
        request, CONSENT, fields.get("form", "")
    )
    with services_of(request).store.read_session() as session:
        asking = _asking(session, request)
    match fields.get("decision"):
        case "allow":
            try:
                code = _allow(request, sign_in_session, fields)
            except Refusal as refusal:
                return _back(asking, **refusal.as_fields)
            return _back(asking, code=code)
        case "leave":
            if not sign_in_session.is_desk:
                with services_of(request).store.write_session() as session:
                    sessions.end(session, sign_in_session.token_hash)
            left = RedirectResponse(f"{AUTHORIZE}?{request.url.query}", SEE_OTHER)
            services_of(request)[SignInSessions].set_cookie(
                left, services_of(request)[SignInSessions].begin()
            )
            return left
        case _:
            return _back(asking, error="access_denied")


def _allow(request: Request, sign_in_session: SignInSession, fields: Mapping[str, str]) -> str:
    """Return the authorization code of a consent. Raises Refusal, InvalidRequest and Forbidden."""
    grant: OauthGrant

    def audit_event() -> AuditEvent:
        return AuditEvent(
            channel="page",
            action="allow_program",
            organization_id=grant.organization_id,
            user_id=grant.user_id,
            request_id=request.state.request_id,
            ids={"client_id": str(grant.client_id), "grant_id": str(grant.id)},
        )

    with services_of(request).store.write_session() as session, recorded(session, audit_event):
        asking = _asking(session, request)
        chosen = _chosen(session, asking, sign_in_session, fields.get("organization_id", ""))
        scopes = [scope for scope in chosen.scopes if f"{SCOPE}{scope}" in fields]
        if not scopes:
            raise InvalidRequest("Choose at least one permission, or deny")
        grant, code = grants.allow(session, asking, chosen.member, scopes, system_clock())
    return code


def _chosen(
    session: WriteSession, asking: Asking, sign_in_session: SignInSession, organization_id: str
) -> Choice:
    user = _signed_in(session, sign_in_session)
    choice = hold_choice(session, user.id, organization_id, asking.scopes) if user else None
    if _signed_in(session, sign_in_session) is None:  # again, since signing out locks the user
        raise Forbidden("Return to the app and sign in again")
    if choice is None:
        raise InvalidRequest("Choose an organization that you are a member of")
    if not choice.scopes:
        raise Refusal("access_denied", "The member's role allows none of the requested scopes")
    return choice


def _signed_in(session: Session, sign_in_session: SignInSession) -> User | None:
    return sessions.user_of(session, sign_in_session.token_hash, system_clock())


def _asking(session: Session, request: Request) -> Asking:
    query = request.query_params.multi_items()
    return read_asking(session, query, resource=resource_of(request), issuer=issuer_of(request))


def _back(asking: Asking, **answer: str) -> Response:
    return RedirectResponse(asking.address_with(**answer), SEE_OTHER)


def _refused(asking: Asking, refusal: Refusal) -> Response:
    """Send the app an error about its request.

    Anyone can register a redirect URI, and a link to this page would be an open redirect. So users
    are asked first, unless the URI is on their own machine (RFC 9700, section 4.11.2).
    """
    if is_local(asking.redirect_uri):
        return _back(asking, **refusal.as_fields)
    return page(
        "wrong_request.html",
        status=BAD_REQUEST,
        asking=asking,
        problem=refusal.message,
        address=asking.address_with(**refusal.as_fields),
        leads_to=origin_of(asking.redirect_uri),
    )


def _page(
    session: Session, request: Request, asking: Asking, sign_in_session: SignInSession
) -> Response:
    user = _signed_in(session, sign_in_session)
    if user is None:
        return _sign_in_form(request, asking, sign_in_session)
    choices = choices_of(session, user.id, asking.scopes)
    return _form(
        "consent.html",
        request,
        sign_in_session,
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
    sign_in_session: SignInSession,
    *,
    status: int = 200,
    email: str = "",
    problem: str = "",
) -> Response:
    values = {"asking": asking, "email": email, "problem": problem}
    return _form("sign_in.html", request, sign_in_session, SIGN_IN, status=status, **values)


def _form(
    template: str, request: Request, sign_in_session: SignInSession, action: str, **values: Any
) -> Response:
    query = request.url.query
    form = services_of(request)[SignInSessions].form(sign_in_session, action, query)
    return page(template, action=f"{action}?{query}", form=form, **values)
