"""What may be spent on commercial providers in a day, counted in PostgreSQL."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from datetime import date
from decimal import Decimal

from sqlalchemy import Connection

from scrapers.paid.budget import BudgetSpentError
from scrapers.paid.settings import PaidRoutes
from warehouse.clock import Clock, system_clock
from warehouse.operational.spending import Spent, add, spend
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.settings import Settings


def most_of(settings: Settings, provider: str) -> Spent:
    """Return what may be spent on a provider in a day."""
    values = dict(settings)
    return Spent(values[f"{provider}_requests_per_day"], values[f"{provider}_usd_per_day"])


class DailyBudget:
    """A scrapers.paid.budget.Budget that all processes on one database share.

    The day is UTC's by the real clock (money is spent in it, whatever TRACKER_NOW says). The store
    is opened at the first request and let go by `aclose`.
    """

    def __init__(
        self, settings: Settings, routes: PaidRoutes, *, clock: Clock = system_clock
    ) -> None:
        self._settings = settings
        self._provider = routes.name
        self._usd_per_unit = routes.price.usd_per_unit
        self._most = most_of(settings, routes.name)
        self._clock = clock
        self._opened = ExitStack()
        self._store: OperationalStore | None = None
        self._opening = asyncio.Lock()

    async def admit(self, units: int) -> None:
        """Count a request that is about to be sent. Raises BudgetSpentError, counting nothing."""
        await self._admitted(Spent(1, self._usd(units)))

    async def charge(self, units: int) -> None:
        """Count units that an answer said it cost beyond those admitted. Never refuses."""
        await self._counted(Spent(0, self._usd(units)), self._today(), within=None)

    async def reserve(self, units: int) -> "Reserved":
        """Count what a run may cost at most. Raises BudgetSpentError, counting nothing.

        A process that dies leaves it counted: the run may go on without us.
        """
        day = await self._admitted(Spent(0, self._usd(units)))
        return Reserved(lambda settled: self._settled(settled - units, day))

    async def aclose(self) -> None:
        """Let go of the store."""
        await asyncio.to_thread(self._opened.close)

    def _usd(self, units: int) -> Decimal:
        return units * self._usd_per_unit

    def _today(self) -> date:
        return self._clock().date()

    async def _admitted(self, cost: Spent) -> date:
        today = self._today()
        if not await self._counted(cost, today, within=self._most):
            raise BudgetSpentError(
                f"the day's budget for {self._provider} ({self._most.requests} requests, "
                f"${self._most.usd}) is spent, see TRACKER_{self._provider.upper()}"
                "_REQUESTS_PER_DAY and _USD_PER_DAY"
            )
        return today

    async def _settled(self, difference: int, day: date) -> None:
        await self._counted(Spent(0, self._usd(difference)), day, within=None)

    async def _counted(self, cost: Spent, day: date, *, within: Spent | None) -> bool:
        async with self._opening:
            if self._store is None:
                self._store = await asyncio.to_thread(self._open)
        return await asyncio.to_thread(self._count, self._store, day, cost, within)

    def _open(self) -> OperationalStore:
        return self._opened.enter_context(operational_store(self._settings))

    def _count(self, store: OperationalStore, day: date, cost: Spent, within: Spent | None) -> bool:
        with store.engine.begin() as connection:
            return _count_on(connection, self._provider, day, cost, within)


class Reserved:
    """What a run may cost, counted on the day of its start whenever it ends."""

    def __init__(self, settled: Callable[[int], Awaitable[None]]) -> None:
        self._settled = settled

    async def settle(self, units: int) -> None:
        """Count these units in place of those reserved. Never refuses."""
        await self._settled(units)


def _count_on(
    connection: Connection, provider: str, day: date, cost: Spent, within: Spent | None
) -> bool:
    if within is not None:
        return spend(connection, provider, day, cost, within)
    add(connection, provider, day, cost)
    return True
