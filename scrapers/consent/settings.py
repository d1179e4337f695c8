"""The shape of routes.toml."""

from datetime import timedelta
from pathlib import Path

from scrapers.routes_file import RoutesFile, Section


class LoginRoutes(Section):
    """What every platform's login has."""

    login_path: str
    token_path: str
    user_path: str
    user_fields: tuple[str, ...]
    permissions: dict[str, str]
    """What a creator has to allow, by scope: what each lets an app read, in words for creators."""
    renew_before_seconds: int

    @property
    def renew_before(self) -> timedelta:
        """How long before the end of an access token it is to be renewed."""
        return timedelta(seconds=self.renew_before_seconds)


class TikTok(LoginRoutes):
    """TikTok's Login Kit."""

    revoke_path: str
    ended: frozenset[str]


class Instagram(LoginRoutes):
    """Instagram's Business Login."""

    long_lived_path: str
    renew_path: str
    ended_codes: frozenset[int]
    spent_code: int


class Routes(Section):
    """All of routes.toml."""

    tiktok: TikTok
    instagram: Instagram


routes = RoutesFile(Path(__file__).with_name("routes.toml"), Routes)
"""Returns routes.toml."""
