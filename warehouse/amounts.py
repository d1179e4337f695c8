"""The largest amount of money that is reported (money.md M1). In SQL: `rules.bounded`."""

LARGEST_CENTS = 9_000_000_000_000_000
"""Every JSON reader represents it exactly. A larger amount is a mistake in a rule or a value."""


def bounded_cents(cents: int) -> int:
    """Clamp cents to the largest amount in either direction."""
    return max(-LARGEST_CENTS, min(LARGEST_CENTS, cents))
