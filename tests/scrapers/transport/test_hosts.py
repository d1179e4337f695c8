"""Processes that request from one host share its pace, pauses and breakers through a keeper."""

import asyncio
import heapq
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import count, pairwise
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapers.outcomes import Outcome, ScrapeError
from scrapers.refusing import HALF
from scrapers.transport.breaker import SECONDS_OPEN, BackingOffError
from scrapers.transport.client import HttpClient
from scrapers.transport.hosts import (
    LONGEST_AHEAD,
    Change,
    Host,
    HostState,
    KeeperAwayError,
    MemoryKeeper,
    RouteState,
)
from scrapers.transport.pacing import LEASE_SECONDS, HostPausedError, Pace, Pacer, Share

RATE = 2.0


class Moments:
    """A clock shared by concurrent sleepers; it advances to the next one that wakes."""

    def __init__(self) -> None:
        self.seconds = 1000.0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._numbers = count()

    def now(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        waking: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self.seconds + seconds, next(self._numbers), waking))
        await waking

    async def pass_until(self, end: float) -> None:
        while True:
            for _ in range(50):
                await asyncio.sleep(0)
            if not self._sleepers or self._sleepers[0][0] > end:
                return
            self.seconds, _, waking = heapq.heappop(self._sleepers)
            if not waking.done():
                waking.set_result(None)


async def sent_within(
    seconds: float, paces: list[Pace], keeper: MemoryKeeper | None, moments: Moments
) -> list[list[float]]:
    """Request continuously at each pace; return the start times for each."""
    began_at = moments.now()
    starts: list[list[float]] = [[] for _ in paces]

    async def ask(pacer: Pacer, started: list[float]) -> None:
        while True:
            async with pacer.turn():
                started.append(moments.now() - began_at)

    asking = []
    for pace, started in zip(paces, starts, strict=True):
        own = keeper or MemoryKeeper(moments.now)
        pacer = Pacer(pace, Host(own, "host", moments.now), sleep=moments.sleep)
        asking += [asyncio.create_task(ask(pacer, started)) for _ in range(pace.concurrency)]
    await moments.pass_until(began_at + seconds)
    for task in asking:
        task.cancel()
    await asyncio.gather(*asking, return_exceptions=True)
    return starts


@pytest.mark.parametrize("processes", [1, 2, 3, 7])
async def test_many_processes_send_as_many_requests_as_one(processes: int) -> None:
    moments = Moments()
    paces = [Pace(4, RATE)] * processes
    starts = await sent_within(60.0, paces, MemoryKeeper(moments.now), moments)
    everything = sorted(start for times in starts for start in times)
    assert len(everything) == 60 * RATE + 1
    assert {later - earlier for earlier, later in pairwise(everything)} == {1 / RATE}
    assert all(starts)


@pytest.mark.parametrize(("processes", "rate"), [(7, RATE), (1, 0.2), (20, 0.05)])
async def test_requests_that_wait_for_more_than_a_minute_keep_the_pace(
    processes: int, rate: float
) -> None:
    """Each process reserves a start for each request: before, seven sent 723 of 600."""
    moments = Moments()
    paces = [Pace(16, rate)] * processes
    starts = await sent_within(300.0, paces, MemoryKeeper(moments.now), moments)
    assert len([start for times in starts for start in times]) == 300 * rate + 1


async def test_without_a_keeper_each_process_has_its_own_pace() -> None:
    starts = await sent_within(6.0, [Pace(4, RATE)] * 2, None, Moments())
    assert [len(times) for times in starts] == [13, 13]


async def test_a_share_is_limited_to_its_part() -> None:
    moments = Moments()
    comments = Pace(4, RATE, share=Share("comments", 0.5))
    paces = [Pace(4, RATE), comments, comments]
    counters, *of_comments = await sent_within(600.0, paces, MemoryKeeper(moments.now), moments)
    comment_starts = sum(map(len, of_comments))
    assert len(counters) + comment_starts <= 600 * RATE + 1
    assert 250 <= comment_starts <= 301
    assert len(counters) >= 0.7 * 600 * RATE


async def test_a_process_that_dies_blocks_others_for_a_lease_at_most(
    fake_time: Any,
) -> None:
    keeper = MemoryKeeper(fake_time.now)
    dying, other = (Host(keeper, "host", fake_time.now) for _ in range(2))
    doomed = Pacer(Pace(1, RATE), dying, sleep=fake_time.sleep)
    for _ in range(20):
        async with doomed.turn():
            pass
    died_at = fake_time.seconds
    async with Pacer(Pace(1, RATE), other, sleep=fake_time.sleep).turn():
        assert fake_time.seconds - died_at <= LEASE_SECONDS


async def test_a_process_that_ends_returns_the_rest_of_its_lease(fake_time: Any) -> None:
    keeper = MemoryKeeper(fake_time.now)
    ending, other = (
        Pacer(Pace(1, RATE), Host(keeper, "host", fake_time.now), sleep=fake_time.sleep)
        for _ in range(2)
    )
    for _ in range(4):  # windows of one, two and four starts
        async with ending.turn():
            pass
    await ending.aclose()
    ended_at = fake_time.seconds
    async with other.turn():
        assert fake_time.seconds - ended_at == 1 / RATE


async def test_a_fetch_needs_no_request_to_the_keeper(fake_time: Any) -> None:
    keeper = Counting(fake_time)
    pacer = Pacer(Pace(1, 10.0), Host(keeper, "host", fake_time.now), sleep=fake_time.sleep)
    for _ in range(400):
        async with pacer.turn():
            pass
    assert keeper.asked <= 30


async def test_starts_are_spread_within_their_time(fake_time: Any) -> None:
    host = Host(MemoryKeeper(fake_time.now), "host", fake_time.now)
    pacer = Pacer(Pace(1, RATE, jitter=0.25), host, sleep=fake_time.sleep)
    began_at, late = fake_time.seconds, []
    for number in range(50):
        async with pacer.turn():
            late.append(fake_time.seconds - began_at - number / RATE)
    assert all(-1e-6 <= delay <= 50 * 0.25 / RATE for delay in late)
    assert len({round(delay, 4) for delay in late}) > 5


class Counting(MemoryKeeper):
    """Counts its calls and can be unavailable."""

    def __init__(self, fake_time: Any, ahead: float = 0.0) -> None:
        super().__init__(lambda: fake_time.now() + ahead)
        self.asked = 0
        self.is_away = False

    async def change(self, host: str, change: Change) -> tuple[HostState, float]:
        if self.is_away:
            raise KeeperAwayError
        self.asked += 1
        return await super().change(host, change)


@pytest.fixture(params=[0.0, 1e9, -500.0], ids=["same clock", "far ahead", "behind"])
def keeper(request: pytest.FixtureRequest, fake_time: Any) -> Counting:
    """A keeper with a clock of its own, different from the processes'."""
    return Counting(fake_time, request.param)


class Site:
    """A host that gives one answer and counts requests."""

    def __init__(self, answer: httpx.Response) -> None:
        self.answer = answer
        self.requests = 0

    def __call__(self, _request: httpx.Request) -> httpx.Response:
        self.requests += 1
        return self.answer


@pytest.fixture
def clients(keeper: Counting, fake_time: Any, closing: Any) -> Iterator[Any]:
    """Build clients of a site, each with a local copy of the shared state."""

    def build(site: Site, base_url: str = "https://host.example") -> HttpClient:
        built: HttpClient = closing(
            HttpClient(
                base_url=base_url,
                pace=Pace(4, 1000.0, keeper=keeper),
                headers={},
                transport=httpx.MockTransport(site),
                sleep=fake_time.sleep,
                now=fake_time.now,
            )
        )
        return built

    return build


TOO_MANY = httpx.Response(429, headers={"Retry-After": "600"})


@pytest.mark.usefixtures("without_backoff")
class TestNews:
    async def test_a_pause_of_one_process_holds_for_all(self, clients: Any, fake_time: Any) -> None:
        site = Site(TOO_MANY)
        with pytest.raises(ScrapeError):
            await clients(site).get("/page")
        other = clients(site)
        with pytest.raises(BackingOffError) as backing_off:
            await other.get("/page")
        assert (backing_off.value.outcome, site.requests) == (Outcome.RATE_LIMITED, 1)
        assert backing_off.value.pause_seconds == pytest.approx(600, abs=0.01)
        fake_time.seconds += 600
        site.answer = httpx.Response(200)
        assert (await other.get("/page")).status == 200

    async def test_a_pause_reaches_processes_that_wait_for_their_start(
        self, clients: Any, keeper: Counting, fake_time: Any
    ) -> None:
        """The pause arrives between a lease and its leased time."""
        first, second = (Host(keeper, "host.example", fake_time.now) for _ in range(2))
        busy = Pacer(Pace(1, 0.25), first, sleep=fake_time.sleep)
        async with busy.turn():
            pass

        async def sleep_and_be_told(seconds: float) -> None:
            busy.pause(600)
            await first.report_if_urgent()
            await fake_time.sleep(seconds)

        waiting = Pacer(Pace(1, 0.25), second, sleep=sleep_and_be_told)
        with pytest.raises(HostPausedError):
            async with waiting.turn():
                pass

    async def test_a_breaker_that_one_opens_holds_for_all(
        self, clients: Any, fake_time: Any
    ) -> None:
        site = Site(httpx.Response(200))
        first, second = clients(site), clients(site)
        await fetches(second, Outcome.OK)
        await fetches(first, *[Outcome.CHALLENGED] * HALF)
        before = site.requests
        await fetches(first, Outcome.OK)  # reports the refusals
        fake_time.seconds += LEASE_SECONDS  # the other lease ends and is renewed
        await fetches(second, Outcome.OK)
        assert site.requests == before
        await fetches(second, Outcome.OK, route="another")
        assert site.requests == before + 1

    async def test_one_process_makes_the_trial_for_all(self, clients: Any, fake_time: Any) -> None:
        site = Site(httpx.Response(200))
        first, second = clients(site), clients(site)
        await fetches(first, *[Outcome.CHALLENGED] * HALF, Outcome.OK)
        await fetches(second, Outcome.OK)
        before = site.requests
        fake_time.seconds += SECONDS_OPEN
        with first.circuit():
            await first.get("/page")
            await fetches(second, Outcome.OK)
            assert site.requests == before + 1
        await fetches(first, Outcome.OK)
        fake_time.seconds += LEASE_SECONDS
        await fetches(second, Outcome.OK)
        assert site.requests == before + 3

    async def test_fetches_of_all_are_counted_together(self, clients: Any) -> None:
        site = Site(httpx.Response(200))
        for _ in range(HALF):
            brief = clients(site)
            await fetches(brief, Outcome.CHALLENGED)
            await brief.aclose()
        await fetches(clients(site), Outcome.OK)
        assert site.requests == HALF

    async def test_hosts_are_apart(self, clients: Any) -> None:
        site = Site(TOO_MANY)
        with pytest.raises(ScrapeError):
            await clients(site).get("/page")
        site.answer = httpx.Response(200)
        assert (await clients(site, "https://else.example").get("/page")).status == 200

    async def test_without_the_keeper_processes_continue_and_report_later(
        self, clients: Any, keeper: Counting
    ) -> None:
        site = Site(TOO_MANY)
        keeper.is_away = True
        first, second = clients(site), clients(site)
        with pytest.raises(ScrapeError):
            await first.get("/page")
        assert site.requests == 1
        keeper.is_away = False
        await first.aclose()
        with pytest.raises(BackingOffError):
            await second.get("/page")
        assert site.requests == 1


async def fetches(client: HttpClient, *outcomes: Outcome, route: str = "") -> None:
    """Run fetches with these outcomes, as far as the breaker allows."""
    for outcome in outcomes:
        with suppress(ScrapeError), client.circuit(route):
            await client.get("/page", route=route)
            if outcome is not Outcome.OK:
                raise ScrapeError(outcome, "a wall")


@pytest.mark.parametrize(("processes", "periods"), [(1, [150]), (7, [150]), (3, [30, 120])])
async def test_requests_keep_the_pace_after_a_keepers_clock_was_ahead(
    processes: int, periods: list[int]
) -> None:
    """All waited out the difference, then leased times were used twice."""
    moments = Moments()
    first = moments.now()
    keeper = MemoryKeeper(lambda: moments.now() + (1200 if moments.now() < first + 30 else 0))
    paces = [Pace(16, RATE, keeper)] * processes
    everything: list[float] = []
    for seconds in periods:
        began_at = moments.now() - first
        for times in await sent_within(seconds, paces, keeper, moments):
            everything += [began_at + start for start in times]
    everything.sort()
    assert min(later - earlier for earlier, later in pairwise(everything)) == 1 / RATE
    assert len(everything) > 240


INSTANTS = st.floats(0, 1e10)
STATES = st.builds(
    HostState,
    free_at=st.dictionaries(st.text(max_size=3), INSTANTS, max_size=3),
    paused_until=INSTANTS,
    routes=st.dictionaries(
        st.text(max_size=3),
        st.builds(
            RouteState,
            recent=st.lists(
                st.sampled_from([outcome.value for outcome in Outcome]), min_size=1
            ).map(tuple),
            open_until=st.none() | INSTANTS,
        ),
        max_size=3,
    ),
    connections_paused_until=st.dictionaries(st.text(max_size=3), INSTANTS, max_size=3),
    leased_at=st.none() | INSTANTS,
)


@given(state=STATES)
def test_a_stored_state_round_trips(state: HostState) -> None:
    assert HostState.of_json(state.as_json()) == state


@given(state=STATES, at=INSTANTS)
def test_state_of_a_clock_that_was_set_back_is_ignored(state: HostState, at: float) -> None:
    believed = state.believed(at)
    latest = at + LONGEST_AHEAD
    undated = replace(state, leased_at=None).believed(at)
    assert all(instant <= latest for instant in undated.free_at.values())
    assert believed.paused_until <= latest
    assert all((route.open_until or 0) <= latest for route in believed.routes.values())
    assert all(at < until <= latest for until in believed.connections_paused_until.values())
    assert believed.believed(at) == believed


def test_a_state_of_an_older_version_has_no_paused_connections() -> None:
    state = HostState(paused_until=9.0).as_json()
    del state["connections_paused_until"]
    assert HostState.of_json(state) == HostState(paused_until=9.0)
