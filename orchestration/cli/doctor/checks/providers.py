"""Whether the settings name providers that are there, with all that they need."""

import asyncio
from collections.abc import Iterator

from orchestration.cli.doctor.finding import Finding, Installation, bad, ok
from orchestration.resources.providers import open_provider
from warehouse.platforms import PLATFORMS
from warehouse.settings import Settings


def check_providers(installation: Installation) -> Iterator[Finding]:
    """Build each platform's providers, which asks nobody anything, and let go of them."""
    for platform in PLATFORMS:
        try:
            name = asyncio.run(_build(installation.settings, platform))
        except Exception as error:  # also whatever a user's own class raises
            names = f"TRACKER_{platform.upper()}_PROVIDERS and what they need"
            routes = f"the file that TRACKER_{platform.upper()}_ROUTES names"
            yield bad("providers", f"{platform}: {error}", f"Correct {names}, or {routes}.")
        else:
            yield ok("providers", f"{platform}: {name}")


async def _build(settings: Settings, platform: str) -> str:
    async with open_provider(settings, platform) as provider:
        return provider.name
