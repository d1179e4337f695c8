"""Parameters of each type of rule (contract, criteria_params by type).

Only shapes and what the parameters alone decide belong here. They are stored with all defaults
filled in, and can be sent again as stored. Rates have at most six decimals (money.md M1).
"""

from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import (
    AfterValidator,
    Field,
    PlainSerializer,
    StrictBool,
    StrictFloat,
    StrictInt,
    model_validator,
)

from serving_api.kit.schemas import Body, discriminated_by, tag
from serving_api.resources.programs.conversion_events.schemas import Cents

# Numbers of up to fifteen digits survive every JSON reader and writer unchanged.

MAX_CENTS_PER_THOUSAND = 100_000_000
_MOST_DECIMALS = 6


def _at_most_six_decimals(number: float) -> float:
    exponent = Decimal(repr(number)).normalize().as_tuple().exponent
    if isinstance(exponent, int) and exponent < -_MOST_DECIMALS:
        raise ValueError(f"must have at most {_MOST_DECIMALS} decimals")
    return number


def as_written(number: float) -> float | int:
    """Return a number as it is stored and shown: 10 and 10.5."""
    return int(number) if number.is_integer() else number


_Exact = (
    AfterValidator(_at_most_six_decimals),
    PlainSerializer(as_written, return_type=float | int),
)
CentsPerThousand = Annotated[
    StrictFloat, Field(ge=0, le=MAX_CENTS_PER_THOUSAND, allow_inf_nan=False), *_Exact
]
Multiplier = Annotated[StrictFloat, Field(ge=0, le=1, allow_inf_nan=False), *_Exact]
Percentage = Annotated[StrictFloat, Field(ge=0, le=100, allow_inf_nan=False), *_Exact]


MAX_TIERS = 50
MAX_THRESHOLDS = 10
MAX_RATES = 25
MAX_GOALS = 100
MAX_VIEWS = 10**15
"""More than any post will have, and an integer that every JSON reader keeps exactly."""
MAX_PERCENT_BPS = 100_000


CountedViews = Annotated[StrictInt, Field(ge=0, le=MAX_VIEWS)]
Views = Annotated[StrictInt, Field(ge=1, le=MAX_VIEWS)]


def _or(default: Any) -> AfterValidator:
    return AfterValidator(lambda sent: default if sent is None else sent)


class RecurringParams(Body):
    """No parameters: the amount is paid each period."""


class GoalsParams(Body):
    """How many of the creator's goals must be met, and what partial completion pays."""

    mode: Literal["all", "any", "n_of_m"]
    n: Annotated[StrictInt, Field(ge=1, le=MAX_GOALS)] | None = Field(
        default=None, description="How many goals. Only with mode `n_of_m`", examples=[None]
    )
    partial_allowed: Annotated[StrictBool | None, _or(False)] = Field(
        default=False, description="With mode `all` only"
    )
    partial_multiplier: Annotated[Multiplier | None, _or(1.0)] = Field(
        default=1.0, description="With mode `all` only", examples=[0.5]
    )
    min_completion_pct: Annotated[Percentage | None, _or(0.0)] = Field(
        default=0.0, description="With mode `all` only", examples=[25]
    )

    @model_validator(mode="after")
    def _fits_the_mode(self) -> Self:
        if (self.n is not None) != (self.mode == "n_of_m"):
            verb = "requires" if self.mode == "n_of_m" else "does not allow"
            raise ValueError(f"mode {self.mode} {verb} n")
        if self.mode != "all" and (
            self.partial_allowed or self.partial_multiplier != 1 or self.min_completion_pct
        ):
            raise ValueError(
                "partial_allowed, partial_multiplier and min_completion_pct require mode all"
            )
        return self


class Tier(Body):
    """A price for views, up to and including a number of views in the period.

    Null: all further views.
    """

    up_to_impressions: Annotated[Views | None, Field(examples=[None])]
    cents_per_thousand: CentsPerThousand


def _graduated(tiers: list[Tier]) -> list[Tier]:
    bounds = [tier.up_to_impressions for tier in tiers]
    if bounds[-1] is not None:
        raise ValueError("the last tier must have null as up_to_impressions")
    finite = [bound for bound in bounds if bound is not None]
    if len(finite) != len(bounds) - 1:
        raise ValueError("only the last tier may have null as up_to_impressions")
    if any(above <= below for below, above in pairwise(finite)):
        raise ValueError("must be in ascending order of up_to_impressions")
    return tiers


def _views_gained(_sent: str | None) -> str:
    return "views_gained"


class CpmParams(Body):
    """A price per thousand views gained, by tiers that start again each period (money.md M8)."""

    source: Annotated[
        Literal["views_gained", "posts_in_period"] | None, AfterValidator(_views_gained)
    ] = Field(
        default="views_gained",
        description="`posts_in_period` is deprecated and means `views_gained`",
    )
    view_lifetime_days: Annotated[StrictInt, Field(ge=1, le=3650)] | None = Field(
        default=None, description="Days after posting during which views count. Null: no limit"
    )
    min_impressions: Annotated[CountedViews | None, _or(0)] = Field(
        default=0, description="Minimum views of a period. Fewer views carry over"
    )
    max_payout_cents: Cents | None = Field(
        default=None, description="Cap for each period. Null: no cap"
    )
    tiers: Annotated[
        list[Tier], Field(min_length=1, max_length=MAX_TIERS), AfterValidator(_graduated)
    ]


class Threshold(Body):
    """A bonus, paid once when a video's lifetime views reach a count (money.md M9)."""

    view_count: Views
    amount_cents: Cents
    currency: Annotated[Literal["USD"] | None, _or("USD")] = "USD"


def _unique(values: Sequence[object], message: str) -> None:
    if len(set(values)) != len(values):
        raise ValueError(message)


def _different_views(thresholds: list[Threshold]) -> list[Threshold]:
    _unique([each.view_count for each in thresholds], "must not repeat a view_count")
    return thresholds


class ViewThresholdParams(Body):
    """The bonuses."""

    thresholds: Annotated[
        list[Threshold],
        Field(min_length=1, max_length=MAX_THRESHOLDS),
        AfterValidator(_different_views),
    ]


class FlatRate(Body):
    """An amount for each unit of a conversion's quantity (money.md M12)."""

    conversion_event_id: UUID
    rate_type: Literal["flat"]
    amount_cents: Cents


class PercentRate(Body):
    """A share of a conversion's total value, in basis points (money.md M12)."""

    conversion_event_id: UUID
    rate_type: Literal["percent"]
    percent_bps: Annotated[StrictInt, Field(ge=0, le=MAX_PERCENT_BPS)] = Field(
        description="1000 is 10%"
    )


Rate = Annotated[
    Annotated[FlatRate, tag("flat")] | Annotated[PercentRate, tag("percent")],
    discriminated_by("rate_type", "flat", "percent"),
]


def _different_events(rates: list[FlatRate | PercentRate]) -> list[FlatRate | PercentRate]:
    _unique([rate.conversion_event_id for rate in rates], "must not repeat a conversion event")
    return rates


class ConversionParams(Body):
    """What conversions pay, each or summed by period."""

    cadence: Literal["every_conversion", "daily", "weekly", "monthly"]
    rates: Annotated[
        list[Rate], Field(min_length=1, max_length=MAX_RATES), AfterValidator(_different_events)
    ]


def stored(params: Body) -> dict[str, Any]:
    """Return parameters as they are stored and shown: complete, with plain numbers."""
    return params.model_dump(mode="json")
