"""Counts as platforms show them."""

import re

LARGEST_COUNT = 10**12
"""Also the maximum of imports (`warehouse.imports.layouts` has the reason)."""
_ROUNDED = re.compile(r"([0-9]{1,3})[.,]([0-9]) ?([KMB])", re.IGNORECASE)
"""One decimal is the step that rounded counts have (money.md M7): "51K" may stand for 50,500."""
_UNITS = {"k": 1_000, "m": 1_000_000, "b": 1_000_000_000}


class RoundedCount(int):
    """A count that is shown rounded, such as "1.2M"; a snapshot that has one is not exact."""


def rounded_count(value: object) -> RoundedCount | None:
    """Return the count that a text like "1.2M" shows; None for other values."""
    shown = _ROUNDED.fullmatch(value) if isinstance(value, str) else None
    if shown is None:
        return None
    return RoundedCount(int(shown[1] + shown[2]) * _UNITS[shown[3].lower()] // 10)
