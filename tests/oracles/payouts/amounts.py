"""An amount and its subject, proration (money.md M10), and limits (M16)."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any
from uuid import UUID

from tests.oracles.payouts.days import Period
from tests.oracles.payouts.facts import Row
from tests.oracles.payouts.payee import Payee
from tests.oracles.payouts.rounding import half_up, precise

LIMITS = ("max_payout", "min_impressions", "goals_not_met", "paused", "proration", "view_lifetime")


@dataclass
class Earned:
    """The computed amount of one accrual."""

    period: Period
    version: Row
    accrual_id: UUID
    amount_cents: int
    precise_amount: Fraction
    limited_by: list[str]
    subject_id: UUID | None = None
    view_count: int | None = None
    post_count: int | None = None
    evidence: dict[str, Any] = field(default_factory=dict)


def limits(**cuts: bool) -> list[str]:
    """Return the limits that applied; the first is the displayed one."""
    return [name for name in LIMITS if cuts.get(name)]


def rounded(value: Fraction) -> tuple[int, Fraction]:
    """Return cents and the precise amount, whose rounding gives the cents."""
    return half_up(precise(value)), precise(value)


def prorated(payee: Payee, period: Period, version: Row) -> Fraction:
    """Return the share of a period's amount earned by its covered days (M10)."""
    covered, days = payee.covered_days(period), len(period.days())
    if version["proration_mode"] == "prorate":
        return Fraction(covered, days)
    if version["proration_mode"] == "full":
        return Fraction(int(covered >= 1))
    return Fraction(int(covered == days))


def proration_limits(payee: Payee, period: Period, version: Row) -> dict[str, bool]:
    is_prorated = version["proration_mode"] == "prorate"
    return {
        "paused": is_prorated and payee.paused_days(period) > 0,
        "proration": is_prorated and payee.unassigned_days(period) > 0,
    }
