"""What follows from each outcome."""

import pytest
from dagster import RetryRequested

from orchestration.scraping.failures import (
    LOST_DATABASE,
    TRIES_AGAIN,
    database_faults,
    is_unreachable,
    retry_unless_spent,
)


@pytest.mark.parametrize(
    ("outcomes", "unreachable"),
    [
        ({"unreachable": 3}, True),
        ({"unreachable": 3, "ok": 1}, False),
        ({"rate_limited": 3}, False),
        ({"unreachable": 2, "challenged": 1}, False),
        ({}, False),
    ],
)
def test_a_platform_is_unreachable_when_nobody_there_answered(
    outcomes: dict[str, int], unreachable: bool
) -> None:
    assert is_unreachable(outcomes) is unreachable


def test_a_step_is_tried_again_a_bounded_number_of_times() -> None:
    for retry_number in range(TRIES_AGAIN):
        with pytest.raises(RetryRequested):
            retry_unless_spent(retry_number)
    retry_unless_spent(TRIES_AGAIN)


@pytest.mark.parametrize("lost", LOST_DATABASE)
def test_a_lost_database_is_tried_again_whoever_spoke_with_it(lost: type[Exception]) -> None:
    with pytest.raises(RetryRequested), database_faults():
        raise lost.__new__(lost)
