"""Follows a run of a commercial provider to its end, and fetches its items.

A failed run keeps what it found. Pauses and passing errors are waited out, because the run
continues and is paid for.
"""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import TypeVar

from scrapers import payload
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.paid.answers import accepted, accepted_items
from scrapers.paid.client import KeyedClient
from scrapers.paid.settings import Runs
from scrapers.payload import Json, text_at
from scrapers.transport.answer import LARGEST_BODY, Answer

_FOLLOW, _COLLECT, _STOP = "follow", "collect", "stop"
_PASSING = frozenset({Outcome.RATE_LIMITED, Outcome.UNREACHABLE})
LARGEST_ITEMS = 64 * 1024 * 1024
"""Maximum bytes of a run's items, or of one page of them. Bright Data does not divide runs below
1,000 records, the most that is requested."""
_NO_PRICE = 10_000
"""Dollars that no run costs: such a price is wrong."""
LONGEST_WAIT = 900.0
"""Total seconds that a fetch waits for pauses requested by the provider during a run."""

Polled = TypeVar("Polled")


@dataclass(frozen=True, slots=True)
class Run:
    """A started run. `items` is set if it answered at once."""

    id: str = ""
    items_id: str = ""
    items: list[Json] | None = None


@dataclass(frozen=True, slots=True)
class End:
    """How a run ended: its error, if any, and its price in units, if known."""

    error: ScrapeError | None = None
    cost: int | None = None


class FollowingClient(KeyedClient):
    """Follows started runs of one provider for one platform. Raises ScrapeError."""

    @property
    def _runs(self) -> Runs:
        return self._settings.require_runs()

    async def ended(self, run: Run) -> End:
        """Follow a run to its end, or stop it after all polls."""
        if run.items is not None:
            return End()
        if (end := await self._polled(lambda: self._end_of(run))) is not None:
            return end
        await self.stop(run.id)
        late = f"the run had not ended after {self._runs.polls} checks and was stopped"
        return End(ScrapeError(Outcome.UNREACHABLE, f"{self._settings.name}: {late}"))

    async def items_of(self, run: Run, end: End) -> tuple[list[Json], ScrapeError | None]:
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

    async def _end_of(self, run: Run) -> End | None:
        answer = await self._get(_FOLLOW, self._runs.follow, run, self._runs.follow_fixed)
        tree = accepted(answer, self._settings, if_missing=Outcome.SCHEMA_CHANGED)
        status = text_at(tree, self._runs.status) or ""
        if status in self._runs.going:
            return None
        return End(self._bad_ending(status, tree), self._cost(tree))

    async def stop(self, run_id: str) -> None:
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
        if isinstance(usd, bool) or not isinstance(usd, int | float) or not 0 < usd < _NO_PRICE:
            return None
        units = Decimal(str(usd)) / self._settings.price.usd_per_unit
        return int(units.to_integral_value(ROUND_CEILING))

    async def _collected(self, run: Run) -> tuple[list[Json], ScrapeError | None]:
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

    async def _part(self, run: Run, first: int) -> tuple[list[Json], int | None]:
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
        run: Run,
        fixed: Mapping[str, str],
        largest: int = LARGEST_BODY,
    ) -> Answer:
        return await self._http.get(
            path.format(run=run.id, items=run.items_id),
            route=route,
            params={**fixed, **self._key_parameter()},
            largest=largest,
        )
