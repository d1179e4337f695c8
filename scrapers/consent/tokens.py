"""A creator's consent: the tokens as stored, how providers get valid ones, and the errors."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from pydantic import SecretStr


class ConsentError(Exception):
    """A request to the platform failed; the message is for people and has no secret."""


class ConsentEndedError(ConsentError):
    """The consent or its code has ended: the creator must connect again."""


class ConsentUnavailableError(ConsentError):
    """The platform gave no usable response: a retry may succeed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """Tokens for one account. Times are by the real clock.

    `refresh_token` is None if the access token renews itself. `expires_at` is when the consent ends
    unless renewed.
    """

    scopes: tuple[str, ...]
    access_token: SecretStr
    access_expires_at: datetime
    refresh_token: SecretStr | None
    expires_at: datetime

    def tokens(self) -> str:
        """Return the tokens as text, to be encrypted."""
        refresh = self.refresh_token.get_secret_value() if self.refresh_token else None
        return json.dumps({"access": self.access_token.get_secret_value(), "refresh": refresh})


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """The account of the tokens. `handle` is in lower case; `alt_id` as in AccountSnapshot.

    `subject` is the platform's id of the account; on TikTok it is specific to our app.
    """

    subject: str
    handle: str
    alt_id: str | None


class StoredGrant(Protocol):
    """The stored dates and permissions of a grant."""

    scopes: list[str]
    access_expires_at: datetime
    expires_at: datetime


def grant_of(tokens: str, connection: StoredGrant) -> Grant:
    """Return the grant from stored `tokens` and dates."""
    values = json.loads(tokens)
    return Grant(
        scopes=tuple(connection.scopes),
        access_token=SecretStr(values["access"]),
        access_expires_at=connection.access_expires_at,
        refresh_token=SecretStr(values["refresh"]) if values["refresh"] else None,
        expires_at=connection.expires_at,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A valid access token. `subject` is the platform's id of the account.

    `platform_user_id` is the account's id on public pages, None if unknown. `was_refused` is true
    if the platform refused the consent at the last request.
    """

    connection_id: UUID
    subject: str
    access: SecretStr
    platform_user_id: str | None = None
    was_refused: bool = False


class Tokens(Protocol):
    """Stores the tokens of connected accounts and renews them before they end."""

    async def has(self, handle: str, user_id: str | None) -> bool:
        """Return whether the account has a working connection.

        The handle decides only if `user_id` is None: a handle can pass to another account.
        """
        ...

    async def of(self, handle: str, user_id: str | None) -> Token | None:
        """Return an account's token, None if it is not connected. Raises ConsentError."""
        ...

    async def renewed(self, token: Token) -> Token:
        """Return a token in place of a refused one. Raises ConsentError."""
        ...

    async def note_refusal(self, token: Token) -> None:
        """Record that a platform refuses a token that was just renewed."""
        ...

    async def note_success(self, token: Token) -> None:
        """Record that a platform accepts a token whose consent it refused before."""
        ...
