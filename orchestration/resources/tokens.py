"""The tokens of connected accounts, kept in PostgreSQL and renewed by one process at a time."""

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from typing import TypeVar
from uuid import UUID

from scrapers.consent.grant import (
    ConsentEndedError,
    ConsentError,
    ConsentUnavailableError,
    Grant,
    grant_of,
)
from scrapers.consent.login import Login, is_due
from scrapers.consent.tokens import Token
from warehouse.clock import Clock, system_clock
from warehouse.connections import keeping, rows
from warehouse.encryption import Encryption, UnreadableSecretError
from warehouse.operational.models import AccountConnection
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.secret_key import secret_key
from warehouse.settings import Settings

Found = TypeVar("Found")


class StoredTokens:
    """A scrapers.consent.tokens.Tokens that all processes on one database share.

    A renewal holds the connection's row: whoever waits for it finds the new token, and none is
    renewed twice (on TikTok the one before is worth nothing then). The store is opened at the first
    question and let go by `aclose`. `clock` is the real one.
    """

    def __init__(self, settings: Settings, login: Login, *, clock: Clock = system_clock) -> None:
        self._settings = settings
        self._login = login
        self._clock = clock
        self._opened = ExitStack()
        self._at: tuple[OperationalStore, Encryption] | None = None
        self._opening = asyncio.Lock()

    async def has(self, handle: str) -> bool:
        """Tell whether somebody has connected the account, and nothing broke since."""
        return await self._with_store(lambda store, _: self._find(store, handle) is not None)

    async def of(self, handle: str) -> Token | None:
        """Return an account's token, renewed where it would end soon. Raises ConsentError."""
        return await self._with_store(
            lambda store, encryption: self._token(store, encryption, handle)
        )

    async def renewed(self, token: Token) -> Token:
        """Return a token in place of one that was refused. Raises ConsentError."""
        return await self._with_store(
            lambda store, encryption: self._renew(store, encryption, token.connection_id, token)
        )

    async def give_up(self, token: Token) -> None:
        """Note that a platform refuses a token that was just renewed."""
        await self._with_store(lambda store, encryption: self._break(store, encryption, token))

    async def aclose(self) -> None:
        """Let go of the store."""
        await asyncio.to_thread(self._opened.close)

    async def _with_store(self, work: Callable[[OperationalStore, Encryption], Found]) -> Found:
        async with self._opening:
            if self._at is None:
                self._at = await asyncio.to_thread(self._open)
        return await asyncio.to_thread(work, *self._at)

    def _open(self) -> tuple[OperationalStore, Encryption]:
        store = self._opened.enter_context(operational_store(self._settings))
        return store, Encryption(secret_key(self._settings))

    def _find(self, store: OperationalStore, handle: str) -> AccountConnection | None:
        with store.read_session() as session:
            return rows.usable(session, self._login.platform, handle)

    def _token(self, store: OperationalStore, encryption: Encryption, handle: str) -> Token | None:
        found = self._find(store, handle)
        if found is None:
            return None
        token = _token_of(found, encryption)
        if not is_due(self._login, found.access_expires_at, self._clock()):
            return token
        try:
            return self._renew(store, encryption, found.id, token)
        except ConsentEndedError:
            raise
        except ConsentError:
            if self._clock() >= found.access_expires_at:
                raise
            return token  # it is good for a while yet

    def _renew(
        self, store: OperationalStore, encryption: Encryption, connection_id: UUID, refused: Token
    ) -> Token:
        """Renew a connection's tokens unless somebody else has; note where it is over."""
        ended: ConsentEndedError | None = None
        with store.write_session() as session:
            connection = rows.lock(session, connection_id)
            if connection is None or connection.ended_at or connection.broken_at:
                raise ConsentEndedError("the connection was ended meanwhile")
            token = _token_of(connection, encryption)
            if token.access != refused.access:
                return token
            try:
                grant = self._login.renew(_grant_of(connection, encryption))
            except ConsentEndedError as error:
                keeping.mark_broken(connection, self._clock())
                ended = error
            else:
                keeping.keep(connection, grant, encryption)
                token = _token_of(connection, encryption)
        if ended is not None:
            raise ended
        return token

    def _break(self, store: OperationalStore, encryption: Encryption, token: Token) -> None:
        with store.write_session() as session:
            connection = rows.lock(session, token.connection_id)
            if connection and _token_of(connection, encryption).access == token.access:
                keeping.mark_broken(connection, self._clock())


def _token_of(connection: AccountConnection, encryption: Encryption) -> Token:
    return Token(
        connection_id=connection.id,
        subject=connection.subject,
        access=_grant_of(connection, encryption).access_token,
    )


def _grant_of(connection: AccountConnection, encryption: Encryption) -> Grant:
    """Return what is kept. Raises ConsentUnavailableError where the secret key is another one."""
    try:
        return grant_of(keeping.tokens_of(connection, encryption), connection)
    except UnreadableSecretError as error:
        raise ConsentUnavailableError(str(error)) from error
