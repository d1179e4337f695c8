"""A listing leaves no gap only in accounts without missing posts before its last page."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

import pytest

from orchestration.scraping.account_fetches import Fetcher
from orchestration.scraping.crawl import AccountFetch, Buffer, crawl
from orchestration.scraping.work_queue import WorkQueue
from scrapers.outcomes import Outcome
from scrapers.snapshots import AccountTarget, ScrapeReport
from tests.factories.tracking import Customer, add_organization, change
from tests.orchestration.own_provider import COUNTED, NOON, OwnProvider
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter
from warehouse.operational.models import Account
from warehouse.operational.store import OperationalStore
from warehouse.registration.register import register_one
from warehouse.scrape_jobs.queue import enqueue
from warehouse.settings import Settings

YESTERDAY = NOON - timedelta(days=1)


@dataclass
class Complete(OwnProvider):
    """A provider whose list has one page, read to the start or to known posts."""

    async def discover(
        self, target: AccountTarget, *, since: datetime, known: Collection[str]
    ) -> ScrapeReport:
        return ScrapeReport(outcome=Outcome.OK, source="own", videos=(COUNTED,), reached_known=True)


@pytest.fixture
def rival(store: OperationalStore) -> Customer:
    return Customer(store, add_organization(store, "Rival"))


@dataclass
class Worker:
    """Fetches the accounts of a work queue, and registers them afterwards."""

    store: OperationalStore
    settings: Settings

    @property
    def work_queue(self) -> WorkQueue:
        return WorkQueue(self.store, "tiktok", Fetcher(Complete(), lambda: NOON))

    async def fetch(self, account_fetches: list[AccountFetch]) -> None:
        landing = open_landing(self.settings)
        register = partial(register_one, self.store, landing)
        buffer = Buffer(LandingWriter(landing), lambda _fetch: None, register)
        await crawl(account_fetches, buffer, concurrency=1)

    def discovered_at(self, account: UUID) -> datetime | None:
        with self.store.read_session() as session:
            return session.get_one(Account, account).last_discovered_at


@pytest.fixture
def worker(store: OperationalStore, settings: Settings) -> Worker:
    return Worker(store, settings)


@pytest.mark.parametrize("lacks_since", [None, NOON - timedelta(days=3)])
async def test_a_discovery_that_a_later_window_requested_leaves_the_gap_of_another_project(
    worker: Worker, customer: Customer, rival: Customer, lacks_since: datetime | None
) -> None:
    whole = customer.account("demo", last_discovered_at=lacks_since)
    recent = rival.account("demo", tracking_start_date=YESTERDAY.date())
    with customer.store.write_session() as session:
        enqueue(session, job_type="discover_videos", account=session.get_one(Account, recent))
    await worker.fetch([*next(worker.work_queue.claim_fetches(set()))])
    assert worker.discovered_at(recent) == NOON
    assert worker.discovered_at(whole) == lacks_since
    await worker.fetch([*worker.work_queue.accounts(NOON)])
    assert worker.discovered_at(whole) == NOON


def grow(customer: Customer, account: UUID) -> None:
    change(customer.store, Account, account, tracking_start_date=None, last_discovered_at=None)


def add_again(customer: Customer, _account: UUID) -> None:
    Customer(customer.store, add_organization(customer.store, "Late")).account("demo")


@pytest.mark.parametrize("happens", [grow, add_again])
async def test_a_discovery_down_to_known_posts_leaves_gaps_that_appeared_meanwhile(
    worker: Worker, customer: Customer, happens: Callable[[Customer, UUID], None]
) -> None:
    account = customer.account(
        "demo", tracking_start_date=YESTERDAY.date(), last_discovered_at=YESTERDAY
    )
    customer.video("9", account=account, posted_at=YESTERDAY)
    account_fetches = [*worker.work_queue.accounts(NOON)]
    happens(customer, account)
    await worker.fetch(account_fetches)
    with customer.store.read_session() as session:
        dates = {row.id: row.last_discovered_at for row in session.query(Account)}
    gaps = [key for key, at in dates.items() if at is None]
    assert len(gaps) == 1
    await worker.fetch([*worker.work_queue.accounts(NOON)])
    assert worker.discovered_at(gaps[0]) == NOON
