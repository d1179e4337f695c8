"""PostgreSQL is away for a moment during a crawl: no fetch, lease or attempt is lost."""

from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import stamina
from dagster import DagsterInstance
from sqlalchemy import text
from sqlalchemy.exc import OperationalError
from structlog.testing import capture_logs

from orchestration.assembly import build_definitions
from orchestration.defs.jobs import scraping
from orchestration.resources import providers
from orchestration.resources.providers import AT_A_TIME, RequestCounter
from orchestration.running.progress import silent
from orchestration.scraping import claimed_fetches, crawl, worker
from orchestration.scraping.crawl import Buffer
from orchestration.scraping.worker import Scope, fetch_platform
from scrapers.snapshots import AccountTarget, ScrapeReport
from tests.factories.tracking import Customer
from tests.orchestration.scraping.test_claimed_fetches import Platform
from tests.orchestration.scraping.test_crawl import account_fetch_to, landed_handles
from tests.orchestration.scraping.test_work_queue import queue_for
from warehouse.landing.in_folder import FolderLanding
from warehouse.landing.writer import LandingWriter
from warehouse.operational.store import OperationalStore
from warehouse.settings import Settings

LEASES = text("""
    select
        (select count(*) from visits where lease_expires_at is not null),
        (select max(attempts) from scrape_jobs)
""")


class LostAtFirst:
    """Loses PostgreSQL at its first calls, then calls `real`."""

    def __init__(self, real: Any, losses: int) -> None:
        self._real = real
        self._losses = losses

    def __call__(self, *given: Any, **named: Any) -> Any:
        self._losses -= 1
        if self._losses >= 0:
            raise OperationalError("select", {}, Exception("connection refused"))
        return self._real(*given, **named)


@pytest.fixture(autouse=True)
def retries_at_once() -> Iterator[None]:
    with stamina.set_testing(True, attempts=9, cap=True):
        yield


async def test_a_crawl_goes_on_without_registration_and_renewal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Batches have landed: the next tick registers them."""
    monkeypatch.setattr(crawl, "FETCHES_PER_BATCH", 1)
    registered: list[object] = []
    register, renew = LostAtFirst(registered.append, 1), LostAtFirst(list, 2)
    buffer = Buffer(LandingWriter(FolderLanding(tmp_path)), lambda _fetch: None, register)
    account_fetches = (account_fetch_to(number) for number in range(3))
    await crawl.crawl(account_fetches, buffer, concurrency=1, renew=renew)
    assert landed_handles(tmp_path) == [["creator0"], ["creator1"], ["creator2"]]
    assert registered == buffer.tally.batches[1:]


async def test_requests_are_counted_once_it_is_back(
    customer: Customer, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the first report is missing from the day's limit, and ends the crawl."""
    monkeypatch.setattr(providers, "add", LostAtFirst(providers.add, 1))
    counter = RequestCounter(settings, "tiktok")
    for _ in range(AT_A_TIME):
        await counter.sent()
    await counter.sent()
    await counter.aclose()
    with customer.store.read_session() as session:
        counted = session.scalars(text("select sum(requests) from provider_spending")).one()
    assert counted == AT_A_TIME + 1


def test_the_log_has_the_error_of_a_step_whose_history_is_away(
    settings: Settings, store: OperationalStore
) -> None:
    """Dagster stores the error in PostgreSQL too, so a run could end without a reason."""

    @asynccontextmanager
    async def open_platform(*_: object) -> AsyncIterator[Platform]:
        raise OperationalError("select", {}, Exception("connection refused"))
        yield

    definitions = build_definitions(settings, store=store, open_provider=open_platform)
    with DagsterInstance.ephemeral() as instance, capture_logs() as logs:
        request = scraping("tiktok", Scope.NOTHING, {})
        definitions.resolve_job_def("scrape").execute_in_process(
            instance=instance,
            run_config=request.run_config,
            asset_selection=request.asset_selection,
            raise_on_error=False,
        )
    [error] = [entry["error"] for entry in logs if entry["event"] == "fetches_failed"]
    assert "connection refused" in error


@pytest.mark.parametrize("ends", ["settle", "release", "put_back"])
async def test_leases_end_once_postgresql_is_back_and_no_job_loses_an_attempt(
    customer: Customer, settings: Settings, monkeypatch: pytest.MonkeyPatch, ends: str
) -> None:
    module: Any = worker if ends == "put_back" else claimed_fetches
    monkeypatch.setattr(module, ends, LostAtFirst(getattr(module, ends), 3))
    account = customer.account("demo")
    if ends == "put_back":
        queue_for(customer.store, account, "creator_profiles")

    class Losing(Platform):
        async def profile(self, target: AccountTarget) -> ScrapeReport:
            if ends != "settle":
                raise OperationalError("select", {}, Exception("connection refused"))
            return await super().profile(target)

    @asynccontextmanager
    async def open_platform(*_: object) -> AsyncIterator[Platform]:
        yield Losing(Counter())

    tick = fetch_platform(settings, customer.store, "tiktok", open_platform, silent, Scope.DUE)
    if ends == "settle":
        await tick
    else:
        with pytest.raises(OperationalError):
            await tick
    with customer.store.read_session() as session:
        leases, attempts = session.execute(LEASES).one()
    assert (leases, attempts or 0) == (0, 0)
