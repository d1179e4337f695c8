"""Builds the logins of the platforms for which the settings have an app."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from scrapers.consent.instagram import InstagramLogin
from scrapers.consent.login import App, Login, let_go
from scrapers.consent.settings import routes
from scrapers.consent.tiktok import TikTokLogin
from scrapers.consent.tokens import StoredGrant, grant_of

_LOGINS: Mapping[str, Callable[[App], Login]] = {
    TikTokLogin.platform: lambda app: TikTokLogin(app, routes().tiktok),
    InstagramLogin.platform: lambda app: InstagramLogin(app, routes().instagram),
}


def logins_of(settings: Mapping[str, Any]) -> Mapping[str, Login]:
    return {
        platform: login(_app(settings, f"{platform}_login"))
        for platform, login in _LOGINS.items()
        if settings[f"{platform}_login_client_id"]
    }


class GrantOfPlatform(StoredGrant, Protocol):
    """A stored grant and its platform."""

    platform: str


def disconnecting(logins: Mapping[str, Login]) -> Callable[[GrantOfPlatform, str], None]:
    """Return a function that revokes a stored grant, if the platform supports it."""

    def revoke(connection: GrantOfPlatform, tokens: str) -> None:
        if login := logins.get(connection.platform):
            let_go(login, grant_of(tokens, connection))

    return revoke


def _app(settings: Mapping[str, Any], name: str) -> App:
    api = f"{name}_api_base_url"
    token = f"{name}_token_base_url"
    return App(
        client_id=settings[f"{name}_client_id"],
        client_secret=settings[f"{name}_client_secret"],
        login_base_url=settings[f"{name}_base_url"].rstrip("/"),
        token_base_url=settings[token if token in settings else api].rstrip("/"),
        api_base_url=settings[api].rstrip("/"),
    )
