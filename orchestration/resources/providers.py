"""Builds the platform providers that the settings name."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    ExitStack,
    aclosing,
    asynccontextmanager,
)
from typing import Protocol

import structlog

from orchestration.resources.budgets import DailyBudget
from orchestration.resources.opened_once import OpenedOnce
from orchestration.resources.paces import SharedKeeper
from orchestration.resources.tokens import StoredTokens
from orchestration.scraping.failures import LOST_DATABASE
from scrapers.consent.registry import logins_of
from scrapers.consent.tokens import Tokens
from scrapers.fallback_chain import with_fallbacks
from scrapers.provider import Credentials, Provider
from scrapers.registry import (
    CONNECTED,
    GRAPH,
    PAID,
    Account,
    build_provider,
    use_routes,
)
from scrapers.transport.pacing import Pace, Share
from warehouse.operational.errors import OperationalStoreError
from warehouse.operational.spending import Spent, add
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.platforms import PLATFORMS
from warehouse.settings import Settings

AT_A_TIME = 20
"""Maximum number of unreported requests; reporting each would cost a round trip."""

log = structlog.get_logger(__name__)


class RequestCounter:
    """Counts the requests of one process for one platform, over all its providers.

    Days are UTC by business time, like due times of fetches.
    """

    def __init__(self, settings: Settings, platform: str) -> None:
        self._settings = settings
        self._platform = platform
        self._store = OpenedOnce(self._open)
        self._untold = 0

    async def sent(self) -> None:
        self._untold += 1
        if self._untold % AT_A_TIME == 0:
            try:
                await self._report()
            except (*LOST_DATABASE, OperationalStoreError) as lost:
                log.warning("requests_counted_later", error=str(lost))

    async def aclose(self) -> None:
        """Report the remaining requests, and close the store."""
        try:
            if self._untold:
                await self._report()
        finally:
            await self._store.aclose()

    async def _report(self) -> None:
        store = await self._store.get()
        requests, self._untold = self._untold, 0  # if cancelled, the thread still adds them
        try:
            await asyncio.to_thread(self._add, store, requests)
        except Exception:
            self._untold += requests
            raise

    def _add(self, store: OperationalStore, requests: int) -> None:
        with store.engine.begin() as connection:
            add(connection, self._platform, store.clock().date(), Spent(requests))

    def _open(self, opened: ExitStack) -> OperationalStore:
        return opened.enter_context(operational_store(self._settings))


JITTER = 0.25
"""Random delay of each request, as a share of the spacing between two requests."""


class OpenProvider(Protocol):
    """Opens the provider of a platform: `open_provider`, or a test's substitute."""

    def __call__(
        self, settings: Settings, platform: str, share: Share | None = None
    ) -> AbstractAsyncContextManager[Provider]:
        """Return the open provider; `share` limits it to a share of the pace."""
        ...


@asynccontextmanager
async def open_provider(
    settings: Settings, platform: str, share: Share | None = None
) -> AsyncIterator[Provider]:
    """Build the provider of `platform`, or its fallback chain.

    It shares one pace with all other processes; `share` limits it to a share of that. Leaving the
    context closes its connections. Raises UnknownProviderError for an unknown provider in the
    settings, and BadRoutesError for an invalid routes file.
    """
    use_routes(platform, dict(settings)[f"{platform}_routes"])
    async with AsyncExitStack() as opened:
        pace = _pace(settings, platform, share, opened)
        members = [
            await opened.enter_async_context(
                aclosing(_built(settings, platform, name, pace, opened))
            )
            for name in settings.providers_of(platform)
        ]
        yield with_fallbacks(members)


def paid_in(settings: Settings) -> list[str]:
    """Return the commercial providers that the settings name, each once."""
    named = [name for platform in PLATFORMS for name in settings.providers_of(platform)]
    return [name for name in PAID if name in named]


def base_url_of(settings: Settings, platform: str, name: str) -> str:
    values = dict(settings)
    if name == GRAPH:
        return settings.instagram_graph_base_url
    if name in CONNECTED:
        login: str = values[f"{CONNECTED[name].platform}_login_api_base_url"]
        return login
    url: str = values[f"{name if name in PAID else platform}_base_url"]
    return url


def _pace(settings: Settings, platform: str, share: Share | None, opened: AsyncExitStack) -> Pace:
    keeper = SharedKeeper(settings)
    counter = RequestCounter(settings, platform)
    opened.push_async_callback(keeper.aclose)
    opened.push_async_callback(counter.aclose)
    return Pace(
        concurrency=settings.scrape_concurrency,
        requests_per_second=settings.scrape_requests_per_second,
        keeper=keeper,
        share=share,
        jitter=JITTER,
        sent=counter.sent,
    )


def _built(
    settings: Settings, platform: str, name: str, pace: Pace, opened: AsyncExitStack
) -> Provider:
    return build_provider(
        platform,
        provider=name,
        base_url=base_url_of(settings, platform, name),
        pace=pace,
        clock=settings.clock,
        credentials=_credentials(settings),
        account=_account(settings, name, opened),
        tokens=_tokens(settings, platform, name, opened),
    )


def _credentials(settings: Settings) -> Credentials | None:
    """Return the credentials of the official API, or None if not set."""
    user_id, token = settings.instagram_graph_user_id, settings.instagram_graph_access_token
    return Credentials(user_id=user_id, access_token=token) if user_id and token else None


def _tokens(settings: Settings, platform: str, name: str, opened: AsyncExitStack) -> Tokens | None:
    """Return the tokens of connected accounts, or None without an OAuth app."""
    login = logins_of(dict(settings)).get(platform)
    if name not in CONNECTED or login is None:
        return None
    tokens = StoredTokens(settings, login)
    opened.push_async_callback(tokens.aclose)
    return tokens


def _account(settings: Settings, name: str, opened: AsyncExitStack) -> Account | None:
    """Return our account with a commercial provider, or None without its key."""
    key = dict(settings).get(f"{name}_api_key") if name in PAID else None
    if not key:
        return None
    return Account(key=key, budget=_budget(settings, name, opened))


def _budget(settings: Settings, name: str, opened: AsyncExitStack) -> DailyBudget:
    budget = DailyBudget(settings, name)
    opened.push_async_callback(budget.aclose)
    return budget
