"""Reproducible randomness: the world's numbers are drawn from keys that begin with the seed.

The order of draws from one key is part of the world: add new draws at the end, or the counts of
every world change.
"""

from random import Random


def draws(*key: object) -> Random:
    """Return the random stream of `key`, equal in every process."""
    return Random("/".join(map(str, key)))  # noqa: S311 - invented data, nothing secret


def happens(draw: Random, share: float) -> bool:
    """Draw whether an event with probability `share` occurs."""
    return draw.random() < share


def scramble(value: int, bits: int) -> int:
    """Map `value` one to one onto the numbers of `bits` bits, so that ids look unrelated."""
    return value * _ODD % (1 << bits)


def unscramble(value: int, bits: int) -> int:
    return value * pow(_ODD, -1, 1 << bits) % (1 << bits)


def fraction(number: int, phase: float) -> float:
    """Return the number's place in [0, 1): evenly spread, cheap, and equal for the same phase."""
    return (number * _GOLDEN + phase) % 1.0


_ODD = 0x9E3779B1
_GOLDEN = 0.6180339887498949
