"""Stored passkeys of users."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from serving_api.desk.passkeys import challenges
from serving_api.desk.passkeys.checking import Made, NotRight, Party
from serving_api.errors import Conflict, NotFound
from warehouse.operational.models import Passkey, User
from warehouse.operational.session import WriteSession

MOST = 20


def of_person(session: Session, user_id: UUID) -> Sequence[Passkey]:
    """Return a user's passkeys, newest first."""
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
    challenge = challenges.consume(session, token, user_id, now)
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
