"""A provider of a user's own, as the settings would name it: `package.module:Class`."""

from collections.abc import Collection
from datetime import datetime

from scrapers.outcomes import Outcome
from scrapers.provider import Clock
from scrapers.snapshots import AccountTarget, PostTarget, ScrapeReport
from scrapers.transport.pacing import Pace


class OwnProvider:
    """Knows nothing, politely."""

    platform = "tiktok"
    name = "own"

    def __init__(self, *, base_url: str, pace: Pace, clock: Clock) -> None:
        self.arguments = (base_url, pace, clock)

    async def profile(self, target: AccountTarget) -> ScrapeReport:
        return ScrapeReport(outcome=Outcome.NOT_FOUND, source=self.name)

    async def discover(
        self, target: AccountTarget, *, since: datetime, known: Collection[str]
    ) -> ScrapeReport:
        return ScrapeReport(outcome=Outcome.NOT_FOUND, source=self.name)

    async def post(self, target: PostTarget) -> ScrapeReport:
        return ScrapeReport(outcome=Outcome.NOT_FOUND, source=self.name)

    async def aclose(self) -> None:
        return None
