"""The interface by which providers of connected accounts get tokens."""

from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from pydantic import SecretStr


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
