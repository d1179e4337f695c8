"""Dollars and percentages in forms, with the precision of request bodies."""

from collections.abc import Mapping
from decimal import Decimal

from serving_api.desk.forms import decimal_in

WRITE_DOLLARS = "Enter dollars with a point as decimal separator (1.50)"
_WRITE_PERCENT = "Enter a percentage with a point as decimal separator (12.5)"
_DIGITS = 12
_HUNDREDTHS, _EXACT = 2, 8
"""Decimals of whole cents and basis points, and of values with fractions of them."""


def cents_in(fields: Mapping[str, str], name: str) -> int | None:
    """Return the field's dollars in cents, or None if empty. Raises InvalidBody."""
    return _hundredths(_dollars_in(fields, name, _HUNDREDTHS))


def exact_cents_in(fields: Mapping[str, str], name: str) -> Decimal | None:
    """Return the field's dollars in cents with fractions, for rates. Raises InvalidBody."""
    dollars = _dollars_in(fields, name, _EXACT)
    return None if dollars is None else dollars.scaleb(2)


def percent_in(fields: Mapping[str, str], name: str) -> Decimal | None:
    """Return the field's percentage, or None if empty. Raises InvalidBody."""
    return _percent_in(fields, name, _EXACT)


def basis_points_in(fields: Mapping[str, str], name: str) -> int | None:
    """Return the field's percentage in basis points, or None if empty. Raises InvalidBody."""
    return _hundredths(_percent_in(fields, name, _HUNDREDTHS))


def hundredth_of(number: float | None) -> str:
    """Format cents as dollars, or basis points as percent, for a field."""
    return "" if number is None else f"{Decimal(str(number)).scaleb(-2):f}"


def percent_of(part: float) -> str:
    """Format a fraction as percent, for a field."""
    return f"{Decimal(str(part)).scaleb(2).normalize():f}"


def _dollars_in(fields: Mapping[str, str], name: str, decimals: int) -> Decimal | None:
    sent = {name: fields.get(name, "").strip().removeprefix("$")}
    return decimal_in(sent, name, WRITE_DOLLARS, digits=_DIGITS, decimals=decimals)


def _percent_in(fields: Mapping[str, str], name: str, decimals: int) -> Decimal | None:
    sent = {name: fields.get(name, "").strip().removesuffix("%")}
    return decimal_in(sent, name, _WRITE_PERCENT, digits=_DIGITS, decimals=decimals)


def _hundredths(number: Decimal | None) -> int | None:
    return None if number is None else int(number.scaleb(2))
