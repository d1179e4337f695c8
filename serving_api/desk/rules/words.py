"""What a rule pays, in one line."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from serving_api.resources.payouts.accruals.summary import dollars, percent
from serving_api.resources.payouts.structures.schemas import Structure
from warehouse.platforms import PLATFORM_NAMES

PERIODS: Mapping[str, str] = {
    "daily": "each day",
    "weekly": "each week",
    "monthly": "each month",
}


def in_one_line(structure: Structure) -> str:
    """Return what a structure pays, and of which accounts where not of all."""
    return f"{_pays(structure)}{_of_which(structure)}"


def _pays(structure: Structure) -> str:
    params, period = structure.criteria_params, PERIODS.get(structure.period or "", "")
    match structure.criteria_type:
        case "recurring":
            return f"{dollars(structure.amount_cents or 0)} {period}"
        case "goals":
            met = {"all": "whose goals are met", "any": "with a goal that is met"}
            which = met.get(params["mode"], f"with {params['n']} goals that are met")
            return f"{dollars(structure.amount_cents or 0)} {period} {which}"
        case "cpm":
            return _by_views(params, period)
        case "view_threshold":
            bonuses = [
                f"{dollars(one['amount_cents'])} at {one['view_count']:,} views"
                for one in params["thresholds"]
            ]
            return f"Once for each post: {', '.join(bonuses)}"
        case _:
            return f"{_by_conversions(params)}, {period or 'one by one'}"


def _of_which(structure: Structure) -> str:
    if structure.platform_scope == "all":
        return ""
    which = PLATFORM_NAMES[structure.platform] if structure.platform else "one account"
    return f"; of {which} alone"


def _by_conversions(params: Mapping[str, Any]) -> str:
    return f"For conversions {', '.join(_rate(one) for one in params['rates'])}"


def _rate(rate: Mapping[str, Any]) -> str:
    is_part = rate["rate_type"] == "percent"
    return percent(rate["percent_bps"]) if is_part else dollars(rate["amount_cents"])


def _by_views(params: Mapping[str, Any], period: str) -> str:
    prices = [
        f"{dollars(Decimal(str(one['cents_per_thousand'])))}"
        + (f" to {one['up_to_impressions']:,} views" if one["up_to_impressions"] else "")
        for one in params["tiers"]
    ]
    cap = params["max_payout_cents"]
    most = f", at most {dollars(cap)}" if cap is not None else ""
    return f"{', then '.join(prices)} for each 1,000 views, summed up {period}{most}"
