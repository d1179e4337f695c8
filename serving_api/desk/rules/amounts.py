"""Money and parts as people write them: dollars and percent, exactly as far as bodies keep them."""

from collections.abc import Mapping
from decimal import Decimal

from serving_api.desk.forms import decimal_in

WRITE_DOLLARS = "Write an amount in dollars. Use a point as decimal separator (1.50)"
_WRITE_PERCENT = "Write a percentage. Use a point as decimal separator (12.5)"
_DIGITS = 12
_HUNDREDTHS, _EXACT = 2, 8
"""Decimals of what is kept in whole cents or basis points, and of what has fractions of them."""


def cents_in(fields: Mapping[str, str], name: str) -> int | None:
    """Return the cents of an amount in dollars, None where it is empty. Raises InvalidBody."""
    return _hundredths(_dollars_in(fields, name, _HUNDREDTHS))


def exact_cents_in(fields: Mapping[str, str], name: str) -> Decimal | None:
    """Return the same with fractions of a cent, which prices may have. Raises InvalidBody."""
    dollars = _dollars_in(fields, name, _EXACT)
    return None if dollars is None else dollars.scaleb(2)


def percent_in(fields: Mapping[str, str], name: str) -> Decimal | None:
    """Return a percentage, None where it is empty. Raises InvalidBody."""
    return _percent_in(fields, name, _EXACT)


def basis_points_in(fields: Mapping[str, str], name: str) -> int | None:
    """Return the hundredths of a percentage, None where it is empty. Raises InvalidBody."""
    return _hundredths(_percent_in(fields, name, _HUNDREDTHS))


def hundredth_of(number: float | None) -> str:
    """Return cents as dollars, or hundredths of a percent as percent, as a field has them."""
    return "" if number is None else f"{Decimal(str(number)).scaleb(-2):f}"


def percent_of(part: float) -> str:
    """Return a part of one as percent, as a field has it."""
    return f"{Decimal(str(part)).scaleb(2).normalize():f}"


def _dollars_in(fields: Mapping[str, str], name: str, decimals: int) -> Decimal | None:
    sent = {name: fields.get(name, "").strip().removeprefix("$")}
    return decimal_in(sent, name, WRITE_DOLLARS, digits=_DIGITS, decimals=decimals)


def _percent_in(fields: Mapping[str, str], name: str, decimals: int) -> Decimal | None:
    sent = {name: fields.get(name, "").strip().removesuffix("%")}
    return decimal_in(sent, name, _WRITE_PERCENT, digits=_DIGITS, decimals=decimals)


def _hundredths(number: Decimal | None) -> int | None:
    return None if number is None else int(number.scaleb(2))
