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
def test_a_platform_without_any_answer_is_unreachable(
    outcomes: dict[str, int], unreachable: bool
) -> None:
    assert is_unreachable(outcomes) is unreachable


def test_a_step_is_retried_a_limited_number_of_times() -> None:
    for retry_number in range(TRIES_AGAIN):
        with pytest.raises(RetryRequested):
            retry_unless_spent(retry_number)
    retry_unless_spent(TRIES_AGAIN)


@pytest.mark.parametrize("lost", LOST_DATABASE)
def test_a_lost_database_connection_is_retried_in_every_library(lost: type[Exception]) -> None:
    with pytest.raises(RetryRequested), database_faults():
        raise lost.__new__(lost)
