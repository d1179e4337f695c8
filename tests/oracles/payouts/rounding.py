"""The one way to round (money.md M1): half up, once to billionths of a cent, then to cents."""

from decimal import Decimal
from fractions import Fraction


def half_up(value: Fraction) -> int:
    return (value + Fraction(1, 2)).__floor__()


def at_decimals(value: Fraction, decimals: int) -> Fraction:
    return Fraction(half_up(value * 10**decimals), 10**decimals)


def precise(value: Fraction) -> Fraction:
    """Return cents to nine decimals, which is what is shown and what is rounded to cents."""
    return at_decimals(value, 9)


def as_decimal(value: Fraction, decimals: int = 9) -> Decimal:
    return Decimal(half_up(value * 10**decimals)).scaleb(-decimals)


def as_fraction(number: float | str) -> Fraction:
    """Read a rate as it is written: 0.1 is a tenth."""
    return Fraction(str(number))
