"""A host that fails or refuses again and again is left alone, then tried once."""

from typing import Any

import pytest

from scrapers.outcomes import Outcome
from scrapers.transport.breaker import FAILURES_TO_OPEN, SECONDS_OPEN, BackingOffError, Breaker


def opened(fake_time: Any, outcome: Outcome = Outcome.UNREACHABLE) -> Breaker:
    breaker = Breaker(now=fake_time.now)
    for _ in range(FAILURES_TO_OPEN):
        breaker.record(outcome)
    return breaker


def is_open(breaker: Breaker) -> bool:
    try:
        breaker.check()
    except BackingOffError:
        return True
    return False


@pytest.mark.parametrize(
    "outcome",
    [Outcome.UNREACHABLE, Outcome.CHALLENGED, Outcome.BLOCKED_SILENT, Outcome.LOGIN_REQUIRED],
)
def test_failures_and_refusals_in_a_row_open_it_and_name_the_reason(
    fake_time: Any, outcome: Outcome
) -> None:
    with pytest.raises(BackingOffError) as backing_off:
        opened(fake_time, outcome).check()
    assert backing_off.value.outcome is outcome


@pytest.mark.parametrize(
    "outcome",
    [Outcome.NOT_FOUND, Outcome.PRIVATE, Outcome.GATED, Outcome.SCHEMA_CHANGED],
)
def test_what_is_said_of_one_account_or_post_does_not_open_it(
    fake_time: Any, outcome: Outcome
) -> None:
    assert not is_open(opened(fake_time, outcome))


def test_an_answer_in_between_starts_the_count_anew(fake_time: Any) -> None:
    breaker = Breaker(now=fake_time.now)
    for _ in range(3):
        for _ in range(FAILURES_TO_OPEN - 1):
            breaker.record(Outcome.UNREACHABLE)
        breaker.record(Outcome.OK)
    assert not is_open(breaker)


def test_rate_limits_count_neither_way(fake_time: Any) -> None:
    breaker = Breaker(now=fake_time.now)
    for _ in range(FAILURES_TO_OPEN - 1):
        breaker.record(Outcome.UNREACHABLE)
    breaker.record(Outcome.RATE_LIMITED)
    assert not is_open(breaker)
    breaker.record(Outcome.UNREACHABLE)
    assert is_open(breaker)


def test_after_a_while_one_trial_passes_and_success_closes_it(fake_time: Any) -> None:
    breaker = opened(fake_time)
    fake_time.seconds += SECONDS_OPEN
    assert [is_open(breaker), is_open(breaker)] == [False, True]
    breaker.record(Outcome.OK)
    assert not is_open(breaker)


def test_a_failed_trial_opens_it_again_at_once(fake_time: Any) -> None:
    breaker = opened(fake_time)
    fake_time.seconds += SECONDS_OPEN
    breaker.check()
    breaker.record(Outcome.UNREACHABLE)
    fake_time.seconds += SECONDS_OPEN - 1
    assert is_open(breaker)
