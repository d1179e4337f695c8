"""Counts as platforms abbreviate them: TikTok's rounded `stats`, Instagram's 51K."""

_ROUNDED_TO = ((1_000_000_000, 100_000_000), (1_000_000, 100_000), (1000, 100))
_UNITS = ((1_000_000_000, "B"), (1_000_000, "M"), (10_000, "K"))
_INT32 = 1 << 32
_LARGEST_INT32 = (1 << 31) - 1


def rounded(count: int) -> int:
    """Return the count rounded as on TikTok: 88,041 is 88,000."""
    for least, unit in _ROUNDED_TO:
        if count >= least:
            return (count + unit // 2) // unit * unit
    return count


def as_int32(count: int) -> int:
    """Return a count as a signed 32-bit number: negative above 2,147,483,647."""
    wrapped = count % _INT32
    return wrapped - _INT32 if wrapped > _LARGEST_INT32 else wrapped


def shortened(count: int) -> str:
    """Return the count as in Instagram's page description: 51K, 1.2M, 9,876."""
    for least, letter in _UNITS:
        if count >= least:
            unit = max(1000, least if letter != "K" else 1000)
            return f"{_trimmed(count, unit)}{letter}"
    return f"{count:,}"


def _trimmed(count: int, unit: int) -> str:
    tenths = count * 10 // unit
    if unit == 1000 or tenths % 10 == 0:  # noqa: PLR2004 - thousands come without a decimal
        return str(tenths // 10)
    return f"{tenths // 10}.{tenths % 10}"
