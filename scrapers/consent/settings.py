"""The shape of routes.toml."""

import tomllib
from datetime import timedelta
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict

ROUTES_PATH = Path(__file__).with_name("routes.toml")


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    login_path: str
    token_path: str
    user_path: str
    user_fields: tuple[str, ...]
    scopes: tuple[str, ...]
    renew_before_seconds: int

    @property
    def renew_before(self) -> timedelta:
        """How long before the end of an access token it is to be renewed."""
        return timedelta(seconds=self.renew_before_seconds)


class TikTok(_Section):
    """TikTok's Login Kit."""

    revoke_path: str
    ended: frozenset[str]


class Instagram(_Section):
    """Instagram's Business Login."""

    long_lived_path: str
    renew_path: str
    ended_codes: frozenset[int]
    spent_code: int


class Routes(BaseModel):
    """All of routes.toml."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tiktok: TikTok
    instagram: Instagram


@cache
def routes() -> Routes:
    """Return routes.toml, read once. Raises pydantic's ValidationError if it is malformed."""
    with ROUTES_PATH.open("rb") as file:
        return Routes.model_validate(tomllib.load(file))
