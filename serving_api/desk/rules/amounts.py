"""Money and parts as people write them: dollars and percent, exactly as far as bodies keep them."""

import re
from collections.abc import Mapping
from decimal import Decimal

from serving_api.errors import InvalidBody

_AMOUNT = re.compile(r"[0-9]{1,12}(\.[0-9]{1,8})?", re.ASCII)
WRITE_DOLLARS = "Write an amount in dollars, such as 12.50"
_WRITE_PERCENT = "Write a percentage, such as 12.5"


def cents_in(fields: Mapping[str, str], name: str) -> int | None:
    """Return the cents of an amount in dollars, None where it is empty. Raises InvalidBody."""
    return _whole(exact_cents_in(fields, name), name, WRITE_DOLLARS)


def exact_cents_in(fields: Mapping[str, str], name: str) -> Decimal | None:
    """Return the same with fractions of a cent, which prices may have. Raises InvalidBody."""
    dollars = _number_in(fields, name, "$", WRITE_DOLLARS)
    return None if dollars is None else dollars.scaleb(2)


def percent_in(fields: Mapping[str, str], name: str) -> Decimal | None:
    """Return a percentage, None where it is empty. Raises InvalidBody."""
    return _number_in(fields, name, "%", _WRITE_PERCENT)


def basis_points_in(fields: Mapping[str, str], name: str) -> int | None:
    """Return the hundredths of a percentage, None where it is empty. Raises InvalidBody."""
    percent = percent_in(fields, name)
    return _whole(None if percent is None else percent.scaleb(2), name, _WRITE_PERCENT)


def hundredth_of(number: float | None) -> str:
    """Return cents as dollars, or hundredths of a percent as percent, as a field has them."""
    return "" if number is None else f"{Decimal(str(number)).scaleb(-2):f}"


def percent_of(part: float) -> str:
    """Return a part of one as percent, as a field has it."""
    return f"{Decimal(str(part)).scaleb(2).normalize():f}"


def _whole(number: Decimal | None, name: str, write: str) -> int | None:
    if number is not None and number != number.to_integral_value():
        raise InvalidBody.at(name, write)
    return None if number is None else int(number)


def _number_in(fields: Mapping[str, str], name: str, unit: str, write: str) -> Decimal | None:
    sent = fields.get(name, "").strip().strip(unit).replace(",", "").strip()
    if not sent:
        return None
    if not _AMOUNT.fullmatch(sent):
        raise InvalidBody.at(name, write)
    return Decimal(sent)
