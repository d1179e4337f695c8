"""What a creator's consent gives us, and the ways in which a platform can refuse it."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from pydantic import SecretStr


class ConsentError(Exception):
    """A platform did not do what was asked; the message is for people and holds no secret."""


class ConsentEndedError(ConsentError):
    """The creator's consent is over, or the code for it: only the creator can give it anew."""


class ConsentUnavailableError(ConsentError):
    """No usable answer came: the same may succeed later, and nothing is known to be over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """Tokens for one account. Instants are the real clock's.

    `refresh_token` is None where the access token renews itself. `expires_at` is when the consent
    ends unless it is renewed.
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
    """Whose tokens these are. `handle` is in lower case; `alt_id` as in AccountSnapshot.

    `subject` is the platform's id of the account, on TikTok one that our app alone knows it by.
    """

    subject: str
    handle: str
    alt_id: str | None


class StoredGrant(Protocol):
    """The dates and permissions of a grant, wherever they are kept."""

    scopes: list[str]
    access_expires_at: datetime
    expires_at: datetime


def grant_of(tokens: str, connection: StoredGrant) -> Grant:
    """Return the grant whose `tokens` and dates were kept."""
    values = json.loads(tokens)
    return Grant(
        scopes=tuple(connection.scopes),
        access_token=SecretStr(values["access"]),
        access_expires_at=connection.access_expires_at,
        refresh_token=SecretStr(values["refresh"]) if values["refresh"] else None,
        expires_at=connection.expires_at,
    )
