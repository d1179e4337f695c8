"""WebAuthn challenges: random, valid once and for five minutes of the real clock.

A browser has one challenge; a new one replaces it.
"""

import secrets
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import delete
from sqlalchemy.dialects.postgresql import insert

from serving_api.resources.organization.invitations.tokens import hash_token
from warehouse.operational.expiry import delete_expired
from warehouse.operational.models import PasskeyChallenge
from warehouse.operational.session import WriteSession

LASTS = timedelta(minutes=5)
BYTES = 32


def give(session: WriteSession, token: str, user_id: UUID | None, now: datetime) -> bytes:
    """Return a new challenge for the browser's token; `user_id` if the user adds a passkey."""
    delete_expired(session, PasskeyChallenge, PasskeyChallenge.expires_at <= now)
    challenge = secrets.token_bytes(BYTES)
    values = {"user_id": user_id, "challenge": challenge, "expires_at": now + LASTS}
    first = insert(PasskeyChallenge).values(token_hash=hash_token(token), **values)
    key = [PasskeyChallenge.token_hash]
    session.execute(first.on_conflict_do_update(index_elements=key, set_=values))
    return challenge


def consume(session: WriteSession, token: str, user_id: UUID | None, now: datetime) -> bytes | None:
    """Delete and return the browser's challenge for this purpose, or None.

    The caller must commit even if verification fails: a challenge is valid once.
    """
    deletion = (
        delete(PasskeyChallenge)
        .where(PasskeyChallenge.token_hash == hash_token(token))
        .returning(
            PasskeyChallenge.challenge, PasskeyChallenge.user_id, PasskeyChallenge.expires_at
        )
    )
    row = session.execute(deletion).one_or_none()
    if row is None or row.user_id != user_id or row.expires_at <= now:
        return None
    challenge: bytes = row.challenge
    return challenge
