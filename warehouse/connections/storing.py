"""Writing what a platform gave or refused to a connection's row."""

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
"""For how long a platform may refuse a consent before the creator has to give it again."""
RETRIES = (timedelta(hours=1), timedelta(hours=6), timedelta(days=1))
"""After how long a refused consent is tried again: the first, the second, each further time."""

Reason = Literal["expired", "revoked"]


class Given(Protocol):
    """What a platform gave: tokens as text, what they allow, until when."""

    @property
    def scopes(self) -> Sequence[str]: ...

    @property
    def access_expires_at(self) -> datetime: ...

    @property
    def expires_at(self) -> datetime: ...

    def tokens(self) -> str: ...


def store(connection: AccountConnection, given: Given, encryption: Encryption) -> None:
    """Put what was given in place of what was there."""
    connection.tokens_encrypted = encryption.encrypt(given.tokens(), PURPOSE)
    connection.scopes = list(given.scopes)
    connection.access_expires_at = given.access_expires_at
    connection.expires_at = given.expires_at


def tokens_of(connection: AccountConnection, encryption: Encryption) -> str:
    """Return the tokens as text. Raises UnreadableSecretError."""
    return encryption.decrypt(connection.tokens_encrypted, PURPOSE)


def set_broken(connection: AccountConnection, now: datetime) -> None:
    """Note that a platform refuses the consent: it ran out, or was taken back before."""
    connection.broken_at = now
    reason: Reason = "expired" if now >= connection.expires_at else "revoked"
    connection.broken_reason = reason


def note_refusal(connection: AccountConnection, now: datetime) -> None:
    """Let a refused consent be tried again later; after a week of refusals it broke."""
    since = connection.refused_since or now
    if now >= min(since + LONGEST_REFUSAL, connection.expires_at):
        set_broken(connection, now)
        return
    first, second, further = RETRIES
    wait = first if now < since + first else second if now < since + first + second else further
    connection.refused_since, connection.retry_at = since, now + wait


def note_success(connection: AccountConnection) -> None:
    """Forget that a platform refused a consent: it takes it again."""
    connection.refused_since = connection.retry_at = None


def disconnect_all(
    store: OperationalStore,
    encryption: Encryption,
    disconnect: Callable[[AccountConnection, str], None],
    is_in_time: Callable[[], bool] = lambda: True,
) -> int:
    """Delete each connection that is over, while there is time, and return their number.

    `disconnect` then revokes the consent at the platform, by the tokens as text. It is tried once
    and must not raise. It is not called if another connection uses the same consent, or if the
    tokens cannot be read.
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
