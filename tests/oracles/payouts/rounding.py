"""The one way to round (money.md M1): half up, once to billionths of a cent, then to cents."""

from decimal import Decimal
from fractions import Fraction

LARGEST = 9 * 10**15
"""Maximum amount in cents."""


def half_up(value: Fraction) -> int:
    return (value + Fraction(1, 2)).__floor__()


def at_decimals(value: Fraction, decimals: int) -> Fraction:
    return Fraction(half_up(value * 10**decimals), 10**decimals)


def precise(value: Fraction) -> Fraction:
    """Return cents to nine decimals: they are displayed and then rounded to cents."""
    return min(at_decimals(value, 9), Fraction(LARGEST))


def as_decimal(value: Fraction, decimals: int = 9) -> Decimal:
    return Decimal(half_up(value * 10**decimals)).scaleb(-decimals)


def as_fraction(number: float | str) -> Fraction:
    """Convert a rate by its decimal notation: 0.1 is a tenth."""
    return Fraction(str(number))
