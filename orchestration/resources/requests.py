"""Requests for a platform, counted by day in PostgreSQL: what its daily budget goes by."""

import asyncio
from contextlib import ExitStack

from orchestration.resources.opened_once import OpenedOnce
from warehouse.operational.spending import Spent, add
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.settings import Settings

AT_A_TIME = 20
"""Requests of which nobody else knows yet, at most: to tell of each would cost a round trip."""


class RequestCounter:
    """Counts the requests of one process for one platform, whoever answers them.

    Days are UTC's of business time, by which fetches are due.
    """

    def __init__(self, settings: Settings, platform: str) -> None:
        self._settings = settings
        self._platform = platform
        self._store = OpenedOnce(self._open)
        self._untold = 0

    async def sent(self) -> None:
        """Count a request."""
        self._untold += 1
        if self._untold >= AT_A_TIME:
            await self._tell()

    async def aclose(self) -> None:
        """Tell the rest, and let go of the store."""
        if self._untold:
            await self._tell()
        await self._store.aclose()

    async def _tell(self) -> None:
        requests, self._untold = self._untold, 0
        await asyncio.to_thread(self._add, await self._store.get(), requests)

    def _add(self, store: OperationalStore, requests: int) -> None:
        with store.engine.begin() as connection:
            add(connection, self._platform, store.clock().date(), Spent(requests))

    def _open(self, opened: ExitStack) -> OperationalStore:
        return opened.enter_context(operational_store(self._settings))
