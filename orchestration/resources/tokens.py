"""Tokens of connected accounts, stored in PostgreSQL and renewed by one process at a time."""

import asyncio
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import replace
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from psycopg.errors import LockNotAvailable
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import make_transient

from orchestration.resources.opened_once import OpenedOnce
from orchestration.scraping.failures import when_back
from scrapers.consent.login import Login, is_due
from scrapers.consent.tokens import (
    ConsentEndedError,
    ConsentError,
    ConsentUnavailableError,
    Grant,
    Token,
    grant_of,
)
from warehouse.clock import Clock, system_clock
from warehouse.connections import rows, storing
from warehouse.connections.renewing import sole_renewal
from warehouse.encryption import Encryption, UnreadableSecretError
from warehouse.operational.models import AccountConnection
from warehouse.operational.session_lock import session_lock
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.secret_key import secret_key
from warehouse.settings import Settings

RowT = TypeVar("RowT")


class StoredTokens:
    """A scrapers.consent.tokens.Tokens that all processes on one database share.

    The store opens at the first call and closes with `aclose`. `clock` is the real one.
    """

    def __init__(self, settings: Settings, login: Login, *, clock: Clock = system_clock) -> None:
        self._settings = settings
        self._login = login
        self._clock = clock
        self._renewals = OpenedOnce(self._open)

    async def has(self, handle: str, user_id: str | None) -> bool:
        """Return whether the account has a working connection."""
        return await self._by(lambda renewals: renewals.find(handle, user_id) is not None)

    async def of(self, handle: str, user_id: str | None) -> Token | None:
        """Return an account's token, renewed if it expires soon. Raises ConsentError."""
        return await self._by(lambda renewals: renewals.token(handle, user_id))

    async def renewed(self, token: Token) -> Token:
        return await self._by(lambda renewals: renewals.renew(token.connection_id, token))

    async def note_refusal(self, token: Token) -> None:
        await self._by(lambda renewals: renewals.note_refusal(token))

    async def note_success(self, token: Token) -> None:
        await self._by(lambda renewals: renewals.note_success(token))

    async def aclose(self) -> None:
        await self._renewals.aclose()

    async def _by(self, work: Callable[["Renewals"], RowT]) -> RowT:
        return await asyncio.to_thread(work, await self._renewals.get())

    def _open(self, opened: ExitStack) -> "Renewals":
        store = opened.enter_context(operational_store(self._settings))
        return Renewals(store, Encryption(secret_key(self._settings)), self._login, self._clock)


class Renewals:
    """Reads and renews the tokens of one platform.

    Processes renew a connection in turn, so no token is renewed twice (TikTok invalidates the
    older one): they wait for a lock, which `connections.renewing` backs up. No transaction is open
    during the platform's request.
    """

    def __init__(
        self, store: OperationalStore, encryption: Encryption, login: Login, clock: Clock
    ) -> None:
        self._store = store
        self._encryption = encryption
        self._login = login
        self._clock = clock

    def find(self, handle: str, user_id: str | None) -> tuple[AccountConnection, str | None] | None:
        """Return an account's usable connection, and the account's user id."""
        with self._store.read_session() as session:
            return rows.usable(session, self._login.platform, handle, user_id, self._clock())

    def token(self, handle: str, user_id: str | None = None) -> Token | None:
        """Return an account's token, renewed if it expires soon. Raises ConsentError."""
        row = self.find(handle, user_id)
        if row is None:
            return None
        connection, platform_user_id = row
        token = self.token_of(connection)
        if is_due(self._login, connection.access_expires_at, self._clock()):
            try:
                token = self.renew(connection.id, token)
            except ConsentEndedError:
                raise
            except ConsentError:
                if self._clock() >= connection.access_expires_at:
                    raise  # until then the old token works
        return replace(token, platform_user_id=platform_user_id)

    def renew(self, connection_id: UUID, old: Token, ends_at: datetime | None = None) -> Token:
        """Renew a connection's tokens, unless another process has replaced the `old` one.

        Nor if the consent no longer ends at `ends_at`: a new token may be equal. Raises
        ConsentError, and records a consent that is or may be over. A connection without a refresh
        token is refused alike after a revocation and during an outage, so it is only marked as
        refused.
        """
        turn = int.from_bytes(connection_id.bytes[-8:], signed=True)
        try:
            with session_lock(self._store, turn), sole_renewal(self._store, connection_id):
                return self._renew_in_turn(connection_id, old, ends_at)
        except LockNotAvailable as error:
            raise ConsentUnavailableError("another process is renewing it") from error

    def _renew_in_turn(self, connection_id: UUID, old: Token, ends_at: datetime | None) -> Token:
        with self._store.read_session() as session:
            connection = _in_force(session.get(AccountConnection, connection_id))
        token = self.token_of(connection)
        if token.access != old.access or ends_at not in {None, connection.expires_at}:
            return token
        try:
            grant = self._login.renew(self._grant_of(connection))
        except ConsentEndedError:
            has_refresh_token = self._grant_of(connection).refresh_token is not None
            note = storing.set_broken if has_refresh_token else storing.note_refusal
            self._write(connection, lambda row: note(row, self._clock()))
            raise
        written = self._write(connection, lambda row: storing.store(row, grant, self._encryption))
        if written is None:
            self._put_back(connection, grant)
        return self.token_of(_in_force(written))

    def _write(
        self, read: AccountConnection, change: Callable[[AccountConnection], None]
    ) -> AccountConnection | None:
        """Write the result of a renewal, unless the creator reconnected meanwhile.

        Waits for PostgreSQL: the platform may have ended the stored tokens.
        """

        def write() -> AccountConnection | None:
            with self._store.write_session() as session:
                connection = rows.lock(session, read.id)
                if connection and connection.tokens_encrypted == read.tokens_encrypted:
                    change(connection)
            return connection

        return when_back(write)

    def _put_back(self, gone: AccountConnection, grant: Grant) -> None:
        """Store as ended what was renewed while the creator disconnected: a crawl revokes it.

        A connection that the account has by now uses the same consent, and stays.
        """

        def write() -> None:
            with suppress(IntegrityError), self._store.write_session() as session:
                session.add(gone)

        make_transient(gone)
        storing.store(gone, grant, self._encryption)
        gone.ended_at = self._clock()
        when_back(write)

    def note_refusal(self, token: Token) -> None:
        """Record that a platform refuses a token, unless it was replaced meanwhile."""
        with self._store.write_session() as session:
            connection = rows.lock(session, token.connection_id)
            if connection and self.token_of(connection).access == token.access:
                storing.note_refusal(connection, self._clock())

    def note_success(self, token: Token) -> None:
        """Record that a platform accepts a token, unless it was replaced meanwhile."""
        with self._store.write_session() as session:
            connection = rows.lock(session, token.connection_id)
            if connection and self.token_of(connection).access == token.access:
                storing.note_success(connection)

    def token_of(self, connection: AccountConnection) -> Token:
        return Token(
            connection_id=connection.id,
            subject=connection.subject,
            access=self._grant_of(connection).access_token,
            was_refused=connection.refused_since is not None,
        )

    def _grant_of(self, connection: AccountConnection) -> Grant:
        """Return the stored grant. Raises ConsentUnavailableError if the secret key differs."""
        try:
            return grant_of(storing.tokens_of(connection, self._encryption), connection)
        except UnreadableSecretError as error:
            raise ConsentUnavailableError(str(error)) from error


def _in_force(connection: AccountConnection | None) -> AccountConnection:
    """Return a connection that was neither ended nor broken. Raises ConsentEndedError."""
    if connection is None or connection.ended_at or connection.broken_at:
        raise ConsentEndedError("the connection has ended")
    return connection
