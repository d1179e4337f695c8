"""What a browser is asked to sign: random, good for five minutes of the real clock, and once.

A browser has one challenge: who asks anew has the latest.
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
    """Return a challenge for the browser of a token; `user_id` is who adds a passkey."""
    delete_expired(session, PasskeyChallenge, PasskeyChallenge.expires_at <= now)
    challenge = secrets.token_bytes(BYTES)
    values = {"user_id": user_id, "challenge": challenge, "expires_at": now + LASTS}
    first = insert(PasskeyChallenge).values(token_hash=hash_token(token), **values)
    key = [PasskeyChallenge.token_hash]
    session.execute(first.on_conflict_do_update(index_elements=key, set_=values))
    return challenge


def consume(session: WriteSession, token: str, user_id: UUID | None, now: datetime) -> bytes | None:
    """Return the challenge that the browser was given for this, None where there is none.

    It is gone with that, whatever comes of it: the caller lets the session commit.
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
