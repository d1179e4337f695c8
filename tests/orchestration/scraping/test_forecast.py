"""A forecast beside what workers then ask a platform for, over simulated days."""

from collections import Counter
from datetime import datetime, timedelta
from functools import partial

import pytest
from sqlalchemy import text

from orchestration.resources.providers import RequestCounter
from orchestration.scraping.account_fetches import Fetcher
from orchestration.scraping.claimed_fetches import fetch_claimed
from orchestration.scraping.crawl import Buffer
from scrapers.simulator import RunningSimulator
from scrapers.simulator.records import TruePost
from scrapers.tiktok.provider import TikTokProvider
from scrapers.transport.pacing import Pace
from serving_api.resources.organization.fetch_forecasts import LookForecast, look_forecast
from tests.factories.tracking import change
from tests.orchestration.scraping.conftest import NOW
from tests.orchestration.scraping.counted import Counted
from warehouse.clock import fixed_clock
from warehouse.fetch_schedule.budget import PER_ACCOUNT_FETCH, claim_due
from warehouse.fetch_schedule.freshness import Freshness
from warehouse.fetch_schedule.members import plan_everything
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter
from warehouse.operational.models import Organization
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.spending import spent_on
from warehouse.operational.store import OperationalStore
from warehouse.provider_settings import requests_per_day
from warehouse.registration.register import register_landed
from warehouse.settings import Settings

pytestmark = pytest.mark.slow

DAYS = 1
ROUND = timedelta(minutes=10)
TOLERANCE = 0.15
"""How far a forecast of some days may be from what is then asked for."""


class Worker:
    """Makes rounds on TikTok's simulator; requests are counted by what they ask for."""

    def __init__(
        self, settings: Settings, store: OperationalStore, simulator: RunningSimulator
    ) -> None:
        self._settings = settings
        self._opened = store
        self._simulator = simulator
        self.transport = Counted()
        self.now = NOW
        self.most: int | None = None

    @property
    def store(self) -> OperationalStore:
        """The store by the clock of the simulated days."""
        opened, clock = self._opened, fixed_clock(self.now)
        return OperationalStore(opened.engine, opened.snapshots, opened.autocommit, clock)

    async def until(self, end: datetime) -> None:
        """Make rounds from now on, where anything is due."""
        while self.now < end:
            await self._round()
            with self.store.read_session() as session:
                due_at = session.scalars(text("select min(due_at) from visits")).one()
            self.now += ROUND
            while self.now < due_at:
                self.now += ROUND

    async def _round(self) -> None:
        self._simulator.set_now(self.now)
        with self.store.write_session() as session:
            plan_everything(session)
        counter = RequestCounter(self._settings.at(self.now), "tiktok")
        provider = TikTokProvider(
            base_url=self._simulator.tiktok_url,
            pace=Pace(4, 10_000.0, sent=counter.sent),
            clock=fixed_clock(self.now),
            transport=self.transport,
        )
        buffer = Buffer(LandingWriter(open_landing(self._settings)), lambda _fetch: None)
        fetcher = Fetcher(provider, fixed_clock(self.now))
        claim = partial(claim_due, most=self.most)
        await fetch_claimed(self.store, "tiktok", fetcher, buffer, claim, concurrency=4)
        await provider.aclose()
        await counter.aclose()
        register_landed(self.store, self._settings.at(self.now))


@pytest.fixture
def worker(settings: Settings, store: OperationalStore, simulator: RunningSimulator) -> Worker:
    return Worker(settings, store, simulator)


def foretold(worker: Worker, days: int) -> LookForecast:
    return look_forecast(worker.store, {"tiktok": ["web"]}, {"tiktok": worker.most}, days)


@pytest.mark.parametrize("freshness", ["standard", "frugal"])
async def test_a_forecast_is_near_to_what_is_asked_for_in_the_days_to_come(
    worker: Worker,
    organization: NewOrganization,
    tracked: dict[str, list[TruePost]],
    freshness: Freshness,
) -> None:
    assert tracked
    change(worker.store, Organization, organization.organization_id, freshness=freshness)
    await worker.until(NOW + timedelta(hours=12))
    prediction, begins = foretold(worker, DAYS), worker.now
    worker.transport.requests = Counter()
    await worker.until(begins + timedelta(days=DAYS))
    [platform] = prediction.platforms
    requests = worker.transport.requests
    assert platform.requests == pytest.approx(requests.total(), rel=TOLERANCE)
    assert platform.by_route.profile == pytest.approx(requests["profile"], rel=TOLERANCE)
    assert platform.by_route.posts == pytest.approx(requests["list"], rel=TOLERANCE)
    [fresh] = prediction.freshness
    assert (fresh.freshness, fresh.late_post_count) == (freshness, 0)


async def test_a_day_has_no_more_requests_than_it_may_and_they_are_counted(
    worker: Worker,
    organization: NewOrganization,
    tracked: dict[str, list[TruePost]],
    settings: Settings,
) -> None:
    assert tracked
    change(worker.store, Organization, organization.organization_id, freshness="frugal")
    worker.most = 40
    await worker.until(NOW + timedelta(hours=18))
    requests = worker.transport.requests.total()
    with worker.store.read_session() as session:
        assert spent_on(session, NOW.date())["tiktok"].requests == requests
    # what an account fetch takes is not known before it: the last ones may take a page or two more
    assert 40 - 2 * PER_ACCOUNT_FETCH <= requests <= 40 + 4 * PER_ACCOUNT_FETCH
    assert requests_per_day(settings, "tiktok") is None
