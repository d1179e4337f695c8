"""`/desk/passkeys`: a user's own passkeys, and the scripts of desk pages."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from uuid import UUID

from fastapi import Request, Response
from fastapi.responses import JSONResponse, RedirectResponse
from sqlalchemy import select
from sqlalchemy.orm import Session

from serving_api.desk.entered import NOTHING, Entered, show_again
from serving_api.desk.entry import SEE_OTHER, Myself, OwnFields, desk_router
from serving_api.desk.forms import chosen_in
from serving_api.desk.passkeys import checking
from serving_api.desk.passkeys.checking import Made, NotRight, Party
from serving_api.desk.project_pages import FILES, FILES_PATH, PASSKEYS_SCRIPT, layout_of
from serving_api.desk.routes import BAD_REQUEST, audit_event_of, sign_ins, views
from serving_api.desk.sessions import PATH, DeskCookies
from serving_api.errors import Conflict, InvalidBody, InvalidRequest, NotFound
from serving_api.kit.services import services_of
from serving_api.oauth.sign_in import Outcome, Person, sign_in
from serving_api.pages import page, page_router
from serving_api.rate_limit.allowances import network_behind
from warehouse.clock import system_clock
from warehouse.operational.audit import recorded
from warehouse.operational.models import Passkey, User
from warehouse.operational.session import WriteSession

MOST = 20


def of_person(session: Session, user_id: UUID) -> Sequence[Passkey]:
    mine = select(Passkey).where(Passkey.user_id == user_id)
    return session.scalars(mine.order_by(Passkey.id.desc())).all()


def made_for(
    session: WriteSession, party: Party, sent: str, challenge_key: tuple[str, UUID], now: datetime
) -> Made | None:
    """Verify a registration for this token and user; return None if it is invalid.

    Locks the user from here on: a concurrent password change either deleted the challenge already
    or will delete the passkey.
    """
    token, user_id = challenge_key
    session.get_one(User, user_id, with_for_update=True)
    challenge = checking.consume_challenge(session, token, user_id, now)
    try:
        return party.made(sent, challenge) if challenge else None
    except NotRight:
        return None


def add(session: WriteSession, user_id: UUID, name: str, made: Made, now: datetime) -> Passkey:
    """Store a passkey of a locked user. Raises Conflict."""
    if len(of_person(session, user_id)) >= MOST:
        raise Conflict(f"You have {MOST} passkeys, the maximum. Remove one first.")
    if session.scalar(select(Passkey.id).where(Passkey.credential_id == made.credential_id)):
        raise Conflict("This passkey is already registered")
    passkey = Passkey(
        user_id=user_id,
        name=name,
        credential_id=made.credential_id,
        public_key=made.public_key,
        sign_count=made.sign_count,
        created_at=now,
    )
    session.add(passkey)
    return passkey


def remove(session: WriteSession, user_id: UUID, passkey_id: UUID) -> None:
    """Delete a user's passkey. Raises NotFound."""
    passkey = session.get(Passkey, passkey_id, with_for_update=True)
    if passkey is None or passkey.user_id != user_id:
        raise NotFound.named("Passkey")
    session.delete(passkey)


PASSKEYS = f"{PATH}/passkeys"
LONGEST_NAME = 100
REFUSED: Mapping[Outcome, str] = {
    "wrong": "Wrong password.",
    "locked": "Too many wrong passwords. Try again in 15 minutes.",
}

router = desk_router()
files = page_router()


@files.get(FILES_PATH + "/{name}", dependencies=[views])
async def read_desk_file(name: str) -> Response:
    return FILES.answer(name)


@router.get(PASSKEYS, dependencies=[views])
def show_passkeys(request: Request, _person: Myself) -> Response:
    return _page(request, NOTHING)


@router.post(f"{PASSKEYS}/challenge", dependencies=[sign_ins])
def ask_for_new(request: Request, person: Myself, fields: OwnFields) -> Response:
    """Return registration options after checking the password.

    An unattended signed-in browser must not be enough to add a passkey.
    """
    services, now = services_of(request), system_clock()
    password, network = fields.get("password", ""), network_behind(request)
    outcome = sign_in(services.store, person.email, password, network, now)
    if not isinstance(outcome, Person):
        return JSONResponse({"problem": REFUSED[outcome]}, BAD_REQUEST)
    with services.store.write_session() as session:
        credential_ids = [passkey.credential_id for passkey in of_person(session, person.id)]
        token = services[DeskCookies].token_of(request)
        challenge = checking.new_challenge(session, token, person.id, now)
    return JSONResponse(
        Party.at(services.settings.base_url).asks_for_new(person, credential_ids, challenge)
    )


@router.post(PASSKEYS, dependencies=[views])
def add_passkey(request: Request, person: Myself, fields: OwnFields) -> Response:
    show_again(request, fields, ("name",), partial(_page, request))
    name, now = _name_in(fields), system_clock()
    services = services_of(request)
    challenge_key = services[DeskCookies].token_of(request), person.id
    party, sent = Party.at(services.settings.base_url), fields.get("credential", "")
    with services.store.write_session() as session:
        made = made_for(session, party, sent, challenge_key, now)
        if made is not None:
            with recorded(
                session,
                lambda: audit_event_of(request, person.id, "add_passkey", passkey_id=added.id),
            ):
                added = add(session, person.id, name, made, now)
    if made is None:
        raise InvalidRequest("The passkey was not created in time. Try again.")
    return RedirectResponse(PASSKEYS, SEE_OTHER)


@router.post(f"{PASSKEYS}/remove", dependencies=[views])
def remove_passkey(request: Request, person: Myself, fields: OwnFields) -> Response:
    """Delete a passkey. Sessions that it started stay open."""
    _, [passkey_id, *_] = chosen_in(fields, ["remove"])
    audit_event = audit_event_of(request, person.id, "remove_passkey", passkey_id=passkey_id)
    with (
        services_of(request).store.write_session() as session,
        recorded(session, lambda: audit_event),
    ):
        remove(session, person.id, passkey_id)
    return RedirectResponse(PASSKEYS, SEE_OTHER)


def _name_in(fields: Mapping[str, str]) -> str:
    """Return the passkey's name. Raises InvalidBody."""
    name = fields.get("name", "").strip()
    if not (0 < len(name) <= LONGEST_NAME and name.isprintable()):
        raise InvalidBody.at("name", f"Enter 1 to {LONGEST_NAME} printable characters")
    return name


def _page(request: Request, entered: Entered) -> Response:
    layout = layout_of(request)
    with services_of(request).store.read_session() as session:
        passkeys = of_person(session, layout.person.id)
    return page(
        "desk_passkeys.html",
        status=entered.status,
        asks_us=True,
        script=FILES.address_of(PASSKEYS_SCRIPT),
        layout=layout,
        passkeys=passkeys,
        entered=entered,
    )
