"""Client of commercial providers with runs: starts a run, and pays for its items.

A run is started once, whatever the response, and its maximum cost is reserved before. Only starts
count as requests: items already paid for are fetched regardless of the budget. The run's id is
stored until its items have landed: within an hour another fetch of the same targets follows it and
pays for no other.
"""

import asyncio
import hashlib

from scrapers.outcomes import ScrapeError
from scrapers.paid.answers import ProviderAnswer, accepted_items
from scrapers.paid.budget import Reservation, StartedRun
from scrapers.paid.client import if_missing
from scrapers.paid.dialect import RunTargets
from scrapers.paid.following import FollowingClient, Run
from scrapers.paid.items import is_error, refused_in
from scrapers.paid.settings import Start
from scrapers.payload import name_at
from scrapers.transport.retry import UNSENT
from scrapers.when_landed import once_landed

_CLIENT_ERRORS = range(400, 500)
OLDEST_RUN = 3600.0
"""Seconds after its start that a run is still followed: longer than the lease of a killed worker.
Readings get the time of the fetch, so older ones would be dated wrong."""


class RunClient(FollowingClient):
    """Client of one provider with runs for one platform. Raises ScrapeError."""

    async def ask(self, capability: str, request: RunTargets) -> ProviderAnswer:
        """Run a collection; the response's items are under `items`."""
        reservation, run = await self._begun(capability, request)
        end = await self.ended(run)
        items, missing = await self.items_of(run, end)
        results = [item for item in items if not is_error(item, self._runs.errors)]
        cost = self._price(capability, len(results)) if end.cost is None else end.cost
        await reservation.settle(cost)
        await once_landed(reservation.forget_run)
        return ProviderAnswer(
            {"items": results, "wanted": request.results},
            refused_in(items, self._runs.errors, if_missing=if_missing(capability)),
            end.error or missing,
        )

    def _units(self, _capability: str) -> int:
        """Return 0: the cost of a run is reserved instead."""
        return 0

    def _start(self, capability: str) -> Start:
        start = self._routes[capability].run
        if start is None:
            raise ValueError(f"{self._settings.name} has no run for {capability}")
        return start

    def _price(self, capability: str, results: int) -> int:
        return self._start(capability).units + self._routes[capability].units * results

    async def _begun(self, capability: str, request: RunTargets) -> tuple[Reservation, Run]:
        """Return the run in progress for these targets, or start one."""
        key = self._key_of(capability, request)
        if unsettled := await self._budget.unsettled(key):
            reservation, started = unsettled
            if started.seconds_ago <= OLDEST_RUN:
                return reservation, Run(started.id, started.items_id)
            await self.stop(started.id)
            await reservation.forget_run()
        most = self._price(capability, request.most)
        reservation = await self._budget.reserve(most)
        starting = asyncio.create_task(self._stored(capability, request, most, reservation))
        try:
            return reservation, await asyncio.shield(starting)
        except asyncio.CancelledError:
            # Another fetch failed. Without storing the run, it would be paid for again.
            await asyncio.gather(starting, return_exceptions=True)
            raise

    async def _stored(
        self, capability: str, request: RunTargets, most: int, reservation: Reservation
    ) -> Run:
        try:
            run = await self._started(capability, request, most)
        except ScrapeError as error:
            if not _may_have_begun(error):
                await reservation.settle(0)
            raise
        if run.items is None:
            key = self._key_of(capability, request)
            await reservation.note_run(key, StartedRun(run.id, run.items_id))
        return run

    def _key_of(self, capability: str, request: RunTargets) -> str:
        named = "\n".join((str(request.results), *request.targets))
        return f"{self._platform} {capability} {hashlib.sha256(named.encode()).hexdigest()}"

    async def _started(self, capability: str, request: RunTargets, most: int) -> Run:
        route, start = self._routes[capability], self._start(capability)
        answer = await self._http.start(
            route.path,
            route=capability,
            params={**route.fixed, **self._cap(start, most), **self._key_parameter()},
            body=_body(start, request),
            seconds=start.seconds,
        )
        tree = accepted_items(answer, self._settings)
        if isinstance(tree, list):
            return Run(items=tree)
        run_id = name_at(tree, self._runs.run)
        if run_id is None:
            return Run(items=[tree])
        items_id = name_at(tree, self._runs.items) if self._runs.items else None
        return Run(run_id, items_id or run_id)

    def _cap(self, start: Start, most: int) -> dict[str, str]:
        """Return the run's price limit, so that a raised price ends it."""
        if self._runs.cap is None:
            return {}
        usd = max(most * self._settings.price.usd_per_unit, start.least_cap_usd)
        return {self._runs.cap: f"{usd.normalize():f}"}


def _may_have_begun(error: ScrapeError) -> bool:
    """Return whether a run may have started despite the error.

    False for a 4xx and without a connection.
    """
    is_refused = error.http_status in _CLIENT_ERRORS or isinstance(error.__cause__, UNSENT)
    return error.was_sent and not is_refused


def _body(start: Start, request: RunTargets) -> object:
    limit = {start.limit: request.results} if start.limit else {}
    if start.each is not None:
        return [{**start.fixed, **limit, start.each: target} for target in request.targets]
    return {**start.fixed, **limit, str(start.targets): list(request.targets)}
