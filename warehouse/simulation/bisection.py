"""The largest number whose total stays within a budget, if a larger number never totals less.

Does not know what the totals mean. Several numbers are tried at once, which costs little more than
trying one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

AT_ONCE = 8
FEW_CENTS = 3
"""Totals this close to each other do not tell where between them the budget is crossed."""

Totals = Callable[[Sequence[int]], Mapping[int, int]]
"""Returns the totals of at most AT_ONCE numbers."""


@dataclass(frozen=True, slots=True)
class Crossing:
    """The largest number within the budget, and the next one, which exceeds it.

    None if even 0 exceeds the budget, or if even the largest number is within it.
    """

    within: int | None
    beyond: int | None


def crossing(totals: Totals, most: int, budget: int) -> Crossing:
    """Return where the totals of 0 to `most` cross the budget."""
    known = dict(totals(_over_all_sizes(most)))
    while True:
        within = max((size for size, total in known.items() if total <= budget), default=None)
        beyond = min((size for size, total in known.items() if total > budget), default=None)
        if within is None or beyond is None or beyond - within <= 1:
            return Crossing(within, beyond)
        tried = _between((within, known[within]), (beyond, known[beyond]), budget)
        known |= totals(tried)


def _over_all_sizes(most: int) -> list[int]:
    """Return both ends and numbers of different magnitudes: the size is not known yet."""
    sizes = (int(most ** (position / (AT_ONCE - 1))) for position in range(1, AT_ONCE - 1))
    return sorted({0, most, *sizes})


def _between(below: tuple[int, int], above: tuple[int, int], budget: int) -> list[int]:
    """Return numbers between two, close to where a straight line crosses the budget."""
    (low, least), (high, largest) = below, above
    width = high - low
    if width <= AT_ONCE + 1:
        return [*range(low + 1, high)]
    if largest - least <= FEW_CENTS:
        return [low + width * position // (AT_ONCE + 1) for position in range(1, AT_ONCE + 1)]
    guess = low + width * (budget - least) // (largest - least)
    near, far = round(width ** (1 / 3)), round(width ** (2 / 3))
    around = {guess - far, guess - near, guess, guess + 1, guess + 1 + near, guess + 1 + far}
    thirds = {low + width // 3, high - width // 3}
    return sorted(size for size in around | thirds if low < size < high)
