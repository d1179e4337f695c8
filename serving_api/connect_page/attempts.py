"""OAuth attempts of creators: one-time state, bound to a browser.

The callback must present the state within ten minutes (real clock) from the same browser. The PKCE
verifier (RFC 7636) is sent only to the platform.
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
    """A new attempt: `state` goes to the platform, `browser` into a cookie."""

    state: str
    verifier: str
    browser: str


@dataclass(frozen=True, slots=True)
class Returned:
    """A completed attempt: its account and PKCE verifier."""

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
    """Start an attempt for an account and delete some expired ones.

    `browser` is the cookie of an earlier attempt; reusing it allows two attempts at once.
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
    """Return and delete the attempt with this state.

    Raises InvalidRequest if it is unknown, expired, or from another browser or platform. An
    attempt from another browser or platform stays valid.
    """
    attempt = session.scalar(
        delete(ConnectAttempt)
        .where(ConnectAttempt.state_hash == _hash(state))
        .returning(ConnectAttempt)
    )
    if attempt is None or attempt.expires_at <= now:
        raise InvalidRequest(
            "This sign-in expired or was already used. Open your link and try again"
        )
    if not secrets.compare_digest(attempt.browser_hash, _hash(browser)):
        raise InvalidRequest(
            "You started in another browser. Open your link in this one and try again"
        )
    if session.get_one(Account, attempt.account_id).platform != platform:
        raise InvalidRequest("You started with another platform. Open your link and try again")
    verifier = encryption.decrypt(attempt.verifier_encrypted, PURPOSE)
    return Returned(attempt.organization_id, attempt.account_id, verifier)


def _hash(text: str) -> bytes:
    return sha256(text.encode("utf-8", errors="surrogatepass")).digest()
