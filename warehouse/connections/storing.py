"""Stores tokens and refusals of a platform in a connection's row."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Literal, Protocol

from warehouse.connections import rows
from warehouse.encryption import Encryption, UnreadableSecretError
from warehouse.operational.models import AccountConnection
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

    `disconnect` then revokes the consent at the platform with the decrypted tokens. It is tried
    once and must not raise. It is not called if another connection uses the same consent, or if
    the tokens cannot be read.
    """
    count = 0
    while is_in_time():
        with store.write_session() as session:
            connection = rows.next_over(session)
            if connection is None:
                break
            is_shared = rows.is_shared(session, connection)
            session.delete(connection)
        count += 1
        if not is_shared:
            with suppress(UnreadableSecretError):
                disconnect(connection, tokens_of(connection, encryption))
    return count
