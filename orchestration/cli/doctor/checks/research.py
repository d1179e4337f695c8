"""Whether TikTok's Research API takes our client."""

import asyncio
import time
from collections.abc import Iterator

from orchestration.cli.doctor.checks.spending import spent_today
from orchestration.cli.doctor.finding import Finding, Installation, bad, ok, warn
from orchestration.resources.providers import client_of
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.paid.budget import Unlimited
from scrapers.provider import ClientCredentials
from scrapers.registry import RESEARCH
from scrapers.tiktok_research.client import ResearchClient
from scrapers.transport.pacing import Pace

SUBJECT = "TikTok's Research API"
SETTINGS = "TRACKER_TIKTOK_RESEARCH_CLIENT_KEY and TRACKER_TIKTOK_RESEARCH_CLIENT_SECRET"


def check_research(installation: Installation) -> Iterator[Finding]:
    """Ask for a token, where the API is named: no quota counts that. Say what was asked today."""
    settings = installation.settings
    client = client_of(settings)
    if client is None or RESEARCH not in settings.providers_of("tiktok"):
        return
    try:
        asyncio.run(_ask(client, settings.tiktok_research_base_url))
    except ScrapeError as error:
        message = f"{error.detail} ({error.outcome})"
        if error.outcome is Outcome.LOGIN_REQUIRED:
            yield bad(SUBJECT, message, f"Correct {SETTINGS}.")
        else:
            yield warn(SUBJECT, message, "Look again later; a chain asks the next one meanwhile.")
    else:
        yield ok(SUBJECT, "takes the client")
    yield from spent_today(settings, RESEARCH, SUBJECT)


async def _ask(client: ClientCredentials, base_url: str) -> None:
    pace = Pace(concurrency=1, requests_per_second=1.0)
    asking = ResearchClient(
        client, budget=Unlimited(), base_url=base_url, pace=pace, now=time.monotonic
    )
    try:
        await asking.require_token()
    finally:
        await asking.aclose()
