"""Sessions in PostgreSQL: they end by time, sign-out or a password change.

They use the real clock. A session belongs to a user, not to an organization: each request checks
membership, ban and suspension again.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from uuid import UUID

from psycopg import Connection
from psycopg.rows import TupleRow, class_row
from sqlalchemy import delete

from serving_api.oauth.sign_in import Person
from serving_api.resources.organization.invitations.tokens import hash_token
from warehouse.operational.expiry import delete_expired
from warehouse.operational.models import DeskSession
from warehouse.operational.session import WriteSession

IDLE = timedelta(hours=12)
LONGEST = timedelta(days=7)
NOTED_EVERY = timedelta(minutes=5)

LOOK_UP = """
    select
        users.id,
        users.email,
        users.display_name,
        desk_sessions.expires_at
    from desk_sessions
    join users on users.id = desk_sessions.user_id
    where desk_sessions.token_hash = %(token_hash)s
        and desk_sessions.expires_at > %(now)s
        and desk_sessions.created_at > %(earliest)s
        and desk_sessions.password_seal = sha256(convert_to(users.password_hash, 'UTF8'))
        and not users.is_banned
"""
NOTE_USE = "update desk_sessions set expires_at = %(until)s where token_hash = %(token_hash)s"


@dataclass(slots=True)
class SignedIn:
    """A signed-in user, and when the session expires if unused."""

    id: UUID
    email: str
    display_name: str
    expires_at: datetime


def begin(session: WriteSession, person: Person, token: str, now: datetime) -> None:
    """Start a session, and delete expired ones."""
    delete_expired(session, DeskSession, DeskSession.expires_at <= now)
    row = DeskSession(
        token_hash=hash_token(token),
        user_id=person.user_id,
        password_seal=sha256(person.password_hash.encode()).digest(),
        created_at=now,
        expires_at=now + IDLE,
    )
    session.add(row)


def find(connection: Connection[TupleRow], token: str, now: datetime) -> SignedIn | None:
    """Return the session's user, or None, and extend the session."""
    params = {"token_hash": hash_token(token), "now": now, "earliest": now - LONGEST}
    with connection.cursor(row_factory=class_row(SignedIn)) as cursor:
        row = cursor.execute(LOOK_UP, params).fetchone()
    if row is not None and now + IDLE - row.expires_at >= NOTED_EVERY:
        connection.execute(NOTE_USE, {**params, "until": now + IDLE})
    return row


def end(session: WriteSession, token: str) -> None:
    """Sign out in one browser."""
    session.execute(delete(DeskSession).where(DeskSession.token_hash == hash_token(token)))


def end_all(session: WriteSession, user_id: UUID) -> None:
    """Sign out everywhere."""
    session.execute(delete(DeskSession).where(DeskSession.user_id == user_id))
