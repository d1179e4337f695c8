"""From a platform's name and the settings to the provider that looks at it."""

import importlib
from typing import Protocol

from scrapers.instagram.provider import InstagramProvider
from scrapers.provider import Clock, Provider
from scrapers.tiktok.provider import TikTokProvider
from scrapers.transport.pacing import Pace


class ProviderFactory(Protocol):
    """What a provider's class has to be callable with."""

    def __call__(self, *, base_url: str, pace: Pace, clock: Clock) -> Provider:
        """Build the provider. It is used and closed within one event loop."""
        ...


BUILT_IN = "web"
_WEB: dict[str, ProviderFactory] = {
    TikTokProvider.platform: TikTokProvider,
    InstagramProvider.platform: InstagramProvider,
}


class UnknownProviderError(ValueError):
    """A platform or provider that the settings name and that is not there; says what is."""


def build_provider(
    platform: str, *, provider: str, base_url: str, pace: Pace, clock: Clock
) -> Provider:
    """Build the provider of a platform: `web`, or a user's own as `package.module:Class`.

    A user's class is called with `base_url`, `pace` and `clock`. Raises UnknownProviderError.
    """
    factory = _built_in(platform) if provider == BUILT_IN else _own(provider)
    built = factory(base_url=base_url, pace=pace, clock=clock)
    if built.platform != platform:
        raise UnknownProviderError(f"{provider} is a provider of {built.platform}, not {platform}")
    return built


def _built_in(platform: str) -> ProviderFactory:
    if platform not in _WEB:
        raise UnknownProviderError(f"no provider of {platform!r}; there are {', '.join(_WEB)}")
    return _WEB[platform]


def _own(name: str) -> ProviderFactory:
    module, colon, attribute = name.partition(":")
    if not (module and colon and attribute):
        raise UnknownProviderError(f"{name!r} is neither {BUILT_IN!r} nor 'package.module:Class'")
    try:
        factory: ProviderFactory = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise UnknownProviderError(f"cannot load the provider {name!r}: {error}") from error
    return factory
