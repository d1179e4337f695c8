"""Budgets of commercial providers: counts survive restarts, and spending is reported by name."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from orchestration.resources.budgets import DailyBudget
from orchestration.resources.providers import open_provider
from scrapers.outcomes import Outcome
from scrapers.paid.budget import BudgetSpentError
from scrapers.provider import CommentProvider
from scrapers.registry import PAID
from scrapers.snapshots import AccountTarget, ScrapeReport
from tests.fixtures.paid import PaidServer, Reply, running_paid_server
from tests.scrapers.conftest import PAYLOADS
from warehouse.clock import system_clock
from warehouse.operational.spending import Spent, spent_on
from warehouse.operational.store import OperationalStore
from warehouse.platforms import PLATFORMS
from warehouse.settings import Settings

DEMO = AccountTarget(platform="tiktok", handle="demo.creator")
PROFILE = PAID["scrapecreators"].tiktok["profile"].path
ANSWER = (PAYLOADS / "scrapecreators" / "tiktok_profile.json").read_text("utf-8")
LATE = datetime(2026, 11, 21, 23, 59, tzinfo=UTC)


@pytest.fixture
def server() -> Iterator[PaidServer]:
    with running_paid_server() as paid:
        paid.routes = {PROFILE: Reply(body=ANSWER)}
        yield paid


@pytest.fixture
def chained(settings: Settings, server: PaidServer) -> Settings:
    """TikTok's fallback chain: its pages, blocked by a wall, then ScrapeCreators."""
    return settings.model_copy(
        update={
            "tiktok_providers": ("web", "scrapecreators"),
            "tiktok_base_url": f"{server.base_url}/tiktok",
            "scrapecreators_base_url": server.base_url,
            "scrapecreators_api_key": SecretStr("sc-invented-secret-key-0123456789"),
            "scrapecreators_requests_per_day": 2,
            "scrape_requests_per_second": 10_000.0,
        }
    )


def spent_today(store: OperationalStore, day: date) -> dict[str, Spent]:
    """What providers cost today, without the request counts of each platform."""
    with store.read_session() as session:
        return {
            name: spent for name, spent in spent_on(session, day).items() if name not in PLATFORMS
        }


async def fetch(settings: Settings) -> Any:
    async with open_provider(settings, "tiktok") as provider:
        return await provider.profile(DEMO)


def walled(server: PaidServer) -> None:
    for path in ("/tiktok/@demo.creator", "/tiktok/embed/@demo.creator"):
        server.routes[path] = Reply(403, "no")


async def test_the_next_provider_of_the_chain_is_used_and_its_cost_counted(
    chained: Settings, server: PaidServer, store: OperationalStore
) -> None:
    walled(server)
    report = await fetch(chained)
    assert (report.outcome, report.source) == (Outcome.OK, "scrapecreators.tiktok_profile")
    assert report.detail.startswith("web ended ")
    today = system_clock().date()
    assert spent_today(store, today) == {"scrapecreators": Spent(1, Decimal("0.00188"))}


async def test_a_spent_budget_is_named_and_outlives_the_process(
    chained: Settings, server: PaidServer
) -> None:
    walled(server)
    for _ in range(2):
        assert (await fetch(chained)).outcome is Outcome.OK
    report = await fetch(chained)
    assert (report.outcome, report.account) == (Outcome.BUDGET_SPENT, None)
    assert report.detail.startswith("web ended ")
    assert "the day's budget for scrapecreators (2 requests and $5) is spent" in report.detail
    assert "TRACKER_SCRAPECREATORS_REQUESTS_PER_DAY" in report.detail
    assert server.paths.count(PROFILE) == 2


async def test_the_chain_continues_after_a_spent_budget(
    chained: Settings, server: PaidServer
) -> None:
    nothing = {
        "tiktok_providers": ("scrapecreators", "tests.orchestration.scraping.test_budgets:Own"),
        "scrapecreators_usd_per_day": Decimal("0.001"),
    }
    report = await fetch(chained.model_copy(update=nothing))
    assert (report.outcome, report.source) == (Outcome.NOT_FOUND, "own")
    assert PROFILE not in server.paths


class Own:
    """A custom provider that finds no account."""

    platform = "tiktok"
    name = "own"

    def __init__(self, **_: Any) -> None: ...

    async def profile(self, _target: AccountTarget) -> Any:
        return ScrapeReport(outcome=Outcome.NOT_FOUND, source="own")

    async def aclose(self) -> None: ...


async def test_a_day_is_in_utc_by_the_real_clock(
    settings: Settings, store: OperationalStore
) -> None:
    now = LATE
    most = settings.model_copy(
        update={"scrapecreators_requests_per_day": 1, "now": datetime(2020, 1, 1, tzinfo=UTC)}
    )
    budget = DailyBudget(most, "scrapecreators", clock=lambda: now)
    try:
        await budget.authorize(1)
        with pytest.raises(BudgetSpentError):
            await budget.authorize(1)
        await budget.charge(14)
        now = datetime(2026, 11, 22, tzinfo=UTC)
        await budget.authorize(1)
    finally:
        await budget.aclose()
    assert spent_today(store, LATE.date()) == {"scrapecreators": Spent(1, Decimal("0.0282"))}
    assert spent_today(store, now.date()) == {"scrapecreators": Spent(1, Decimal("0.00188"))}


async def test_a_fallback_chain_reads_comments_if_any_provider_does(chained: Settings) -> None:
    async with open_provider(chained, "tiktok") as provider:
        assert isinstance(provider, CommentProvider)
        assert provider.name == "web,scrapecreators"


async def test_without_budgets_no_database_is_opened(tmp_path: Path) -> None:
    settings = Settings(_env_file=None, home=tmp_path)
    async with open_provider(settings, "tiktok"):
        pass
    assert not any(tmp_path.iterdir())  # noqa: ASYNC240  a folder of the test's own
