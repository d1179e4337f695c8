"""Numbers with a point: at most six decimals, so that they are exact as JSON (money.md M1).

Fifteen digits at most are read, kept and written as they were sent, by every JSON reader.
"""

from decimal import Decimal
from typing import Annotated

from pydantic import AfterValidator, Field, PlainSerializer, StrictFloat

MAX_CENTS_PER_THOUSAND = 100_000_000
_MOST_DECIMALS = 6


def _at_most_six_decimals(number: float) -> float:
    exponent = Decimal(repr(number)).normalize().as_tuple().exponent
    if isinstance(exponent, int) and exponent < -_MOST_DECIMALS:
        raise ValueError(f"must have at most {_MOST_DECIMALS} decimals")
    return number


def _as_written(number: float) -> float | int:
    return int(number) if number.is_integer() else number


_Exact = (
    AfterValidator(_at_most_six_decimals),
    PlainSerializer(_as_written, return_type=float | int),
)
CentsPerThousand = Annotated[
    StrictFloat, Field(ge=0, le=MAX_CENTS_PER_THOUSAND, allow_inf_nan=False), *_Exact
]
Multiplier = Annotated[StrictFloat, Field(ge=0, le=1, allow_inf_nan=False), *_Exact]
Percentage = Annotated[StrictFloat, Field(ge=0, le=100, allow_inf_nan=False), *_Exact]
