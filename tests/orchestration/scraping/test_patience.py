"""A crawl waits for the pauses that a platform requests, up to a total limit."""

import asyncio
from dataclasses import dataclass

from orchestration.scraping.fetches import fetch_one
from orchestration.scraping.patience import Patience
from scrapers.outcomes import Outcome
from scrapers.snapshots import ScrapeReport
from tests.orchestration.own_provider import DEMO, NOON


@dataclass
class Time:
    """Time that passes only by sleeping."""

    seconds: float = 0.0

    async def sleep(self, seconds: float) -> None:
        until = self.seconds + seconds
        await asyncio.sleep(0)  # lets others begin to wait
        self.seconds = max(self.seconds, until)

    def now(self) -> float:
        return self.seconds

    def patience(self, seconds: float) -> Patience:
        return Patience(seconds, sleep=self.sleep, now=self.now)


async def test_patience_outlasts_pauses_until_it_is_spent() -> None:
    time = Time()
    patience = time.patience(900)
    assert [await patience.outlasts(400) for _ in range(3)] == [True, True, False]
    assert time.seconds == 800
    assert await patience.outlasts(100)


async def test_concurrent_waits_happen_and_are_reported_once() -> None:
    time = Time()
    waits: list[float] = []
    patience = Patience(400, on_wait=waits.append, sleep=time.sleep, now=time.now)
    waited = await asyncio.gather(*(patience.outlasts(300) for _ in range(16)))
    assert waited == [True] * 16
    assert (time.seconds, waits) == (300, [300])
    assert not await patience.outlasts(101)
    assert await patience.outlasts(100)


async def test_a_fetch_is_retried_after_the_pause() -> None:
    time = Time()
    answers = [
        ScrapeReport(outcome=Outcome.RATE_LIMITED, source="own", wait_seconds=300),
        ScrapeReport(outcome=Outcome.RATE_LIMITED, source="own", wait_seconds=200),
        ScrapeReport(outcome=Outcome.OK, source="own"),
    ]

    async def ask() -> ScrapeReport:
        return answers.pop(0)

    fetch = await fetch_one(
        "creator_profiles", DEMO, ask, clock=lambda: NOON, patience=time.patience(900)
    )
    assert (fetch.report.outcome, fetch.was_left, time.seconds) == (Outcome.OK, False, 500)


async def test_a_fetch_is_left_for_a_longer_pause() -> None:
    time = Time()

    async def ask() -> ScrapeReport:
        return ScrapeReport(outcome=Outcome.RATE_LIMITED, source="own", wait_seconds=901)

    fetch = await fetch_one(
        "creator_profiles", DEMO, ask, clock=lambda: NOON, patience=time.patience(900)
    )
    assert (fetch.was_left, time.seconds) == (True, 0)
