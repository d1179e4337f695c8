"""What a rule pays, in one line."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from serving_api.resources.payouts.accruals.summary import dollars
from serving_api.resources.payouts.structures.schemas import Structure

PERIODS: Mapping[str, str] = {
    "daily": "each day",
    "weekly": "each week",
    "monthly": "each month",
}


def in_one_line(structure: Structure) -> str:
    """Return what a structure pays."""
    params, period = structure.criteria_params, PERIODS.get(structure.period or "", "")
    match structure.criteria_type:
        case "recurring":
            return f"{dollars(structure.amount_cents or 0)} {period}"
        case "goals":
            return f"{dollars(structure.amount_cents or 0)} {period} whose goals are met"
        case "cpm":
            return _by_views(params, period)
        case "view_threshold":
            bonuses = [
                f"{dollars(one['amount_cents'])} at {one['view_count']:,} views"
                for one in params["thresholds"]
            ]
            return f"Once for each post: {', '.join(bonuses)}"
        case _:
            return f"For conversions, {period or 'one by one'}"


def _by_views(params: Mapping[str, Any], period: str) -> str:
    prices = [
        f"{dollars(Decimal(str(one['cents_per_thousand'])))}"
        + (f" to {one['up_to_impressions']:,} views" if one["up_to_impressions"] else "")
        for one in params["tiers"]
    ]
    cap = params["max_payout_cents"]
    most = f", at most {dollars(cap)}" if cap is not None else ""
    return f"{', then '.join(prices)} for each 1,000 views, summed up {period}{most}"
