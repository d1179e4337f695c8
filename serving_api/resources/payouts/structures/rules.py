"""The rule of a payout structure, a class for each type (contract, Payout structures).

Only the fields of a type belong here; `versions` checks what a rule refers to.
"""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StrictBool, StrictInt, ValidationInfo, field_validator

from serving_api.kit.platform_scope import Scoped
from serving_api.resources.payouts.structures.criteria import (
    ConversionParams,
    CpmParams,
    GoalsParams,
    RecurringParams,
    ViewThresholdParams,
    stored,
)
from serving_api.resources.programs.conversion_events.schemas import Cents

CriteriaType = Literal["recurring", "goals", "cpm", "view_threshold", "conversion"]
Period = Literal["daily", "weekly", "monthly"]
ProrationMode = Literal["skip", "prorate", "full"]
CURRENCY = "USD"
"""The only currency of payouts (contract, Payout structures)."""

RULE = (
    "period",
    "amount_cents",
    "criteria_type",
    "criteria_params",
    "proration_mode",
    "backfill_on_assignment",
    "period_anchor",
    "platform_scope",
    "platform",
    "account_id",
    "hold_anomalies",
)
"""The columns of a version that define what it pays."""
WITH_BACKFILL = ("view_threshold", "conversion")


def _ignored(_sent: int | None) -> int:
    return 0


IgnoredCents = Annotated[StrictInt | None, AfterValidator(_ignored)]


class _Rule(Scoped):
    """Fields of every type."""

    currency: Literal["USD"]
    hold_anomalies: StrictBool | None = Field(
        default=None,
        description="Put amounts with anomalies on hold until a member releases them. Defaults to"
        " the previous version's value, at first false",
        examples=[False],
    )


class _Periodic(_Rule):
    """Fields of types that pay by period."""

    period: Period
    proration_mode: ProrationMode


class Recurring(_Periodic):
    """A fixed amount for each period."""

    criteria_type: Literal["recurring"]
    criteria_params: RecurringParams
    amount_cents: Cents


class Goals(_Periodic):
    """An amount for each period whose goals are met."""

    criteria_type: Literal["goals"]
    criteria_params: GoalsParams
    amount_cents: Cents


class Cpm(_Periodic):
    """A price per thousand views gained. amount_cents and proration_mode are ignored."""

    criteria_type: Literal["cpm"]
    criteria_params: CpmParams
    amount_cents: IgnoredCents = Field(description="Ignored. Send 0")


class ViewThreshold(_Rule):
    """A bonus, paid once, for each video and view count."""

    criteria_type: Literal["view_threshold"]
    criteria_params: ViewThresholdParams
    period: None
    amount_cents: None
    proration_mode: Literal["skip"]


class PerConversion(_Rule):
    """A share of the value of conversions, or an amount for each."""

    criteria_type: Literal["conversion"]
    criteria_params: ConversionParams
    period: Period | None = Field(description="The cadence", examples=[None])
    amount_cents: None
    proration_mode: Literal["skip"]

    @field_validator("period")
    @classmethod
    def _is_the_cadence(cls, period: Period | None, info: ValidationInfo) -> Period | None:
        params: ConversionParams | None = info.data.get("criteria_params")
        if params is not None and (period or "every_conversion") != params.cadence:
            raise ValueError("must equal criteria_params.cadence (null for every_conversion)")
        return period


Rule = Recurring | Goals | Cpm | ViewThreshold | PerConversion


def columns_of(rule: Rule) -> dict[str, Any]:
    """Return a rule as columns of a version, without its scope."""
    return {
        "criteria_type": rule.criteria_type,
        "criteria_params": stored(rule.criteria_params),
        "period": rule.period,
        "amount_cents": rule.amount_cents,
        "currency": rule.currency,
        "proration_mode": rule.proration_mode,
    }
