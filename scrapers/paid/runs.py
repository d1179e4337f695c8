"""Asking a commercial provider that collects for a while: start a run, follow it, fetch its items.

A run is started once, whatever becomes of the answer, and what it may cost is reserved before. Only
starts count as requests: what has been paid for is fetched, however much was asked today. A run
that ended badly is no reason to throw away what it found.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal

import httpx
from pydantic import SecretStr

from scrapers import payload
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.paid.budget import Budget
from scrapers.paid.dialect import Wanted
from scrapers.paid.items import is_error, refused_in
from scrapers.paid.keyed import KeyedClient, if_missing
from scrapers.paid.refusals import accepted, accepted_items
from scrapers.paid.run_settings import Runs, Start
from scrapers.paid.settings import PaidRoutes
from scrapers.paid.told import Told
from scrapers.payload import Json, name_at, text_at
from scrapers.transport.answer import Answer
from scrapers.transport.pacing import Pace, Sleep

_FOLLOW, _COLLECT, _STOP = "follow", "collect", "stop"
_TOLD_BY_US = range(400, 500)


@dataclass(frozen=True, slots=True)
class _Run:
    """A run that was started. `items` are there where it answered at once."""

    id: str = ""
    items_id: str = ""
    items: list[Json] | None = None


@dataclass(frozen=True, slots=True)
class _End:
    """How a run ended: why badly, if so, and its price in units, where it is told."""

    error: ScrapeError | None = None
    cost: int | None = None


class RunClient(KeyedClient):
    """Lets one provider collect from one platform. Raises ScrapeError."""

    def __init__(
        self,
        routes: PaidRoutes,
        platform: str,
        *,
        key: SecretStr,
        budget: Budget,
        base_url: str,
        pace: Pace,
        transport: httpx.AsyncBaseTransport | None = None,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        super().__init__(
            routes,
            platform,
            key=key,
            budget=budget,
            base_url=base_url,
            pace=pace,
            transport=transport,
            sleep=sleep,
        )
        if routes.runs is None:
            raise ValueError(f"{routes.name} answers at once")
        self._runs: Runs = routes.runs
        self._sleep = sleep

    async def ask(self, capability: str, wanted: Wanted) -> Told:
        """Let it collect what is wanted: `items` of what is told."""
        most = self._price(capability, wanted.most)
        reservation = await self._budget.reserve(most)
        try:
            run = await self._started(capability, wanted, most)
        except ScrapeError as error:
            if not _may_have_begun(error):
                await reservation.settle(0)
            raise
        end = await self._ended(run)
        items, missing = await self._found(run, end)
        shown = [item for item in items if not is_error(item, self._runs.errors)]
        cost = self._price(capability, len(shown)) if end.cost is None else end.cost
        await reservation.settle(cost)
        return Told(
            {"items": shown, "wanted": wanted.results},
            refused_in(items, self._runs.errors, if_missing=if_missing(capability)),
            end.error or missing,
        )

    def _units(self, _capability: str) -> int:
        """Return nothing: what a run may cost is reserved."""
        return 0

    def _start(self, capability: str) -> Start:
        start = self._routes[capability].run
        if start is None:
            raise ValueError(f"{self._settings.name} has no run for {capability}")
        return start

    def _price(self, capability: str, results: int) -> int:
        return self._start(capability).units + self._routes[capability].units * results

    async def _started(self, capability: str, wanted: Wanted, most: int) -> _Run:
        route, start = self._routes[capability], self._start(capability)
        answer = await self._http.start(
            route.path,
            route=capability,
            params={**route.fixed, **self._cap(start, most), **self._key_parameter()},
            body=_body(start, wanted),
            seconds=start.seconds,
        )
        tree = accepted_items(answer, self._settings)
        if isinstance(tree, list):
            return _Run(items=tree)
        run_id = name_at(tree, self._runs.run)
        if run_id is None:
            return _Run(items=[tree])
        items_id = name_at(tree, self._runs.items) if self._runs.items else None
        return _Run(run_id, items_id or run_id)

    def _cap(self, start: Start, most: int) -> dict[str, str]:
        """Return the run's price limit, so that a price that has risen ends it."""
        if self._runs.cap is None:
            return {}
        usd = max(most * self._settings.price.usd_per_unit, start.least_cap_usd)
        return {self._runs.cap: f"{usd.normalize():f}"}

    async def _ended(self, run: _Run) -> _End:
        """Follow a run to its end; call it off where that does not come."""
        if run.items is not None:
            return _End()
        for _ in range(self._runs.polls):
            answer = await self._get(_FOLLOW, self._runs.follow, run, self._runs.follow_fixed)
            tree = accepted(answer, self._settings, if_missing=Outcome.SCHEMA_CHANGED)
            status = text_at(tree, self._runs.status) or ""
            if status not in self._runs.going:
                return _End(self._bad_ending(status, tree), self._cost(tree))
            await self._sleep(self._runs.seconds_between)
        await self._http.start(self._runs.stop.format(run=run.id), route=_STOP, body={})
        late = f"a run that had not ended after {self._runs.polls} looks, called off"
        return _End(ScrapeError(Outcome.UNREACHABLE, f"{self._settings.name}: {late}"))

    def _bad_ending(self, status: str, tree: dict[str, Json]) -> ScrapeError | None:
        if status in self._runs.done:
            return None
        words = (text_at(tree, self._runs.message) or "no message")[:200]
        fitting = (one for one in self._runs.endings if one.status == status)
        ending = next((one for one in fitting if one.says.casefold() in words.casefold()), None)
        if ending is None:
            return payload.schema_changed(f"a run of unknown status {status[:50]!r}", tree)
        detail = f"{self._settings.name}: {ending.detail} ({status}: {words})"
        return ScrapeError(ending.outcome, detail, raw_sample=payload.sample_of(tree))

    def _cost(self, tree: dict[str, Json]) -> int | None:
        """Return the price of a run that has ended in units, None where it is not told."""
        told = payload.at(tree, self._runs.cost_usd) if self._runs.cost_usd else None
        if isinstance(told, bool) or not isinstance(told, int | float) or told <= 0:
            return None
        units = Decimal(str(told)) / self._settings.price.usd_per_unit
        return int(units.to_integral_value(ROUND_CEILING))

    async def _found(self, run: _Run, end: _End) -> tuple[list[Json], ScrapeError | None]:
        """Return the items of a run that has ended, and an error where some did not come.

        Where it ended badly there may be none.
        """
        if run.items is not None:
            return run.items, None
        try:
            return await self._collected(run)
        except ScrapeError:
            if end.error is None:
                raise
            return [], None

    async def _collected(self, run: _Run) -> tuple[list[Json], ScrapeError | None]:
        for _ in range(self._runs.polls):
            answer = await self._get(_COLLECT, self._runs.collect, run, self._runs.collect_fixed)
            tree = accepted_items(answer, self._settings)
            if isinstance(tree, list):
                return tree, self._missing(answer, len(tree))
            if text_at(tree, self._runs.status) not in self._runs.going:
                raise payload.schema_changed("an answer that is no list of items", tree)
            await self._sleep(self._runs.seconds_between)
        raise ScrapeError(Outcome.UNREACHABLE, f"{self._settings.name}: items that never came")

    def _missing(self, answer: Answer, came: int) -> ScrapeError | None:
        header = self._runs.total_header
        total = payload.count_at({"of": answer.headers.get(header)}, "of") if header else None
        if total is None or came >= total:
            return None
        return payload.schema_changed(f"{came} of {total} items came")

    async def _get(self, route: str, path: str, run: _Run, fixed: Mapping[str, str]) -> Answer:
        return await self._http.get(
            path.format(run=run.id, items=run.items_id),
            route=route,
            params={**fixed, **self._key_parameter()},
        )


def _may_have_begun(error: ScrapeError) -> bool:
    """Tell whether a run may be under way although its start failed: only a clear no says no."""
    return error.was_asked and error.http_status not in _TOLD_BY_US


def _body(start: Start, wanted: Wanted) -> object:
    limit = {start.limit: wanted.results} if start.limit else {}
    if start.each is not None:
        return [{**start.fixed, **limit, start.each: one} for one in wanted.targets]
    return {**start.fixed, **limit, str(start.targets): list(wanted.targets)}
