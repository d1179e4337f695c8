"""The OAuth callback: checks its attempt and the account, and stores the connection.

An attempt has one-time state. The callback must present it within ten minutes (real clock) from
the same browser. The PKCE verifier (RFC 7636) is sent only to the platform. No transaction is open
during platform requests. An unused grant is revoked where the platform supports it.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from uuid import UUID

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from scrapers.consent.login import Login, Proof
from scrapers.consent.tokens import ConsentEndedError, ConsentError, Grant, Person, grant_of
from serving_api.errors import InvalidRequest, NotFound
from serving_api.kit.rows import rows_of
from warehouse.connections import rows, storing
from warehouse.encryption import Encryption
from warehouse.operational.expiry import delete_expired
from warehouse.operational.models import Account, AccountConnection, ConnectAttempt, Creator
from warehouse.operational.session import WriteSession
from warehouse.platforms import PLATFORM_NAMES

LIFETIME = timedelta(minutes=10)
PURPOSE = "connect_attempt.verifier"


@dataclass(frozen=True, slots=True)
class StartedAttempt:
    """A new attempt: `state` goes to the platform, `browser` into a cookie."""

    state: str
    verifier: str
    browser: str


@dataclass(frozen=True, slots=True)
class CompletedAttempt:
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
) -> StartedAttempt:
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
    return StartedAttempt(state, verifier, browser)


def consume(
    session: WriteSession,
    state: str,
    browser: str,
    encryption: Encryption,
    now: datetime,
    *,
    platform: str,
) -> CompletedAttempt:
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
    return CompletedAttempt(attempt.organization_id, attempt.account_id, verifier)


def _hash(text: str) -> bytes:
    return sha256(text.encode("utf-8", errors="surrogatepass")).digest()


@dataclass(frozen=True, slots=True)
class GrantedAccess:
    """A platform's grant, and the person who gave it."""

    grant: Grant
    person: Person


def arrive(login: Login, returned: CompletedAttempt, code: str, redirect_uri: str) -> GrantedAccess:
    """Exchange the code and read whose tokens they are. Raises InvalidRequest.

    Checks permissions first: without them, some platforms do not name the account.
    """
    proof = Proof(code=code, verifier=returned.verifier, redirect_uri=redirect_uri)
    with _explained(login):
        grant = login.exchange(proof)
        require_permissions(login, grant)
        return GrantedAccess(grant, login.who(grant))


def require_valid(login: Login, arrival: GrantedAccess) -> None:
    """Raise InvalidRequest if a connection that ended meanwhile revoked the person's consent.

    Call this while the consent's session lock is held: from then on none does.
    """
    with _explained(login):
        login.who(arrival.grant)


@contextmanager
def _explained(login: Login) -> Iterator[None]:
    name = PLATFORM_NAMES[login.platform]
    try:
        yield
    except ConsentEndedError:
        raise InvalidRequest(f"{name} rejected this sign-in. Try again.") from None
    except ConsentError:
        raise InvalidRequest(f"{name} is not responding correctly. Try again later.") from None


def connect(
    session: WriteSession,
    returned: CompletedAttempt,
    arrival: GrantedAccess,
    *,
    encryption: Encryption,
    now: datetime,
) -> tuple[AccountConnection, Grant | None]:
    """Store an account's connection, replacing an earlier one.

    Returns the connection, and the earlier grant if it belonged to another account. Raises
    InvalidRequest if the tokens belong to another account, NotFound if the account was removed.
    """
    account = session.scalar(
        rows_of(Account, returned.organization_id, returned.account_id)
        .where(Account.is_active)
        .with_for_update(key_share=True)
        .execution_options(populate_existing=True)
    )
    if account is None or not session.get_one(Creator, account.creator_id).is_active:
        raise NotFound("This account is no longer tracked.")
    require_same(account, arrival.person)
    connection = _row(session, account)
    earlier = _earlier(session, connection, arrival.person, encryption)
    connection.subject = arrival.person.subject
    connection.connected_at = now
    connection.ended_at = None
    storing.note_success(connection)
    storing.store(connection, arrival.grant, encryption)
    session.add(connection)
    session.flush()
    return connection, earlier


def require_permissions(login: Login, grant: Grant) -> None:
    """Raise InvalidRequest, naming each missing permission.

    The tokens are dropped, not revoked: revoking may need the missing permission.
    """
    missing = [words for scope, words in login.permissions.items() if scope not in grant.scopes]
    if missing:
        name = PLATFORM_NAMES[login.platform]
        raise InvalidRequest(
            f"{name} gave no permission to read {', '.join(missing)}. "
            f"Try again and allow every permission that {name} asks for."
        )


def require_same(account: Account, person: Person) -> None:
    """Raise InvalidRequest if the tokens belong to an account other than the tracked one.

    Compares platform ids if both are known, otherwise handles.
    """
    known = account.platform_alt_id if person.alt_id else None
    is_same = known == person.alt_id if known else account.handle == person.handle
    if not is_same:
        name = PLATFORM_NAMES[account.platform]
        raise InvalidRequest(
            f"You signed in to {name} as @{person.handle}, not as @{account.handle}."
            f" Sign in to {name} as @{account.handle} and try again."
        )


def is_in_use(session: Session, platform: str, person: Person) -> bool:
    """Return whether an open connection uses this grant, so that it must not be revoked."""
    connections = select(AccountConnection.id).where(
        AccountConnection.platform == platform,
        AccountConnection.subject == person.subject,
        AccountConnection.ended_at.is_(None),
    )
    return session.scalar(connections.limit(1)) is not None


def _row(session: WriteSession, account: Account) -> AccountConnection:
    """Return the account's connection, locked against concurrent token refreshes."""
    query = select(AccountConnection).where(AccountConnection.account_id == account.id)
    return session.scalar(query.with_for_update()) or AccountConnection(
        organization_id=account.organization_id, account_id=account.id, platform=account.platform
    )


def _earlier(
    session: WriteSession, row: AccountConnection, person: Person, encryption: Encryption
) -> Grant | None:
    """Return the earlier grant to revoke, if it belonged to another account."""
    is_new = row not in session
    if is_new or row.subject == person.subject or rows.is_shared(session, row):
        return None
    return grant_of(storing.tokens_of(row, encryption), row)
