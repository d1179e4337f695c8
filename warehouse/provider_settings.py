"""Settings of providers: which ones read each platform, in which order, with keys and budgets."""

import re
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from warehouse.platforms import PLATFORMS
from warehouse.removed_settings import REMOVED_PROVIDERS

Names = Annotated[tuple[str, ...], NoDecode]
"""Names of providers, comma-separated in the environment."""


_NEEDED: Mapping[str, tuple[str, ...]] = {
    "graph": ("instagram_graph_user_id", "instagram_graph_access_token"),
    "display": ("tiktok_login_client_id",),
    "login": ("instagram_login_client_id",),
    "scrapecreators": ("scrapecreators_api_key",),
    "ensembledata": ("ensembledata_api_key",),
}
"""The settings that a provider requires."""

BUILT_IN = ("web", *_NEEDED)
"""The built-in providers. Any other name is a class of the user's own."""


_SINGLE = tuple(f"{platform}_provider" for platform in PLATFORMS)
_LISTS = tuple(f"{name}s" for name in _SINGLE)
_WEB = ("https://", "http://")
_SCHEMES = {"s3_endpoint_url": _WEB, "redis_url": ("redis://", "rediss://", "unix://")}


class ProviderSettings(BaseSettings):
    """Settings for reading platforms."""

    model_config = SettingsConfigDict(use_attribute_docstrings=True)

    tiktok_base_url: str = "https://www.tiktok.com"
    """TikTok's public pages"""
    instagram_base_url: str = "https://www.instagram.com"
    """Instagram's public pages"""
    tiktok_provider: str = "web"
    """`web`, `display` (connected accounts), `scrapecreators`, `ensembledata` or your own
    `package.module:Class`"""
    instagram_provider: str = "web"
    """`web`, `graph` (official API), `login` (connected accounts), `scrapecreators` or your
    own `package.module:Class`"""
    tiktok_providers: Names = ()
    """Several providers instead, comma-separated, tried in order"""
    instagram_providers: Names = ()
    """Several providers instead, comma-separated, tried in order"""
    tiktok_routes: Path | None = None
    """A routes.toml whose values override the packaged ones"""
    instagram_routes: Path | None = None
    """A routes.toml whose values override the packaged ones"""
    tiktok_requests_per_day: int | None = Field(default=None, ge=0)
    """Requests to TikTok per day (UTC) after which no scheduled fetch starts"""
    instagram_requests_per_day: int | None = Field(default=None, ge=0)
    """Requests to Instagram per day (UTC) after which no scheduled fetch starts"""
    instagram_graph_base_url: str = "https://graph.facebook.com"
    """Meta's official API"""
    instagram_graph_user_id: str | None = Field(default=None, validate_default=True)
    """Id of your professional Instagram account for the official API"""
    instagram_graph_access_token: SecretStr | None = Field(default=None, validate_default=True)
    """Facebook user token for the official API"""
    tiktok_login_base_url: str = "https://www.tiktok.com"
    """Where creators connect their accounts (Login Kit)"""
    tiktok_login_api_base_url: str = "https://open.tiktokapis.com"
    """Tokens and the Display API"""
    tiktok_login_client_id: str | None = Field(default=None, validate_default=True)
    """Client key of your TikTok app"""
    tiktok_login_client_secret: SecretStr | None = Field(default=None, validate_default=True)
    """Client secret of your TikTok app"""
    instagram_login_base_url: str = "https://www.instagram.com"
    """Where creators connect their accounts (Business Login)"""
    instagram_login_token_base_url: str = "https://api.instagram.com"  # noqa: S105
    """Exchanges their codes for tokens"""
    instagram_login_api_base_url: str = "https://graph.instagram.com"
    """Renews tokens and reads accounts"""
    instagram_login_client_id: str | None = Field(default=None, validate_default=True)
    """Instagram app id of your Meta app"""
    instagram_login_client_secret: SecretStr | None = Field(default=None, validate_default=True)
    """Instagram app secret of your Meta app"""
    scrapecreators_base_url: str = "https://api.scrapecreators.com"
    """ScrapeCreators' API"""
    scrapecreators_api_key: SecretStr | None = Field(default=None, validate_default=True)
    """Key of your ScrapeCreators account"""
    scrapecreators_requests_per_day: int = Field(default=5000, ge=0)
    """Maximum requests to ScrapeCreators per day (UTC)"""
    scrapecreators_usd_per_day: Decimal = Field(default=Decimal(5), ge=0)
    """Maximum dollars spent at ScrapeCreators per day (UTC)"""
    ensembledata_base_url: str = "https://ensembledata.com/apis"
    """EnsembleData's API"""
    ensembledata_api_key: SecretStr | None = Field(default=None, validate_default=True)
    """Token of your EnsembleData account"""
    ensembledata_requests_per_day: int = Field(default=1500, ge=0)
    """Maximum requests to EnsembleData per day (UTC)"""
    ensembledata_usd_per_day: Decimal = Field(default=Decimal(5), ge=0)
    """Maximum dollars spent at EnsembleData per day (UTC)"""

    @field_validator("*")
    @classmethod
    def _is_a_url(cls, value: object, info: ValidationInfo) -> object:
        """Fail at start-up for an address that no client can use, also of other settings."""
        name = str(info.field_name)
        schemes = _SCHEMES.get(name, _WEB if name.endswith("_base_url") else ())
        text = value.get_secret_value() if isinstance(value, SecretStr) else str(value or "")
        # `port` raises ValueError if it is not a number.
        if text and schemes and not (text.startswith(schemes) and urlsplit(text).port != 0):
            raise ValueError(f"use a URL that begins with {' or '.join(schemes)}")
        return value

    @field_validator(*_LISTS, mode="before")
    @classmethod
    def _between_commas(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        names = [name.strip() for name in value.split(",")] if value.strip() else []
        return tuple(name for name in names if name not in REMOVED_PROVIDERS)

    @field_validator(*_SINGLE)
    @classmethod
    def _is_one(cls, name: str) -> str:
        """Fail at start-up for an unknown provider; `web` replaces a removed one."""
        if name in REMOVED_PROVIDERS:
            return "web"
        _require_known(name)
        return name

    @field_validator(*_LISTS)
    @classmethod
    def _is_a_fallback_chain(cls, names: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        """Fail at start-up for an invalid chain."""
        if "" in names:
            raise ValueError("a name is missing between two commas")
        for name in names:
            _require_known(name)
        if len(set(names)) < len(names):
            raise ValueError("a provider is listed twice")
        single = str(info.field_name).removesuffix("s")
        if names and info.data.get(single, "web") != "web":
            raise ValueError(f"TRACKER_{single.upper()} is set too: use only one of them")
        return names

    @field_validator("tiktok_login_client_secret", "instagram_login_client_secret")
    @classmethod
    def _belongs_to_an_app(cls, value: SecretStr | None, info: ValidationInfo) -> SecretStr | None:
        """Fail at start-up if only half of an app's credentials is set."""
        other = str(info.field_name).removesuffix("secret") + "id"
        if bool(info.data.get(other)) != bool(value):
            names = " and ".join(f"TRACKER_{name}".upper() for name in (other, info.field_name))
            raise ValueError(f"set {names} together, or neither")
        return value

    @field_validator(*(name for names in _NEEDED.values() for name in names))
    @classmethod
    def _is_given_where_needed(
        cls, value: str | SecretStr | None, info: ValidationInfo
    ) -> str | SecretStr | None:
        """Fail at start-up if a provider lacks a setting."""
        needing = next(name for name in _NEEDED if info.field_name in _NEEDED[name])
        for platform in PLATFORMS:
            names = _fallback_chain(info.data, platform)
            if needing in names and not value:
                setting = f"{platform}_provider{'s' if len(names) > 1 else ''}".upper()
                name = f"TRACKER_{info.field_name}".upper()
                raise ValueError(f"TRACKER_{setting}={','.join(names)} needs {name}")
        return value

    def providers_of(self, platform: str) -> tuple[str, ...]:
        """Return a platform's providers in the order in which they are tried."""
        return _fallback_chain(dict(self), platform)


def _require_known(name: str) -> None:
    if name not in BUILT_IN and ":" not in name:
        raise ValueError(
            f"{name!r} is neither one of {', '.join(BUILT_IN)} nor a package.module:Class"
        )


def _fallback_chain(values: Mapping[str, Any], platform: str) -> tuple[str, ...]:
    single = values.get(f"{platform}_provider", "web")
    return tuple(values.get(f"{platform}_providers") or (single,))


def _daily_budgets() -> dict[str, dict[str, str]]:
    budgets: dict[str, dict[str, str]] = {}
    for setting in ProviderSettings.model_fields:
        if match := _BUDGET.fullmatch(setting):
            budgets.setdefault(match["whose"], {})[match["unit"]] = setting
    return budgets


_BUDGET = re.compile(r"(?P<whose>[a-z]+)_(?P<unit>requests|usd)_per_day")

DAILY_BUDGETS: Mapping[str, Mapping[str, str]] = _daily_budgets()
"""Settings with the daily budget of a provider or platform, by unit: `requests` and `usd`.

Those that cost no money have only `requests`.
"""


def requests_per_day(settings: ProviderSettings, platform: str) -> int | None:
    """Return the platform's budget of requests per day; None is unlimited."""
    most: int | None = dict(settings)[DAILY_BUDGETS[platform]["requests"]]
    return most
