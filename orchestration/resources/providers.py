"""Platform providers as the settings name them."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, aclosing

from scrapers.registry import build_provider

from scrapers.provider import Provider
from scrapers.transport.pacing import Pace
from warehouse.settings import Settings

PLATFORMS = ("tiktok", "instagram")

OpenProvider = Callable[[Settings, str], AbstractAsyncContextManager[Provider]]


def open_provider(settings: Settings, platform: str) -> AbstractAsyncContextManager[Provider]:
    """Build the provider of `platform`; leaving the context lets go of its connections."""
    named = {
        "tiktok": (settings.tiktok_provider, settings.tiktok_base_url),
        "instagram": (settings.instagram_provider, settings.instagram_base_url),
    }
    provider, base_url = named[platform]
    pace = Pace(
        concurrency=settings.scrape_concurrency,
        requests_per_second=settings.scrape_requests_per_second,
    )
    return aclosing(
        build_provider(
            platform, provider=provider, base_url=base_url, pace=pace, clock=settings.clock
        )
    )
