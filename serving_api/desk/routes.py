"""`/desk`: sign-in, sign-out, and choosing a project."""

from typing import Literal
from uuid import UUID

from fastapi import Depends, Request, Response
from fastapi.responses import RedirectResponse

from serving_api.desk import sessions
from serving_api.desk.entry import (
    SEE_OTHER,
    SIGN_IN,
    Myself,
    NotSignedIn,
    OwnFields,
    desk_page,
    desk_router,
    signed_in,
)
from serving_api.desk.project_pages import FILES, PASSKEYS_SCRIPT, layout_of
from serving_api.desk.project_scopes import project_scopes_of
from serving_api.desk.sessions import PATH, DeskCookies, new_token
from serving_api.kit.services import services_of
from serving_api.oauth.sign_in import Outcome, Person, sign_in
from serving_api.pages import page
from serving_api.passwords import hash_token
from serving_api.rate_limit.allowances import allowance_by_address, network_behind
from warehouse.clock import system_clock
from warehouse.operational.audit import AuditEvent, recorded
from warehouse.operational.models import OauthGrant, User
from warehouse.operational.users import end_consents

SIGN_INS_A_MINUTE = 10
VIEWS_A_MINUTE = 240
"""An office may share one address."""
OK, BAD_REQUEST = 200, 400

Problem = Outcome | Literal["passkey"]
"""Why a sign-in failed."""

views = Depends(allowance_by_address("deskViews", VIEWS_A_MINUTE))
sign_ins = Depends(allowance_by_address("deskSignIns", SIGN_INS_A_MINUTE))

router = desk_router()


@router.get(SIGN_IN, dependencies=[views])
def show_sign_in(request: Request, to: str = PATH, lost: str = "") -> Response:
    """Show the sign-in form, or redirect signed-in users."""
    try:
        signed_in(request)
    except NotSignedIn:
        return sign_in_form(request, to, lost=bool(lost))
    return RedirectResponse(desk_page(to), SEE_OTHER)


@router.post(SIGN_IN, dependencies=[sign_ins])
def submit_sign_in(request: Request, fields: OwnFields) -> Response:
    to, email = fields.get("to", PATH), fields.get("email", "")
    password, network = fields.get("password", ""), network_behind(request)
    outcome = sign_in(services_of(request).store, email, password, network, system_clock())
    if not isinstance(outcome, Person):
        return sign_in_form(request, to, email=email, problem=outcome)
    return arrive(request, outcome, to, audit_event_of(request, outcome.user_id, "sign_in"))


@router.post(f"{PATH}/sign-out", dependencies=[views])
def submit_sign_out(request: Request, person: Myself, fields: OwnFields) -> Response:
    """Sign out in this browser; or everywhere, which also ends the user's consents."""
    services = services_of(request)
    everywhere = "everywhere" in fields
    action = "sign_out_everywhere" if everywhere else "sign_out"
    with (
        services.store.write_session() as session,
        recorded(session, lambda: audit_event_of(request, person.id, action)),
    ):
        if everywhere:
            session.get_one(User, person.id, with_for_update=True)
            sessions.end_all(session, person.id)
            end_consents(session, OauthGrant.user_id == person.id)
        else:
            sessions.end(session, hash_token(services[DeskCookies].token_of(request)))
    return RedirectResponse(SIGN_IN, SEE_OTHER)


@router.get(PATH, dependencies=[views])
def show_projects(request: Request, person: Myself, choose: str = "") -> Response:
    """List the user's projects, or redirect to the only one unless `choose` is set."""
    with services_of(request).store.statements() as connection:
        scopes = project_scopes_of(connection, person.id)
    if len(scopes) == 1 and not choose:
        return RedirectResponse(f"{PATH}/projects/{scopes[0].project_id}", SEE_OTHER)
    return page("desk_projects.html", layout=layout_of(request), scopes=scopes)


def arrive(request: Request, person: Person, to: str, audit_event: AuditEvent) -> Response:
    """Start a session with a new token, so that a token known before sign-in opens nothing."""
    services, token = services_of(request), new_token()
    with services.store.write_session() as session, recorded(session, lambda: audit_event):
        sessions.begin(session, person, hash_token(token), system_clock())
    arrived = RedirectResponse(desk_page(to), SEE_OTHER)
    services[DeskCookies].set_cookie(arrived, token)
    return arrived


def sign_in_form(
    request: Request,
    to: str,
    *,
    email: str = "",
    problem: Problem | Literal[""] = "",
    lost: bool = False,
) -> Response:
    """Return the sign-in form, with a token for new browsers. `lost`: a form was not saved."""
    cookies = services_of(request)[DeskCookies]
    token = cookies.token_of(request) or new_token()
    response = page(
        "desk_sign_in.html",
        status=BAD_REQUEST if problem else OK,
        asks_us=True,
        script=FILES.address_of(PASSKEYS_SCRIPT),
        action=SIGN_IN,
        form=cookies.form(token),
        to=desk_page(to),
        email=email,
        problem=problem,
        lost=lost,
    )
    cookies.set_cookie(response, token)
    return response


def audit_event_of(request: Request, user_id: UUID, action: str, **ids: UUID) -> AuditEvent:
    """Return an audit event about the user's own session or passkeys."""
    return AuditEvent(
        channel="page",
        action=action,
        user_id=user_id,
        request_id=request.state.request_id,
        ids={name: str(entity_id) for name, entity_id in ids.items()},
    )
