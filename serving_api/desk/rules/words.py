"""A rule in one line of text."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from serving_api.desk.rules.amounts import percent_of
from serving_api.resources.payouts.accruals.summary import counted, dollars, percent
from serving_api.resources.payouts.structures.schemas import Structure
from warehouse.platforms import PLATFORM_NAMES

PERIODS: Mapping[str, str] = {
    "daily": "each day",
    "weekly": "each week",
    "monthly": "each month",
}


def in_one_line(structure: Structure) -> str:
    """Describe what a structure pays, and its scope if limited."""
    return f"{_pays(structure)}{_of_which(structure)}"


def _pays(structure: Structure) -> str:
    params, period = structure.criteria_params, PERIODS.get(structure.period or "", "")
    match structure.criteria_type:
        case "recurring":
            return f"{dollars(structure.amount_cents or 0)} {period}"
        case "goals":
            met = {"all": "if all goals are met", "any": "if any goal is met"}
            which = met.get(params["mode"], f"if {params['n']} goals are met")
            return f"{dollars(structure.amount_cents or 0)} {period} {which}{_in_part(params)}"
        case "cpm":
            return _by_views(params, period)
        case "view_threshold":
            bonuses = [
                f"{dollars(threshold['amount_cents'])} at {threshold['view_count']:,} views"
                for threshold in params["thresholds"]
            ]
            return f"Once per post: {', '.join(bonuses)}"
        case _:
            return f"{_by_conversions(params)}, {period or 'one by one'}"


def _of_which(structure: Structure) -> str:
    if structure.platform_scope == "all":
        return ""
    which = PLATFORM_NAMES[structure.platform] if structure.platform else "one account"
    return f"; only {which}"


def _in_part(params: Mapping[str, Any]) -> str:
    if not params["partial_allowed"]:
        return ""
    share, least = params["partial_multiplier"], Decimal(str(params["min_completion_pct"]))
    times = f", times {percent_of(share)}%" if share != 1 else ""
    begun = f", from {least.normalize():f}%" if least else ""
    return f"; in proportion if partly met{times}{begun}"


def _by_conversions(params: Mapping[str, Any]) -> str:
    return f"For conversions {', '.join(_rate(rate) for rate in params['rates'])}"


def _rate(rate: Mapping[str, Any]) -> str:
    is_part = rate["rate_type"] == "percent"
    return percent(rate["percent_bps"]) if is_part else dollars(rate["amount_cents"])


def _by_views(params: Mapping[str, Any], period: str) -> str:
    prices = [
        f"{dollars(Decimal(str(tier['cents_per_thousand'])))} per 1,000 views"
        + (f" up to {tier['up_to_impressions']:,}" if tier["up_to_impressions"] else "")
        for tier in params["tiers"]
    ]
    cap, least = params["max_payout_cents"], params["min_impressions"]
    lifetime = params["view_lifetime_days"]
    limits = (
        f", at most {dollars(cap)}" if cap is not None else "",
        f"; below the minimum of {least:,} views, all carry over" if least else "",
        f"; only views up to {counted(lifetime, 'day')} after posting" if lifetime else "",
    )
    return f"{', then '.join(prices)}, counted {period}{''.join(limits)}"
