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
from scrapers.paid.budget import BudgetSpentError
from scrapers.registry import PAID
from warehouse.clock import Clock, system_clock
from warehouse.operational.spending import Spent, add, spend
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
        self._allowed = Allowance.of(settings, provider)
        self._clock = clock
        self._store = OpenedOnce(self._open)

    async def authorize(self, units: int) -> None:
        cost, most = Spent(1, self._usd(units)), self._allowed.most
        if not await self._on_store(partial(spend, cost=cost, most=most)):
            raise BudgetSpentError(
                f"the day's budget for {self._allowed.provider} ({most.requests} requests"
                f" and ${most.usd}) is spent, see {' and '.join(self._allowed.named)}"
            )

    async def charge(self, units: int) -> None:
        await self._on_store(partial(add, cost=Spent(0, self._usd(units))))

    async def aclose(self) -> None:
        await self._store.aclose()

    def _usd(self, units: int) -> Decimal:
        return units * self._allowed.usd_per_unit

    async def _on_store(self, count: Callable[[Connection, str, date], Result]) -> Result:
        """Run `count` for the provider and the present day, in one transaction of the store."""
        store = await self._store.get()

        def in_transaction() -> Result:
            with store.engine.begin() as connection:
                return count(connection, self._allowed.provider, self._clock().date())

        return await asyncio.to_thread(in_transaction)

    def _open(self, opened: ExitStack) -> OperationalStore:
        return opened.enter_context(operational_store(self._settings))
