"""Where totals cross a budget, found in few rounds for any totals."""

from collections.abc import Callable, Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warehouse.simulation.search import AT_ONCE, Crossing, crossing


class Rounds:
    """Totals by number, and the count of requests."""

    def __init__(self, total: Callable[[int], int]) -> None:
        self._total = total
        self.asked = 0

    def __call__(self, numbers: Sequence[int]) -> Mapping[int, int]:
        assert 0 < len(numbers) <= AT_ONCE
        self.asked += 1
        return {number: self._total(number) for number in numbers}


@given(
    steps=st.lists(st.one_of(st.just(0), st.integers(0, 50)), min_size=1, max_size=300),
    budget=st.integers(0, 500),
)
def test_one_within_and_the_next_beyond(steps: list[int], budget: int) -> None:
    """For any non-decreasing totals, the result equals that of a linear search."""
    sums = [sum(steps[: number + 1]) for number in range(len(steps))]
    within = [number for number, total in enumerate(sums) if total <= budget]
    beyond = [number for number, total in enumerate(sums) if total > budget]
    expected = Crossing(max(within, default=None), min(beyond, default=None))
    assert crossing(Rounds(sums.__getitem__), len(steps) - 1, budget) == expected


@pytest.mark.parametrize(
    ("total", "most"),
    [
        (lambda rate: sum(views * rate // 10**9 for views in range(1, 9_000, 30)), 10**14),
        (lambda cap: sum(min(cap, amount) for amount in range(0, 90_000, 300)), 9 * 10**9),
        (lambda fee: 7 * fee, 9 * 10**9),
    ],
    ids=["a rate of 300 payees", "a cap of 300 amounts", "a fee of 7 periods"],
)
def test_rounds_are_few(total: Callable[[int], int], most: int) -> None:
    """Each round is a simulation. Plain bisection would take 33 to 47."""
    for budget in (1, 99, 12_345, 1_234_567):
        rounds = Rounds(total)
        bracket = crossing(rounds, most, budget)
        assert bracket.within is not None
        assert total(bracket.within) <= budget < total(bracket.within + 1)
        assert rounds.asked <= 10
