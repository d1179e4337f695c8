"""Creators on their way to a platform and back: a state that is good once, for one browser.

Whoever comes back has to come with the state of an attempt, in the browser that began it, within
ten minutes by the real clock. The verifier of PKCE (RFC 7636) never leaves this service but to the
platform itself.
"""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from uuid import UUID

from sqlalchemy import delete

from serving_api.errors import InvalidRequest
from warehouse.encryption import Encryption
from warehouse.operational.expiry import delete_expired
from warehouse.operational.models import Account, ConnectAttempt
from warehouse.operational.session import WriteSession

LIFETIME = timedelta(minutes=10)
PURPOSE = "connect_attempt.verifier"


@dataclass(frozen=True, slots=True)
class Begun:
    """An attempt: its state goes along to the platform, `browser` stays with the browser."""

    state: str
    verifier: str
    browser: str


@dataclass(frozen=True, slots=True)
class Returned:
    """An attempt that came back: which account it is for, and its verifier."""

    organization_id: UUID
    account_id: UUID
    verifier: str


def begin(
    session: WriteSession,
    account: Account,
    encryption: Encryption,
    now: datetime,
    *,
    browser: str | None,
) -> Begun:
    """Begin an attempt to connect an account; forget a few that are past their time.

    `browser` is what the browser keeps from an attempt before, so that two can be under way.
    """
    state, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
    browser = browser or secrets.token_urlsafe(32)
    delete_expired(session, ConnectAttempt, ConnectAttempt.expires_at < now)
    session.add(
        ConnectAttempt(
            state_hash=_hash(state),
            organization_id=account.organization_id,
            account_id=account.id,
            browser_hash=_hash(browser),
            verifier_encrypted=encryption.encrypt(verifier, PURPOSE),
            expires_at=now + LIFETIME,
        )
    )
    return Begun(state, verifier, browser)


def consume(
    session: WriteSession,
    state: str,
    browser: str,
    encryption: Encryption,
    now: datetime,
    *,
    platform: str,
) -> Returned:
    """Take the attempt that came back, which is gone with that.

    Raises InvalidRequest where there is none, it is too old, or another browser began it or at
    another platform; then it stays for the browser that did, and the platform that was asked.
    """
    attempt = session.scalar(
        delete(ConnectAttempt)
        .where(ConnectAttempt.state_hash == _hash(state))
        .returning(ConnectAttempt)
    )
    if attempt is None or attempt.expires_at <= now:
        raise InvalidRequest("This took too long, or was done before. Open your link and try again")
    if not secrets.compare_digest(attempt.browser_hash, _hash(browser)):
        raise InvalidRequest("This was begun in another browser. Open your link here and try again")
    if session.get_one(Account, attempt.account_id).platform != platform:
        raise InvalidRequest("This was begun at another platform. Open your link and try again")
    verifier = encryption.decrypt(attempt.verifier_encrypted, PURPOSE)
    return Returned(attempt.organization_id, attempt.account_id, verifier)


def _hash(text: str) -> bytes:
    return sha256(text.encode("utf-8", errors="surrogatepass")).digest()
