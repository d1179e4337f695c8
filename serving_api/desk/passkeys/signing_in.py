"""`/desk/sign-in/passkey`: signing in with a passkey."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from fastapi import Request, Response
from fastapi.responses import JSONResponse
from sqlalchemy import select

from serving_api.desk.entry import SIGN_IN, OwnFields, desk_router
from serving_api.desk.passkeys import checking
from serving_api.desk.passkeys.checking import Claim, NotRight, Party, claim_of
from serving_api.desk.routes import arrive, audit_event_of, sign_in_form, sign_ins, views
from serving_api.desk.sessions import PATH, DeskCookies
from serving_api.kit.services import services_of
from serving_api.oauth.sign_in import Person
from warehouse.clock import system_clock
from warehouse.operational.models import Passkey, User
from warehouse.operational.session import WriteSession
from warehouse.operational.store import OperationalStore


@dataclass(frozen=True, slots=True)
class Used:
    """The user who signs in, and the passkey used."""

    person: Person
    passkey_id: UUID


def sign_in_by(
    store: OperationalStore, party: Party, token: str, sent: str, now: datetime
) -> Used | None:
    """Return who signs in, or None; the challenge is used up in both cases.

    A wrong passkey does not lock the password, and a right one does not unlock it.
    """
    with store.write_session() as session:
        challenge = checking.consume_challenge(session, token, None, now)
    if challenge is None:
        return None
    try:
        claim = claim_of(sent)
    except NotRight:
        return None
    with store.write_session() as session:
        passkey_and_user = _find_passkey(session, claim)
        if passkey_and_user is None:
            return None
        passkey, user = passkey_and_user
        try:
            passkey.sign_count = _count(party, sent, challenge, claim, passkey)
        except NotRight:
            return None
        passkey.last_used_at = now
        return Used(Person(user.id, str(user.password_hash)), passkey.id)


def _find_passkey(session: WriteSession, claim: Claim) -> tuple[Passkey, User] | None:
    """Return a passkey, locked, and its user if that user may sign in."""
    named = (
        select(Passkey, User)
        .join(User, User.id == Passkey.user_id)
        .where(
            Passkey.credential_id == claim.credential_id,
            User.password_hash.is_not(None),
            ~User.is_banned,
        )
        .with_for_update(of=Passkey)
    )
    row = session.execute(named).one_or_none()
    return (row.Passkey, row.User) if row else None


def _count(party: Party, sent: str, challenge: bytes, claim: Claim, passkey: Passkey) -> int:
    if claim.user_handle != passkey.user_id.bytes:
        raise NotRight
    return party.count_of(sent, challenge, passkey)


BY_PASSKEY = f"{SIGN_IN}/passkey"

router = desk_router()


@router.post(f"{BY_PASSKEY}/challenge", dependencies=[views])
def ask_for_use(request: Request, _fields: OwnFields) -> Response:
    """Return authentication options for the script."""
    services = services_of(request)
    token = services[DeskCookies].token_of(request)
    with services.store.write_session() as session:
        challenge = checking.new_challenge(session, token, None, system_clock())
    return JSONResponse(Party.at(services.settings.base_url).asks_for_use(challenge))


@router.post(BY_PASSKEY, dependencies=[sign_ins])
def submit_passkey(request: Request, fields: OwnFields) -> Response:
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
