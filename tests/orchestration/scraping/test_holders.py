"""Who holds what a worker fetches."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sqlalchemy import text

from orchestration.running.progress import silent
from orchestration.scraping.worker import Scope, fetch_platform
from scrapers.snapshots import AccountTarget, ScrapeReport
from tests.factories.tracking import Customer
from tests.orchestration.scraping.test_claimed_fetches import Platform
from tests.orchestration.scraping.test_work_queue import queue_for
from warehouse.settings import Settings

HOLDERS = text("""
    select 'job', lease_holder from scrape_jobs where lease_expires_at is not null
    union all
    select 'due', lease_holder from visits where lease_expires_at is not null
""")


async def test_a_worker_holds_the_jobs_and_due_fetches_that_it_has_claimed(
    customer: Customer, settings: Settings
) -> None:
    queue_for(customer.store, customer.account("requested"), "creator_profiles")
    customer.account("due")
    holders: dict[str, tuple[str, str]] = {}

    class Watching(Platform):
        async def profile(self, target: AccountTarget) -> ScrapeReport:
            with customer.store.read_session() as session:
                [(kind, holder)] = session.execute(HOLDERS).all()
            holders[target.handle] = kind, holder
            return await super().profile(target)

    @asynccontextmanager
    async def open_platform(*_: object) -> AsyncIterator[Platform]:
        yield Watching(Counter())

    await fetch_platform(
        settings, customer.store, "tiktok", open_platform, silent, Scope.DUE, "one"
    )
    assert holders == {"requested": ("job", "one"), "due": ("due", "one")}
