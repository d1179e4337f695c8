"""Sums of possibly unknown counts."""

from collections.abc import Iterable


def sum_of_known(counts: Iterable[int | None]) -> int | None:
    """Return the sum of the known counts, or None if none is known."""
    known = [count for count in counts if count is not None]
    return sum(known) if known else None
