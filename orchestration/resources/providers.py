"""Platform providers as the settings name them."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, aclosing

from scrapers.provider import Credentials, Provider
from scrapers.registry import GRAPH, build_provider
from scrapers.transport.pacing import Pace
from warehouse.settings import Settings

PLATFORMS = ("tiktok", "instagram")

OpenProvider = Callable[[Settings, str], AbstractAsyncContextManager[Provider]]


def open_provider(settings: Settings, platform: str) -> AbstractAsyncContextManager[Provider]:
    """Build the provider of `platform`; leaving the context lets go of its connections.

    Raises UnknownProviderError where the settings name one that is not there.
    """
    provider, base_url = _named(settings, platform)
    pace = Pace(
        concurrency=settings.scrape_concurrency,
        requests_per_second=settings.scrape_requests_per_second,
    )
    return aclosing(
        build_provider(
            platform,
            provider=provider,
            base_url=base_url,
            pace=pace,
            clock=settings.clock,
            credentials=_credentials(settings),
        )
    )


def _named(settings: Settings, platform: str) -> tuple[str, str]:
    """Return a platform's provider and where it asks."""
    if platform == "tiktok":
        return settings.tiktok_provider, settings.tiktok_base_url
    if settings.instagram_provider == GRAPH:
        return GRAPH, settings.instagram_graph_base_url
    return settings.instagram_provider, settings.instagram_base_url


def _credentials(settings: Settings) -> Credentials | None:
    """Return who asks the official API, where the settings say so."""
    user_id, token = settings.instagram_graph_user_id, settings.instagram_graph_access_token
    return Credentials(user_id=user_id, access_token=token) if user_id and token else None
