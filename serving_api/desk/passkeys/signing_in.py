"""`/desk/sign-in/passkey`: signing in by a passkey, beside address and password."""

from fastapi import Request, Response
from fastapi.responses import JSONResponse

from serving_api.desk.cookies import PATH, DeskCookies
from serving_api.desk.entry import SIGN_IN, OwnFields, desk_router
from serving_api.desk.passkeys import challenges
from serving_api.desk.passkeys.checking import Party
from serving_api.desk.passkeys.using import sign_in_by
from serving_api.desk.routes import arrive, audit_event_of, sign_in_form, sign_ins, views
from serving_api.kit.services import services_of
from warehouse.clock import system_clock

BY_PASSKEY = f"{SIGN_IN}/passkey"

router = desk_router()


@router.post(f"{BY_PASSKEY}/challenge", dependencies=[views])
def ask_for_use(request: Request, _fields: OwnFields) -> Response:
    """Say what a browser is to sign, so that its script can ask for it."""
    services = services_of(request)
    token = services[DeskCookies].token_of(request)
    with services.store.write_session() as session:
        challenge = challenges.give(session, token, None, system_clock())
    return JSONResponse(Party.at(services.settings.base_url).asks_for_use(challenge))


@router.post(BY_PASSKEY, dependencies=[sign_ins])
def submit_passkey(request: Request, fields: OwnFields) -> Response:
    """Sign somebody in by what a device signed."""
    services, to = services_of(request), fields.get("to", PATH)
    used = sign_in_by(
        services.store,
        Party.at(services.settings.base_url),
        services[DeskCookies].token_of(request),
        fields.get("credential", ""),
        system_clock(),
    )
    if used is None:
        return sign_in_form(request, to, problem="passkey")
    user_id = used.person.user_id
    audit_event = audit_event_of(request, user_id, "sign_in_by_passkey", passkey_id=used.passkey_id)
    return arrive(request, used.person, to, audit_event)
