"""From the settings to the logins of the platforms with which we are registered."""

from collections.abc import Mapping
from typing import Any

from scrapers.consent.instagram import InstagramLogin
from scrapers.consent.login import App, Login
from scrapers.consent.tiktok import TikTokLogin

_LOGINS = (TikTokLogin, InstagramLogin)


def logins_of(settings: Mapping[str, Any]) -> Mapping[str, Login]:
    """Return the logins by platform, where the settings name an app of ours with it."""
    return {
        login.platform: login(_app(settings, f"{login.platform}_login"))
        for login in _LOGINS
        if settings[f"{login.platform}_login_client_id"]
    }


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
