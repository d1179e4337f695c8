"""Client of commercial providers with runs: starts a run, follows it, fetches its items.

A run is started once, whatever the response, and its maximum cost is reserved before. Only starts
count as requests: items already paid for are fetched regardless of the budget. A failed run keeps
what it found. The run's id is stored until its items have landed: within an hour another fetch of
the same targets follows it and pays for no other.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import TypeVar

from scrapers import payload
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.paid.answers import ProviderAnswer
from scrapers.paid.budget import Reservation, StartedRun
from scrapers.paid.dialect import RunTargets
from scrapers.paid.items import is_error, refused_in
from scrapers.paid.keyed import KeyedClient, if_missing
from scrapers.paid.refusals import accepted, accepted_items
from scrapers.paid.run_settings import Runs, Start
from scrapers.payload import Json, name_at, text_at
from scrapers.transport.answer import LARGEST_BODY, Answer
from scrapers.when_landed import once_landed

_FOLLOW, _COLLECT, _STOP = "follow", "collect", "stop"
_CLIENT_ERRORS = range(400, 500)
_PASSING = frozenset({Outcome.RATE_LIMITED, Outcome.UNREACHABLE})
LARGEST_ITEMS = 64 * 1024 * 1024
"""Maximum bytes of a run's items, or of one page of them. Bright Data does not divide runs below
1,000 records, the most that is requested."""
LONGEST_WAIT = 900.0
"""Total seconds that a fetch waits for pauses requested by the provider during a run."""
OLDEST_RUN = 3600.0
"""Seconds after its start that a run is still followed: longer than the lease of a killed worker.
Readings get the time of the fetch, so older ones would be dated wrong."""

Polled = TypeVar("Polled")


@dataclass(frozen=True, slots=True)
class _Run:
    """A started run. `items` is set if it answered at once."""

    id: str = ""
    items_id: str = ""
    items: list[Json] | None = None


@dataclass(frozen=True, slots=True)
class _End:
    """How a run ended: its error, if any, and its price in units, if known."""

    error: ScrapeError | None = None
    cost: int | None = None


class RunClient(KeyedClient):
    """Client of one provider with runs for one platform. Raises ScrapeError."""

    @property
    def _runs(self) -> Runs:
        return self._settings.require_runs()

    async def ask(self, capability: str, request: RunTargets) -> ProviderAnswer:
        """Run a collection; the response's items are under `items`."""
        reservation, run = await self._begun(capability, request)
        end = await self._ended(run)
        items, missing = await self._items_of(run, end)
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

    async def _begun(self, capability: str, request: RunTargets) -> tuple[Reservation, _Run]:
        """Return the run in progress for these targets, or start one."""
        key = self._key_of(capability, request)
        if unsettled := await self._budget.unsettled(key):
            reservation, started = unsettled
            if started.seconds_ago <= OLDEST_RUN:
                return reservation, _Run(started.id, started.items_id)
            await self._stop(started.id)
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
    ) -> _Run:
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

    async def _started(self, capability: str, request: RunTargets, most: int) -> _Run:
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
            return _Run(items=tree)
        run_id = name_at(tree, self._runs.run)
        if run_id is None:
            return _Run(items=[tree])
        items_id = name_at(tree, self._runs.items) if self._runs.items else None
        return _Run(run_id, items_id or run_id)

    def _cap(self, start: Start, most: int) -> dict[str, str]:
        """Return the run's price limit, so that a raised price ends it."""
        if self._runs.cap is None:
            return {}
        usd = max(most * self._settings.price.usd_per_unit, start.least_cap_usd)
        return {self._runs.cap: f"{usd.normalize():f}"}

    async def _ended(self, run: _Run) -> _End:
        """Follow a run to its end, or stop it after all polls."""
        if run.items is not None:
            return _End()
        if (end := await self._polled(lambda: self._end_of(run))) is not None:
            return end
        await self._stop(run.id)
        late = f"the run had not ended after {self._runs.polls} checks and was stopped"
        return _End(ScrapeError(Outcome.UNREACHABLE, f"{self._settings.name}: {late}"))

    async def _end_of(self, run: _Run) -> _End | None:
        answer = await self._get(_FOLLOW, self._runs.follow, run, self._runs.follow_fixed)
        tree = accepted(answer, self._settings, if_missing=Outcome.SCHEMA_CHANGED)
        status = text_at(tree, self._runs.status) or ""
        if status in self._runs.going:
            return None
        return _End(self._bad_ending(status, tree), self._cost(tree))

    async def _stop(self, run_id: str) -> None:
        """Stop a run, if the provider can be reached."""
        with suppress(ScrapeError):
            await self._http.start(self._runs.stop.format(run=run_id), route=_STOP, body={})

    async def _polled(self, poll: Callable[[], Awaitable[Polled | None]]) -> Polled | None:
        """Poll until there is a result; None if there is none after all polls.

        Waits for requested pauses and retries passing errors, because the run continues and is
        paid for. Raises ScrapeError if the last poll failed.
        """
        waited, last_error = 0.0, None
        for _ in range(self._runs.polls):
            pause, last_error = 0.0, None
            try:
                if (answer := await poll()) is not None:
                    return answer
            except ScrapeError as error:
                pause, last_error = error.pause_seconds or 0.0, error
                waited += pause
                if error.outcome not in _PASSING or waited > LONGEST_WAIT:
                    raise
            await self._sleep(max(pause, self._runs.seconds_between))
        if last_error is not None:
            raise last_error
        return None

    def _bad_ending(self, status: str, tree: dict[str, Json]) -> ScrapeError | None:
        if status in self._runs.done:
            return None
        words = (text_at(tree, self._runs.message) or "no message")[:200]
        fitting = (
            ending_rule for ending_rule in self._runs.endings if ending_rule.status == status
        )
        ending = next(
            (
                ending_rule
                for ending_rule in fitting
                if ending_rule.says.casefold() in words.casefold()
            ),
            None,
        )
        if ending is None:
            return payload.schema_changed(f"a run with unknown status {status[:50]!r}", tree)
        detail = f"{self._settings.name}: {ending.detail} ({status}: {words})"
        return ScrapeError(ending.outcome, detail, raw_sample=payload.sample_of(tree))

    def _cost(self, tree: dict[str, Json]) -> int | None:
        """Return the price of an ended run in units, None if not given."""
        usd = payload.at(tree, self._runs.cost_usd) if self._runs.cost_usd else None
        if isinstance(usd, bool) or not isinstance(usd, int | float) or usd <= 0:
            return None
        units = Decimal(str(usd)) / self._settings.price.usd_per_unit
        return int(units.to_integral_value(ROUND_CEILING))

    async def _items_of(self, run: _Run, end: _End) -> tuple[list[Json], ScrapeError | None]:
        """Return the items of an ended run, and an error if some are missing.

        A failed run may have no items.
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
        items: list[Json] = []
        offset, size = 0, self._runs.parts.size if self._runs.parts else 0
        while True:
            part, total = await self._part(run, offset)
            items += part
            offset += size
            goes_on = len(part) == size if total is None else offset < total
            if not (size and part and goes_on):
                break
        if total is None or len(items) >= total:
            return items, None
        return items, payload.schema_changed(f"only {len(items)} of {total} items were returned")

    async def _part(self, run: _Run, first: int) -> tuple[list[Json], int | None]:
        """Return the items starting at `first`, and the total number if given."""
        parts = self._runs.parts
        bounds = {parts.limit: str(parts.size), parts.offset: str(first)} if parts else {}

        async def poll() -> tuple[list[Json], int | None] | None:
            answer = await self._get(
                _COLLECT,
                self._runs.collect,
                run,
                {**self._runs.collect_fixed, **bounds},
                LARGEST_ITEMS,
            )
            tree = accepted_items(answer, self._settings)
            if isinstance(tree, list):
                return tree, self._total(answer)
            if text_at(tree, self._runs.status) not in self._runs.going:
                raise payload.schema_changed("the response is not a list of items", tree)
            return None

        part = await self._polled(poll)
        if part is None:
            raise ScrapeError(
                Outcome.UNREACHABLE, f"{self._settings.name}: the items were never ready"
            )
        return part

    def _total(self, answer: Answer) -> int | None:
        header = self._runs.total_header
        return payload.count_at({"of": answer.headers.get(header)}, "of") if header else None

    async def _get(
        self,
        route: str,
        path: str,
        run: _Run,
        fixed: Mapping[str, str],
        largest: int = LARGEST_BODY,
    ) -> Answer:
        return await self._http.get(
            path.format(run=run.id, items=run.items_id),
            route=route,
            params={**fixed, **self._key_parameter()},
            largest=largest,
        )


def _may_have_begun(error: ScrapeError) -> bool:
    """Return whether a run may have started despite the error; false for a 4xx."""
    return error.was_sent and error.http_status not in _CLIENT_ERRORS


def _body(start: Start, request: RunTargets) -> object:
    limit = {start.limit: request.results} if start.limit else {}
    if start.each is not None:
        return [{**start.fixed, **limit, start.each: target} for target in request.targets]
    return {**start.fixed, **limit, str(start.targets): list(request.targets)}
