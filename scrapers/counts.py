"""Whole numbers and counts as platforms show them."""

import re

LARGEST_COUNT = 10**12
"""Also the maximum of imports (`warehouse.imports.layouts` has the reason)."""
_ROUNDED = re.compile(r"([0-9]{1,3})[.,]([0-9]) ?([KMB])", re.IGNORECASE)
"""One decimal is the step that rounded counts have (money.md M7): "51K" may stand for 50,500."""
DIGITS = re.compile(r"-?[0-9]{1,19}")
_GROUPED = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+")
_LARGEST_FLOAT = 2.0**53
_UNITS = {"k": 1_000, "m": 1_000_000, "b": 1_000_000_000}


class RoundedCount(int):
    """A count that is shown rounded, such as "1.2M"; a snapshot that has one is not exact."""


def count_in(value: object) -> int | None:
    """Return the count that a value shows, such as 1234, "1,234" or "1.2M".

    None if missing. Raises ValueError for other values.
    """
    if isinstance(value, str):
        if shown := _ROUNDED.fullmatch(value):
            return RoundedCount(int(shown[1] + shown[2]) * _UNITS[shown[3].lower()] // 10)
        if _GROUPED.fullmatch(value):
            return int(value.replace(",", ""))
    return whole_number(value)


def whole_number(value: object) -> int | None:
    """Return a whole number, also one in digits or as 1234.0; None if missing.

    Raises ValueError for other values.
    """
    if value is None or value == "":
        return None
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and DIGITS.fullmatch(value):
        return int(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < _LARGEST_FLOAT:
        return int(value)
    raise ValueError("not a whole number")
