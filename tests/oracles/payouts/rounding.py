"""The one way to round (money.md M1): half up, once to billionths of a cent, then to cents."""

from decimal import Decimal
from fractions import Fraction

LARGEST = 9 * 10**15
"""No amount is more than so many cents."""


def half_up(value: Fraction) -> int:
    return (value + Fraction(1, 2)).__floor__()


def at_decimals(value: Fraction, decimals: int) -> Fraction:
    return Fraction(half_up(value * 10**decimals), 10**decimals)


def precise(value: Fraction) -> Fraction:
    """Return cents to nine decimals, which is what is shown and what is rounded to cents."""
    return min(at_decimals(value, 9), Fraction(LARGEST))


def as_decimal(value: Fraction, decimals: int = 9) -> Decimal:
    return Decimal(half_up(value * 10**decimals)).scaleb(-decimals)


def as_fraction(number: float | str) -> Fraction:
    """Read a rate as it is written: 0.1 is a tenth."""
    return Fraction(str(number))
