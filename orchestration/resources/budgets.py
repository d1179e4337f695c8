"""Daily request and money budgets of providers, counted in PostgreSQL."""

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import partial
from typing import Self, TypeVar

from sqlalchemy import Connection

from orchestration.resources.opened_once import OpenedOnce
from scrapers.paid.budget import BudgetSpentError, StartedRun
from scrapers.registry import PAID
from warehouse.clock import Clock, system_clock
from warehouse.operational.spending import (
    Run,
    Spent,
    add,
    find_run,
    forget_run,
    note_cost,
    note_run,
    spend,
)
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.provider_settings import DAILY_BUDGETS
from warehouse.settings import Settings


@dataclass(frozen=True, slots=True)
class Allowance:
    """A commercial provider's daily limits, and the names of the settings that define them."""

    provider: str
    most: Spent
    usd_per_unit: Decimal
    named: tuple[str, ...]

    @classmethod
    def of(cls, settings: Settings, provider: str) -> Self:
        named = DAILY_BUDGETS[provider]
        values = dict(settings)
        return cls(
            provider,
            Spent(**{unit: values[setting] for unit, setting in named.items()}),
            PAID[provider].price.usd_per_unit,
            tuple(f"TRACKER_{setting.upper()}" for setting in named.values()),
        )

    def is_used_up(self, spent: Spent) -> bool:
        """Return whether no further request fits."""
        has_no_requests_left = spent.requests >= self.most.requests
        return has_no_requests_left or spent.usd + self.usd_per_unit > self.most.usd


Result = TypeVar("Result")


class DailyBudget:
    """A scrapers.paid.budget.Budget that all processes on one database share.

    The day is UTC by the real clock, independent of TRACKER_NOW, because it is when money is
    spent. The store opens at the first request and closes with `aclose`.
    """

    def __init__(self, settings: Settings, provider: str, *, clock: Clock = system_clock) -> None:
        self._settings = settings
        self.provider = provider
        self._allowed = Allowance.of(settings, provider)
        self._clock = clock
        self._store = OpenedOnce(self._open)

    async def authorize(self, units: int) -> None:
        await self._authorized(Spent(1, self._usd(units)))

    async def charge(self, units: int) -> None:
        await self._counted(Spent(0, self._usd(units)), self._today(), within=None)

    async def reserve(self, units: int) -> "Reserved":
        """Count the maximum cost of a run. Raises BudgetSpentError, and then counts nothing.

        If the process dies, the amount stays counted: the run may continue without us.
        """
        day = await self._authorized(Spent(0, self._usd(units)))
        return Reserved(self, units, day)

    async def unsettled(self, key: str) -> tuple["Reserved", StartedRun] | None:
        run = await self.on_store(partial(find_run, provider=self.provider, request=key))
        if run is None:
            return None
        reserved = Reserved(self, run.units, run.day, run.run_id)
        return reserved, StartedRun(run.run_id, run.items_id, run.seconds_ago)

    async def aclose(self) -> None:
        await self._store.aclose()

    def _usd(self, units: int) -> Decimal:
        return units * self._allowed.usd_per_unit

    def _today(self) -> date:
        return self._clock().date()

    async def _authorized(self, cost: Spent) -> date:
        today = self._today()
        allowed = self._allowed
        if not await self._counted(cost, today, within=allowed.most):
            most = allowed.most
            raise BudgetSpentError(
                f"the day's budget for {allowed.provider} ({most.requests} requests"
                f" and ${most.usd}) is spent, see {' and '.join(allowed.named)}"
            )
        return today

    async def _counted(self, cost: Spent, day: date, *, within: Spent | None) -> bool:
        return await self.on_store(
            partial(_count_on, provider=self.provider, day=day, cost=cost, within=within)
        )

    def cost_of(self, units: int) -> Spent:
        """Return the price of units that belong to no counted request."""
        return Spent(0, self._usd(units))

    async def on_store(self, work: Callable[[Connection], Result]) -> Result:
        """Run `work` in one transaction of the store."""
        store = await self._store.get()

        def in_transaction() -> Result:
            with store.engine.begin() as connection:
                return work(connection)

        return await asyncio.to_thread(in_transaction)

    def _open(self, opened: ExitStack) -> OperationalStore:
        return opened.enter_context(operational_store(self._settings))


class Reserved:
    """The maximum cost of a run, counted on the day it started."""

    def __init__(
        self, budget: DailyBudget, units: int, day: date, run_id: str | None = None
    ) -> None:
        self._budget = budget
        self._units = units
        self._day = day
        self._run_id = run_id

    async def note_run(self, key: str, run: StartedRun) -> None:
        self._run_id = run.id
        row = Run(run.id, run.items_id, self._units, self._day)
        provider = self._budget.provider
        await self._budget.on_store(partial(note_run, provider=provider, request=key, run=row))

    async def forget_run(self) -> None:
        await self._budget.on_store(self._forget)

    async def settle(self, units: int) -> None:
        """Count the actual units in place of those reserved; the run stays stored. Never refuses.

        A stored run has its own counted units, because several fetches may follow it.
        """
        provider = self._budget.provider

        def settled(connection: Connection) -> None:
            counted: int | None = self._units
            if self._run_id is not None:
                counted = note_cost(connection, provider, self._run_id, units)
            if counted is not None:
                cost = self._budget.cost_of(units - counted)
                add(connection, provider, self._day, cost)

        await self._budget.on_store(settled)
        self._units = units

    def _forget(self, connection: Connection) -> None:
        if self._run_id is not None:
            forget_run(connection, self._budget.provider, self._run_id)


def _count_on(
    connection: Connection, provider: str, day: date, cost: Spent, within: Spent | None
) -> bool:
    if within is not None:
        return spend(connection, provider, day, cost, within)
    add(connection, provider, day, cost)
    return True
