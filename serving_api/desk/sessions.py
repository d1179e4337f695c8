"""Sessions in PostgreSQL, their cookie, and form tokens against cross-site requests.

Sessions end by time, sign-out or a password change, by the real clock. A session belongs to a
user, not to an organization: each request checks membership, ban and suspension again.
"""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from uuid import UUID

from fastapi import Request, Response
from itsdangerous import BadSignature, Signer, URLSafeSerializer
from psycopg import Connection
from psycopg.rows import TupleRow, class_row
from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from serving_api.desk.done import Done
from serving_api.errors import Forbidden
from serving_api.oauth.sign_in import Person
from serving_api.passwords import hash_token
from warehouse.operational.expiry import delete_expired
from warehouse.operational.models import DeskSession, User
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


def begin(session: WriteSession, person: Person, token_hash: bytes, now: datetime) -> None:
    """Start a session, and delete expired ones."""
    delete_expired(session, DeskSession, DeskSession.expires_at <= now)
    row = DeskSession(
        token_hash=token_hash,
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


def user_of(session: Session, token_hash: bytes, now: datetime) -> User | None:
    """Return the user of a session, without extending it."""
    of_token = select(User).join(DeskSession, DeskSession.user_id == User.id)
    return session.scalar(
        of_token.where(
            DeskSession.token_hash == token_hash,
            DeskSession.expires_at > now,
            DeskSession.created_at > now - LONGEST,
            DeskSession.password_seal == func.sha256(func.convert_to(User.password_hash, "UTF8")),
        )
    )


def end(session: WriteSession, token_hash: bytes) -> None:
    """Sign out in one browser."""
    session.execute(delete(DeskSession).where(DeskSession.token_hash == token_hash))


def end_all(session: WriteSession, user_id: UUID) -> None:
    """Sign out everywhere."""
    session.execute(delete(DeskSession).where(DeskSession.user_id == user_id))


COOKIE = "desk"
PATH = "/desk"
DONE = "desk-done"
DONE_FOR = 60
"""Seconds in which the browser loads the page after a form."""
FORM = "form"
"""The hidden field with the form token."""


class DeskCookies:
    """Created once per application. `https` sets the Secure flag.

    A browser gets a token before sign-in, so that the sign-in form is protected too. Signing in
    replaces it.
    """

    def __init__(self, secret: bytes, *, https: bool) -> None:
        self._https = https
        self._forms = Signer(secret, salt="desk form", digest_method=sha256)
        signed = {"digest_method": sha256}
        self._done = URLSafeSerializer(secret, salt="desk done", signer_kwargs=signed)

    def token_of(self, request: Request) -> str:
        """Return the browser's token, or ""."""
        return request.cookies.get(COOKIE, "")

    def set_cookie(self, response: Response, token: str) -> None:
        """Set the cookie. `lax`: with `strict`, links in e-mails would require signing in again."""
        response.set_cookie(
            COOKIE,
            token,
            max_age=int(LONGEST.total_seconds()),
            path=PATH,
            secure=self._https,
            httponly=True,
            samesite="lax",
        )

    def done(self, request: Request) -> Done | None:
        """Return what the form before this page did, or None."""
        if DONE not in request.cookies or request.method != "GET":
            return None
        try:
            return Done.read(self._done.loads(request.cookies[DONE]))
        except (BadSignature, ValueError):
            return None

    def note_done(self, request: Request, answer: Response, *, is_done: bool) -> None:
        """Set the cookie for the next page after an accepted form, and clear it there."""
        if is_done:
            answer.set_cookie(
                DONE,
                self._done.dumps(Done.pop(answer)),
                max_age=DONE_FOR,
                path=PATH,
                secure=self._https,
                httponly=True,
                samesite="lax",
            )
        elif DONE in request.cookies and request.method == "GET":
            answer.delete_cookie(DONE, path=PATH)

    def form(self, token: str) -> str:
        """Return the form token, a signature of the browser's token."""
        return self._forms.get_signature(token).decode()

    def require_form(self, request: Request, sent: str) -> None:
        """Raise Forbidden if the form token does not match the browser's."""
        token = self.token_of(request)
        if not token or not self._forms.verify_signature(token, sent.encode()):
            raise Forbidden("This page has expired. Go back, reload it and try again.")


def new_token() -> str:
    """Return 256 random bits as URL-safe text."""
    return secrets.token_urlsafe(32)
