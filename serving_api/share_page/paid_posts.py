"""What an amount's evidence pays for each post: views, and cents where a single rate paid."""

from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

Evidence = Mapping[str, Any]
THOUSAND = 1000


def paid_posts(amount_cents: int, evidence: Evidence) -> Mapping[str, tuple[int, Decimal | None]]:
    """Return the paid views and the cents by post; None where tiers pay them all together."""
    match evidence.get("type"):
        case "view_threshold":
            return {evidence["video_id"]: (evidence["views_read"], Decimal(amount_cents))}
        case "cpm":
            rate, views = rate_of(evidence), Counter[str]()
            for video in evidence.get("videos", ()):  # one before and one after a pause
                views[video["video_id"]] += video["views"]
            return {post: (number, price_of(number, rate)) for post, number in views.items()}
        case _:
            return {}


def rate_of(evidence: Evidence) -> Decimal | None:
    """Return the rate of cpm in cents per 1,000 views, None unless a single one paid."""
    paying = (tier for tier in evidence["tiers"] if tier["impressions"])
    rates = {Decimal(tier["cents_per_thousand"]) for tier in paying}
    return rates.pop() if len(rates) == 1 else None


def price_of(views: int, rate: Decimal | None) -> Decimal | None:
    return None if rate is None else views * rate / THOUSAND
