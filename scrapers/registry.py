"""Builds the provider of a platform from the settings."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from pydantic import SecretStr

from scrapers.consent.tokens import Tokens
from scrapers.instagram.provider import InstagramProvider
from scrapers.instagram.settings import routes as instagram_routes
from scrapers.instagram_graph.provider import InstagramGraphProvider
from scrapers.instagram_login.provider import InstagramLoginProvider
from scrapers.paid.budget import Budget
from scrapers.paid.client import PaidClient
from scrapers.paid.dialect import Dialect
from scrapers.paid.ensembledata import EnsembleDataTikTok
from scrapers.paid.provider import PaidProvider
from scrapers.paid.scrapecreators import ScrapeCreatorsInstagram, ScrapeCreatorsTikTok
from scrapers.paid.settings import PaidRoutes
from scrapers.provider import Clock, Credentials, Provider
from scrapers.routes_file import RoutesFile
from scrapers.tiktok.provider import TikTokProvider
from scrapers.tiktok.settings import routes as tiktok_routes
from scrapers.tiktok_display.provider import DisplayProvider
from scrapers.transport.pacing import Pace


class ProviderFactory(Protocol):
    """The signature of a provider's class."""

    def __call__(self, *, base_url: str, pace: Pace, clock: Clock) -> Provider:
        """Build the provider. It is used and closed within one event loop."""
        ...


class Official(Protocol):
    """A class of providers that use an official API."""

    platform: str
    name: str

    def __call__(self, *args: Any, **kwargs: Any) -> Provider:
        """Build the provider, as a ProviderFactory with credentials."""
        ...


WEB = "web"
"""A platform's public pages."""
GRAPH = "graph"
"""Instagram's official API."""
CONNECTED: Mapping[str, Official] = {
    provider.name: provider for provider in (DisplayProvider, InstagramLoginProvider)
}
"""Official APIs used as creators who connected their accounts, by name."""

_WEB: dict[str, ProviderFactory] = {
    TikTokProvider.platform: TikTokProvider,
    InstagramProvider.platform: InstagramProvider,
}

_ROUTES: Mapping[str, RoutesFile[Any]] = {
    TikTokProvider.platform: tiktok_routes,
    InstagramProvider.platform: instagram_routes,
}

_DIALECTS: tuple[Dialect, ...] = (
    ScrapeCreatorsTikTok(),
    ScrapeCreatorsInstagram(),
    EnsembleDataTikTok(),
)
PAID: Mapping[str, PaidRoutes] = {dialect.routes.name: dialect.routes for dialect in _DIALECTS}
"""Commercial providers, by their name in settings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Our account with a commercial provider: its key and budget."""

    key: SecretStr
    budget: Budget


def use_routes(platform: str, path: Path | None) -> None:
    """Read a platform's public pages with an operator's routes file over the packaged one.

    Applies to this process. Raises BadRoutesError.
    """
    _ROUTES[platform].lay_over(path)


class UnknownProviderError(ValueError):
    """An unknown platform or provider in the settings; the message lists the known ones."""


def build_provider(
    platform: str,
    *,
    provider: str,
    base_url: str,
    pace: Pace,
    clock: Clock,
    credentials: Credentials | None = None,
    account: Account | None = None,
    tokens: Tokens | None = None,
) -> Provider:
    """Build a platform's provider: a built-in one, or a custom `package.module:Class`.

    `graph` needs `credentials`, commercial ones an `account`, those of connected accounts `tokens`;
    others never get them. A custom class is called with `base_url`, `pace` and `clock`. Raises
    UnknownProviderError.
    """
    if provider in CONNECTED:
        factory = _official(CONNECTED[provider], platform, tokens=tokens)
    else:
        factory = _factory(platform, provider, credentials, account)
    built = factory(base_url=base_url, pace=pace, clock=clock)
    if built.platform != platform:
        raise UnknownProviderError(f"provider {provider} is for {built.platform}, not {platform}")
    return built


def _factory(
    platform: str,
    provider: str,
    credentials: Credentials | None,
    account: Account | None,
) -> ProviderFactory:
    if provider == WEB:
        return _web(platform)
    if provider == GRAPH:
        return _official(InstagramGraphProvider, platform, credentials=credentials)
    if provider in PAID:
        return _paid(platform, provider, account)
    return _own(provider)


def _web(platform: str) -> ProviderFactory:
    if platform not in _WEB:
        raise UnknownProviderError(f"unknown platform {platform!r}; use one of {', '.join(_WEB)}")
    return _WEB[platform]


def _official(made: Official, platform: str, **needed: Any) -> ProviderFactory:
    """Return a factory of an official API; `needed` has its credentials."""
    if made.platform != platform:
        raise UnknownProviderError(
            f"provider {made.name!r} is for {made.platform!r}, not {platform!r}"
        )
    for name, given in needed.items():
        if given is None:
            raise UnknownProviderError(f"the provider {made.name!r} needs {name}")
    return partial(made, **needed)


def _paid(platform: str, provider: str, account: Account | None) -> ProviderFactory:
    if account is None:
        raise UnknownProviderError(f"the provider {provider!r} needs a key")
    for dialect in _DIALECTS:
        if (dialect.platform, dialect.routes.name) == (platform, provider):
            return partial(_build_paid, dialect, account)
    raise UnknownProviderError(f"{platform!r} has no provider {provider!r}")


def _build_paid(
    dialect: Dialect,
    account: Account,
    *,
    base_url: str,
    pace: Pace,
    clock: Clock,
) -> Provider:
    client = PaidClient(
        dialect.routes,
        dialect.platform,
        key=account.key,
        budget=account.budget,
        base_url=base_url,
        pace=pace,
    )
    return PaidProvider(dialect, client, clock=clock)


def _own(name: str) -> ProviderFactory:
    module, colon, attribute = name.partition(":")
    if not (module and colon and attribute):
        there_are = " nor ".join(map(repr, (WEB, GRAPH, *CONNECTED, *PAID)))
        raise UnknownProviderError(f"{name!r} is neither {there_are} nor 'package.module:Class'")
    try:
        factory: ProviderFactory = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise UnknownProviderError(
            f"cannot load the provider {name!r}: {error}. Install its package in this Python, or"
            " correct the setting"
        ) from error
    if not callable(factory):
        raise UnknownProviderError(f"the provider {name!r} is not a class")
    return factory
