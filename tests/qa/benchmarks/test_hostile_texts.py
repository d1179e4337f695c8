"""A comment takes less than 5 ms of a processor, whatever people write."""

import time

import pytest

from tests.warehouse.comment_scoring.test_hostile_texts import BOMBS, score

AT_MOST = 0.005
ROUNDS = 3


@pytest.mark.parametrize("bomb", BOMBS)
def test_long_hostile_texts_take_no_time(bomb: str) -> None:
    """The least of some rounds counts: whatever else the machine does only adds."""
    text, rounds = BOMBS[bomb](), []
    for _ in range(ROUNDS):
        began = time.process_time()
        score(text)
        rounds.append(time.process_time() - began)
    assert min(rounds) < AT_MOST
