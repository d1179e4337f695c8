"""A rule in one line of text, and dollars and percentages with the precision of bodies."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from serving_api.desk.forms import decimal_in
from serving_api.kit.days import day_in_words
from serving_api.kit.request_context import RequestContext
from serving_api.resources.payouts.accruals.summary import dollars, percent, plural
from serving_api.resources.payouts.structures.bonuses import bonus_day_of
from serving_api.resources.payouts.structures.schemas import Structure
from warehouse.platforms import PLATFORM_NAMES

WRITE_DOLLARS = "Enter dollars with a point as decimal separator (1.50 or 1,000.00)"
_WRITE_PERCENT = "Enter a percentage with a point as decimal separator (12.5)"
_DIGITS = 12
_HUNDREDTHS, _EXACT = 2, 8
"""Decimals of whole cents and basis points, and of values with fractions of them."""


def cents_in(fields: Mapping[str, str], name: str) -> int | None:
    """Return the field's dollars in cents, or None if empty. Raises InvalidBody."""
    return _hundredths(_dollars_in(fields, name, _HUNDREDTHS))


def exact_cents_in(fields: Mapping[str, str], name: str) -> Decimal | None:
    """Return the field's dollars in cents with fractions, for rates. Raises InvalidBody."""
    dollars = _dollars_in(fields, name, _EXACT)
    return None if dollars is None else dollars.scaleb(2)


def percent_in(fields: Mapping[str, str], name: str) -> Decimal | None:
    """Return the field's percentage, or None if empty. Raises InvalidBody."""
    return _percent_in(fields, name, _EXACT)


def basis_points_in(fields: Mapping[str, str], name: str) -> int | None:
    """Return the field's percentage in basis points, or None if empty. Raises InvalidBody."""
    return _hundredths(_percent_in(fields, name, _HUNDREDTHS))


def hundredth_of(number: float | None) -> str:
    """Format cents as dollars, or basis points as percent, for a field."""
    return "" if number is None else f"{Decimal(str(number)).scaleb(-2):,f}"


def percent_of(part: float) -> str:
    """Format a fraction as percent, for a field."""
    return f"{Decimal(str(part)).scaleb(2).normalize():f}"


def _dollars_in(fields: Mapping[str, str], name: str, decimals: int) -> Decimal | None:
    sent = {name: fields.get(name, "").strip().removeprefix("$")}
    return decimal_in(sent, name, WRITE_DOLLARS, digits=_DIGITS, decimals=decimals)


def _percent_in(fields: Mapping[str, str], name: str, decimals: int) -> Decimal | None:
    sent = {name: fields.get(name, "").strip().removesuffix("%")}
    return decimal_in(sent, name, _WRITE_PERCENT, digits=_DIGITS, decimals=decimals)


def _hundredths(number: Decimal | None) -> int | None:
    return None if number is None else int(number.scaleb(2))


PERIODS: Mapping[str, str] = {"daily": "each day", "weekly": "each week", "monthly": "each month"}


def sentence_of(context: RequestContext, structure: Structure) -> str:
    """Describe what a structure pays; a bonus pays once."""
    day = bonus_day_of(context, structure.id)
    if day is None:
        return in_one_line(structure)
    return f"{dollars(structure.amount_cents or 0)} once, on {day_in_words(day)}"


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


def prices_of(tiers: Sequence[Mapping[str, Any]]) -> str:
    """Return the prices of tiers with their limits, which count all views from the first on."""
    prices, below = [], 0
    for tier in tiers:
        price = f"{dollars(Decimal(str(tier['cents_per_thousand'])))} per 1,000 views"
        limit = tier["up_to_impressions"]
        begin = f"from {below + 1:,} to" if below else "up to"
        prices.append(f"{price} {begin} {limit:,}" if limit else price)
        below = limit
    return ", then ".join(prices)


def _by_views(params: Mapping[str, Any], period: str) -> str:
    cap, least = params["max_payout_cents"], params["min_impressions"]
    lifetime = params["view_lifetime_days"]
    limits = (
        f", at most {dollars(cap)}" if cap is not None else "",
        f"; below the minimum of {least:,} views, all carry over" if least else "",
        f"; only views up to {plural(lifetime, 'day')} after posting" if lifetime else "",
    )
    return f"{prices_of(params['tiers'])}, counted {period}{''.join(limits)}"
