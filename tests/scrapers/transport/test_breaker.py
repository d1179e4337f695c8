"""The circuit breaker stops a route that fails or refuses repeatedly, then tries once."""

import asyncio
from typing import Any

import pytest

from scrapers.outcomes import Outcome
from scrapers.refusing import HALF, LAST_FETCHES
from scrapers.transport.breaker import SECONDS_OPEN, BackingOffError, Breaker
from scrapers.transport.hosts import Host, MemoryKeeper


def closed(fake_time: Any) -> Breaker:
    return Breaker(Host(MemoryKeeper(fake_time.now), "host", fake_time.now), "")


def opened(fake_time: Any, outcome: Outcome = Outcome.UNREACHABLE) -> Breaker:
    breaker = closed(fake_time)
    for _ in range(HALF):
        breaker.record(outcome)
    return breaker


async def is_open(breaker: Breaker) -> bool:
    try:
        await breaker.check()
    except BackingOffError:
        return True
    return False


@pytest.mark.parametrize(
    "outcome",
    [Outcome.NOT_FOUND, Outcome.PRIVATE, Outcome.GATED, Outcome.RATE_LIMITED],
)
async def test_refusals_of_one_account_or_post_do_not_open_it(
    fake_time: Any, outcome: Outcome
) -> None:
    assert not await is_open(opened(fake_time, outcome))


WALL, SHOWN, GONE = Outcome.LOGIN_REQUIRED, Outcome.OK, Outcome.NOT_FOUND
UNKNOWN, DOWN = Outcome.SCHEMA_CHANGED, Outcome.UNREACHABLE
SHARES = [
    ([WALL, SHOWN], True),
    ([WALL, GONE], True),
    ([WALL, UNKNOWN], True),
    ([DOWN, UNKNOWN, SHOWN, WALL], True),
    ([WALL, SHOWN, SHOWN], False),
    ([UNKNOWN], True),
    ([UNKNOWN, SHOWN], True),
    ([UNKNOWN, SHOWN, SHOWN], False),
    ([WALL] * (HALF - 1) + [SHOWN] * (LAST_FETCHES - HALF + 1), False),
    ([SHOWN], False),
]


@pytest.mark.parametrize(("cycle", "opens"), SHARES, ids=range(len(SHARES)))
async def test_the_share_of_the_last_fetches_that_were_refused_opens_it(
    fake_time: Any, cycle: list[Outcome], opens: bool
) -> None:
    breaker = closed(fake_time)
    for number in range(4 * LAST_FETCHES):
        if await is_open(breaker):
            break
        breaker.record(cycle[number % len(cycle)])
    assert await is_open(breaker) is opens


async def test_the_commonest_reason_is_reported(fake_time: Any) -> None:
    breaker = closed(fake_time)
    for outcome in [WALL] * 5 + [DOWN, UNKNOWN, DOWN]:
        breaker.record(outcome)
    with pytest.raises(BackingOffError, match="8 of the last 8 fetches") as backing_off:
        await breaker.check()
    assert backing_off.value.outcome is WALL


async def test_an_answer_to_an_earlier_request_does_not_close_it(
    fake_time: Any,
) -> None:
    breaker = opened(fake_time)
    breaker.record(Outcome.OK)
    assert await is_open(breaker)


async def test_a_successful_trial_resets_the_count(fake_time: Any) -> None:
    breaker = opened(fake_time)
    fake_time.seconds += SECONDS_OPEN
    await breaker.check()
    breaker.record(Outcome.NOT_FOUND)
    for _ in range(HALF - 1):
        breaker.record(Outcome.UNREACHABLE)
    assert not await is_open(breaker)


async def test_an_unreadable_trial_leaves_it_open(fake_time: Any) -> None:
    breaker = opened(fake_time)
    fake_time.seconds += SECONDS_OPEN
    await breaker.check()
    breaker.record(Outcome.SCHEMA_CHANGED)
    fake_time.seconds += SECONDS_OPEN - 1
    assert await is_open(breaker)


async def test_rate_limits_count_neither_way(fake_time: Any) -> None:
    breaker = closed(fake_time)
    for _ in range(HALF - 1):
        breaker.record(Outcome.UNREACHABLE)
    breaker.record(Outcome.RATE_LIMITED)
    assert not await is_open(breaker)
    breaker.record(Outcome.UNREACHABLE)
    assert await is_open(breaker)


async def test_after_a_while_one_trial_passes_and_success_closes_it(fake_time: Any) -> None:
    breaker = opened(fake_time)
    fake_time.seconds += SECONDS_OPEN
    assert not await is_open(breaker)
    assert await asyncio.create_task(is_open(breaker))
    breaker.record(Outcome.OK)
    assert not await is_open(breaker)


async def test_a_request_from_before_it_opened_does_not_end_the_trial(fake_time: Any) -> None:
    breaker = opened(fake_time)
    fake_time.seconds += SECONDS_OPEN
    await breaker.check()

    async def late() -> None:
        breaker.record(Outcome.UNREACHABLE)

    await asyncio.create_task(late())
    breaker.record(Outcome.OK)
    assert not await asyncio.create_task(is_open(breaker))


async def test_a_failed_trial_opens_it_again_at_once(fake_time: Any) -> None:
    breaker = opened(fake_time)
    fake_time.seconds += SECONDS_OPEN
    await breaker.check()
    breaker.record(Outcome.UNREACHABLE)
    fake_time.seconds += SECONDS_OPEN - 1
    assert await is_open(breaker)
