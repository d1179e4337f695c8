"""Signing in by a passkey: whose it is, and what a wrong one counts as."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import select

from serving_api.desk.passkeys import challenges
from serving_api.desk.passkeys.checking import Claim, NotRight, Party, claim_of
from serving_api.oauth.sign_in import Person
from warehouse.operational.models import Passkey, User
from warehouse.operational.session import WriteSession
from warehouse.operational.store import OperationalStore


@dataclass(frozen=True, slots=True)
class Used:
    """Who signs in, and by which passkey."""

    person: Person
    passkey_id: UUID


def sign_in_by(
    store: OperationalStore, party: Party, token: str, sent: str, now: datetime
) -> Used | None:
    """Return who signs in, None where nobody does; the challenge is used in any case.

    A wrong passkey locks no password, and a right one ends no lock.
    """
    with store.write_session() as session:
        challenge = challenges.take(session, token, None, now)
    if challenge is None:
        return None
    try:
        claim = claim_of(sent)
    except NotRight:
        return None
    with store.write_session() as session:
        passkey_and_user = _found(session, claim)
        if passkey_and_user is None:
            return None
        passkey, user = passkey_and_user
        try:
            passkey.sign_count = _count(party, sent, challenge, claim, passkey)
        except NotRight:
            return None
        passkey.last_used_at = now
        return Used(Person(user.id, str(user.password_hash)), passkey.id)


def _found(session: WriteSession, claim: Claim) -> tuple[Passkey, User] | None:
    """Return a passkey, held, and its person, if that one may sign in."""
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
