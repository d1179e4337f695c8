"""Chance that repeats itself: the world's numbers are drawn from keys that begin with the seed.

Nothing here knows what is drawn. The order of draws from one key is part of the world: a new
draw goes to the end, or the counts of every world change.
"""

from random import Random


def draws(*key: object) -> Random:
    """Return the stream of numbers that belongs to `key`, the same in every process."""
    return Random("/".join(map(str, key)))  # noqa: S311 - invented data, nothing secret


def happens(draw: Random, share: float) -> bool:
    """Draw whether something befalls this one, as it does a `share` of all."""
    return draw.random() < share


def scramble(value: int, bits: int) -> int:
    """Spread `value` over all numbers of `bits` bits, one to one, so that ids look unrelated."""
    return value * _ODD % (1 << bits)


def unscramble(value: int, bits: int) -> int:
    """Undo `scramble`."""
    return value * pow(_ODD, -1, 1 << bits) % (1 << bits)


def fraction(number: int, phase: float) -> float:
    """Return the number's place in [0, 1): evenly spread, cheap, the same for the same phase."""
    return (number * _GOLDEN + phase) % 1.0


_ODD = 0x9E3779B1
_GOLDEN = 0.6180339887498949
