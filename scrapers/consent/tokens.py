"""What a provider of connected accounts needs of whoever keeps the tokens."""

from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from pydantic import SecretStr


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """An access token in force. `subject` is the account's id as the platform tells it.

    `platform_user_id` is the account's id on public pages, None where unknown. `was_refused` where
    the platform refused the consent when it was last asked.
    """

    connection_id: UUID
    subject: str
    access: SecretStr
    platform_user_id: str | None = None
    was_refused: bool = False


class Tokens(Protocol):
    """Keeps the tokens of connected accounts and renews them before they end."""

    async def has(self, handle: str, user_id: str | None) -> bool:
        """Tell whether somebody has connected the account, and nothing broke since.

        The handle decides only where `user_id` is None: it can pass to another account.
        """
        ...

    async def of(self, handle: str, user_id: str | None) -> Token | None:
        """Return an account's token, None where nobody has connected it. Raises ConsentError."""
        ...

    async def renewed(self, token: Token) -> Token:
        """Return a token in place of one that was refused. Raises ConsentError."""
        ...

    async def note_refusal(self, token: Token) -> None:
        """Note that a platform refuses a token that was just renewed."""
        ...

    async def note_success(self, token: Token) -> None:
        """Note that a platform takes a token whose consent it refused before."""
        ...
