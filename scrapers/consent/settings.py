"""The schema of routes.toml."""

from datetime import timedelta
from pathlib import Path

from scrapers.routes_file import RoutesFile, Section


class LoginRoutes(Section):
    """Settings of every platform's login."""

    login_path: str
    token_path: str
    user_path: str
    user_fields: tuple[str, ...]
    permissions: dict[str, str]
    """Required permissions by scope: what each lets an app read, described for creators."""
    renew_before_seconds: int

    @property
    def renew_before(self) -> timedelta:
        return timedelta(seconds=self.renew_before_seconds)


class TikTok(LoginRoutes):
    revoke_path: str
    ended: frozenset[str]


class Instagram(LoginRoutes):
    long_lived_path: str
    renew_path: str
    ended_codes: frozenset[int]
    app_words: tuple[str, ...]
    spent_code: int


class Routes(Section):
    tiktok: TikTok
    instagram: Instagram


routes = RoutesFile(Path(__file__).with_name("routes.toml"), Routes)
"""Returns routes.toml."""
