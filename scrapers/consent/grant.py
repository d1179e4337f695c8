"""The tokens of a creator's consent, and the errors of platforms."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

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
