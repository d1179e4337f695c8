"""A host gets no more requests than its pace and concurrency allow, and none during a pause."""

import asyncio
from typing import Any

import pytest

from scrapers.transport.hosts import Host, Keeper, MemoryKeeper
from scrapers.transport.pacing import LONGEST_PAUSE, Pace, Pacer


def pacer(
    fake_time: Any, concurrency: int = 4, rate: float = 2.0, keeper: Keeper | None = None
) -> Pacer:
    host = Host(keeper or MemoryKeeper(fake_time.now), "host", fake_time.now)
    return Pacer(Pace(concurrency, rate), host, sleep=fake_time.sleep)


async def starts(pacer: Pacer, fake_time: Any, turns: int) -> list[float]:
    start = fake_time.now()
    times = []
    for _ in range(turns):
        async with pacer.turn():
            times.append(fake_time.now() - start)
    return times


async def test_idle_time_allows_no_burst(fake_time: Any) -> None:
    paced = pacer(fake_time, rate=2.0)
    fake_time.seconds += 60
    assert await starts(paced, fake_time, 3) == [0.0, 0.5, 1.0]


async def test_no_more_requests_are_under_way_than_allowed(fake_time: Any) -> None:
    paced = pacer(fake_time, concurrency=3, rate=1000.0)
    under_way, most = 0, 0

    async def ask() -> None:
        nonlocal under_way, most
        async with paced.turn():
            under_way += 1
            most = max(most, under_way)
            await asyncio.sleep(0)
            under_way -= 1

    await asyncio.gather(*(ask() for _ in range(12)))
    assert most == 3


async def test_a_pause_holds_all_requests_and_spacing_resumes_after_it(fake_time: Any) -> None:
    paced = pacer(fake_time, rate=2.0)
    paced.pause(10)
    assert await starts(paced, fake_time, 3) == [10.0, 10.5, 11.0]


async def test_a_shorter_pause_does_not_cut_a_longer_one(fake_time: Any) -> None:
    paced = pacer(fake_time)
    paced.pause(30)
    paced.pause(1)
    assert await starts(paced, fake_time, 1) == [30.0]


async def test_an_absurd_pause_is_cut(fake_time: Any) -> None:
    paced = pacer(fake_time)
    paced.pause(10**9)
    fake_time.seconds += LONGEST_PAUSE
    assert await starts(paced, fake_time, 1) == [0.0]


@pytest.mark.parametrize(("concurrency", "rate"), [(0, 1.0), (1, 0.0), (1, -1.0)])
def test_a_pace_without_requests_is_refused(concurrency: int, rate: float) -> None:
    with pytest.raises(ValueError, match="pace"):
        Pace(concurrency, rate)
