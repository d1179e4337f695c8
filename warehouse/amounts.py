"""The largest amount of money that is told (money.md M1); `rules.bounded` is the same in SQL."""

LARGEST_CENTS = 9_000_000_000_000_000
"""Every JSON reader keeps it exactly. More is a mistake in a rule or in a recorded value."""


def bounded_cents(cents: int) -> int:
    """Return a sum or difference of cents, at most the largest amount either way."""
    return max(-LARGEST_CENTS, min(LARGEST_CENTS, cents))
