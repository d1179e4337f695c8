"""What rules pay, by example: of each kind, and of a rule that was entered."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from serving_api.desk.entered import Entered
from serving_api.desk.rules.forms import PARAMS, rule_in
from serving_api.resources.payouts.accruals.summary import dollars
from serving_api.resources.payouts.structures.rules import CriteriaType

EXAMPLES: Mapping[CriteriaType, str] = {
    "recurring": "$500.00 each month; $250.00 for half of it",
    "goals": "$100.00 each week in which all goals are met",
    "cpm": "$1.50 per 1,000 views: 40,000 views pay $60.00",
    "view_threshold": "$50.00 once a post has 100,000 views",
    "conversion": "10% of each order: an order of $80.00 pays $8.00",
}
VIEWS = 100_000
ORDER_CENTS = 10_000


def example_of(kind: CriteriaType, entered: Entered) -> str:
    """Return what the previewed rule pays for an example, "" without a preview."""
    params = rule_in(kind, entered.values)[PARAMS] if entered.sentence else {}
    match kind:
        case "cpm" if params:
            views = max(VIEWS, params.get("min_impressions") or 0)
            cap = params.get("max_payout_cents")
            cents = cents_of_tiers(params["tiers"], views)
            return f"{views:,} views pay {dollars(cents if cap is None else min(cents, cap))}"
        case "conversion" if params:
            return "; ".join(
                f"a conversion of {dollars(ORDER_CENTS)} pays {dollars(_of_rate(rate))}"
                for rate in params["rates"]
            )
        case _:
            return ""


def cents_of_tiers(tiers: Sequence[Mapping[str, Any]], views: int) -> Decimal:
    """Return the cents for views: each tier pays those up to its limit."""
    cents, paid = Decimal(0), 0
    for tier in tiers:
        limit = min(views, tier["up_to_impressions"] or views)
        cents += max(0, limit - paid) * Decimal(str(tier["cents_per_thousand"])) / 1000
        paid = max(paid, limit)
    return cents


def _of_rate(rate: Mapping[str, Any]) -> Decimal:
    is_part = rate["rate_type"] == "percent"
    points = Decimal(rate["percent_bps" if is_part else "amount_cents"])
    return ORDER_CENTS * points / 10_000 if is_part else points
