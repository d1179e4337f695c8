"""Stores tokens and refusals of a platform in a connection's row."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from itertools import takewhile
from typing import Literal, Protocol
from uuid import UUID

from psycopg.errors import LockNotAvailable

from warehouse.connections import rows
from warehouse.encryption import Encryption, UnreadableSecretError
from warehouse.operational.models import AccountConnection
from warehouse.operational.session_lock import session_lock
from warehouse.operational.store import OperationalStore

PURPOSE = "account_connection.tokens"

LONGEST_REFUSAL = timedelta(days=7)
"""How long a platform may refuse a consent before the creator has to renew it."""
RETRIES = (timedelta(hours=1), timedelta(hours=6), rows.LONGEST_RETRY)
"""Delays before a refused consent is retried: the first, the second, all further ones."""

Reason = Literal["expired", "revoked"]


class Given(Protocol):
    """The tokens of a platform, their scopes and expiry."""

    @property
    def scopes(self) -> Sequence[str]: ...

    @property
    def access_expires_at(self) -> datetime: ...

    @property
    def expires_at(self) -> datetime: ...

    def tokens(self) -> str: ...


def store(connection: AccountConnection, given: Given, encryption: Encryption) -> None:
    """Replace the connection's tokens, scopes and expiry: it is no longer broken."""
    connection.tokens_encrypted = encryption.encrypt(given.tokens(), PURPOSE)
    connection.scopes = list(given.scopes)
    connection.access_expires_at = given.access_expires_at
    connection.expires_at = given.expires_at
    connection.broken_at = connection.broken_reason = None


def tokens_of(connection: AccountConnection, encryption: Encryption) -> str:
    """Return the decrypted tokens. Raises UnreadableSecretError."""
    return encryption.decrypt(connection.tokens_encrypted, PURPOSE)


def set_broken(connection: AccountConnection, now: datetime) -> None:
    """Mark the connection broken: the consent expired or was revoked."""
    connection.broken_at = now
    reason: Reason = "expired" if now >= connection.expires_at else "revoked"
    connection.broken_reason = reason


def note_refusal(connection: AccountConnection, now: datetime) -> None:
    """Schedule a retry of a refused consent, or mark it broken after a week of refusals."""
    since = min(connection.refused_since or now, now)  # a clock that was ahead may have written it
    if now >= min(since + LONGEST_REFUSAL, connection.expires_at):
        set_broken(connection, now)
        return
    first, second, further = RETRIES
    wait = first if now < since + first else second if now < since + first + second else further
    connection.refused_since, connection.retry_at = since, now + wait


def note_success(connection: AccountConnection) -> None:
    """Clear the refusals of a consent."""
    connection.refused_since = connection.retry_at = None


def disconnect_all(
    store: OperationalStore,
    encryption: Encryption,
    disconnect: Callable[[AccountConnection, str], None],
    is_in_time: Callable[[], bool] = lambda: True,
) -> int:
    """Delete each ended connection while there is time. Returns their number.

    `disconnect` first revokes the consent at the platform with the decrypted tokens. It must not
    raise, and a failure is not repeated, but a killed process leaves the rest to the next call. It
    is not called if another connection uses the same consent, or if the tokens cannot be read.
    Users connect with the consent before or after, not meanwhile.
    """

    def revoke(connection: AccountConnection) -> None:
        with suppress(UnreadableSecretError):
            disconnect(connection, tokens_of(connection, encryption))

    with store.read_session() as session:
        over = rows.over(session)
    count = 0
    for connection in takewhile(lambda _: is_in_time(), over):
        key = rows.consent_key(connection.platform, connection.subject)
        with suppress(LockNotAvailable), session_lock(store, key):
            count += _disconnect(store, connection.id, revoke)
    return count


def _disconnect(
    store: OperationalStore, connection_id: UUID, revoke: Callable[[AccountConnection], None]
) -> bool:
    """Delete a connection once its tokens, which a renewal may replace meanwhile, are revoked."""
    revoked: bytes | None = None
    while True:
        with store.write_session() as session:
            connection = rows.lock_over(session, connection_id)
            if connection is None:
                return False
            if connection.tokens_encrypted == revoked or rows.is_shared(session, connection):
                session.delete(connection)
                return True
        revoke(connection)
        revoked = connection.tokens_encrypted
