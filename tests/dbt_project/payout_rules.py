"""Random rules of payout structures with all parameters, as the API stores them."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, ClassVar
from uuid import UUID

Row = dict[str, Any]

TYPES = ("cpm", "cpm", "goals", "recurring", "goals", "view_threshold", "conversion", "conversion")
PERIODS = ("daily", "weekly", "monthly")
RATES = (100, 1000, 80.5, 0.5, 33.333333, 250.000001, 0.000001, 0)
BOUNDS = (1, 10, 100, 333, 1000, 12_345, 1_000_000)
VIEW_COUNTS = (1, 30, 100, 500, 950, 1000, 60_000, 65_000, 990_000, 1_000_000, 5_500_000)
AMOUNTS = (1, 7, 100, 999, 50_000)


@dataclass(frozen=True)
class Rules:
    """Draws shapes, which assignments fix, and terms, which differ by version."""

    random: Random
    events: Sequence[UUID]
    accounts: Sequence[UUID]

    SHAPE: ClassVar = ("criteria_type", "period", "backfill_on_assignment", "period_anchor")

    def shape(self) -> Row:
        kind = self.random.choice(TYPES)
        if kind == "conversion" and not self.events:
            kind = "cpm"
        period: str | None = self.random.choice(PERIODS)
        if kind == "view_threshold" or (kind == "conversion" and self.random.random() < 0.4):
            period = None
        is_anchored = kind == "conversion" and period == "weekly"
        return {
            "criteria_type": kind,
            "period": period,
            "backfill_on_assignment": kind in {"view_threshold", "conversion"}
            and self.random.random() < 0.4,
            "period_anchor": self.random.choice((None, 1, 3, 7)) if is_anchored else None,
        }

    def terms(self, shape: Row) -> Row:
        kind = shape["criteria_type"]
        has_amount = kind in {"recurring", "goals"}
        return {
            "amount_cents": self.random.choice(AMOUNTS) if has_amount else None,
            "criteria_params": getattr(self, kind)(shape),
            "proration_mode": self.random.choice(("skip", "prorate", "full"))
            if has_amount
            else "skip",
            **self.scope(),
        }

    def scope(self) -> Row:
        scope = self.random.choice(("all", "all", "all", "platform", "account"))
        platform = self.random.choice(("tiktok", "instagram"))
        return {
            "platform_scope": scope,
            "platform": platform if scope == "platform" else None,
            "account_id": self.random.choice(self.accounts) if scope == "account" else None,
        }

    def recurring(self, _shape: Row) -> Row:
        return {}

    def goals(self, _shape: Row) -> Row:
        mode = self.random.choice(("all", "all", "all", "any", "n_of_m"))
        is_partial = mode == "all" and self.random.random() < 0.6
        return {
            "mode": mode,
            "n": self.random.randint(1, 2) if mode == "n_of_m" else None,
            "partial_allowed": is_partial,
            "partial_multiplier": self.random.choice((1, 0.5, 0.333333)) if is_partial else 1,
            "min_completion_pct": self.random.choice((0, 12.5, 50, 50)) if is_partial else 0,
        }

    def cpm(self, _shape: Row) -> Row:
        bounds = sorted(self.random.sample(BOUNDS, self.random.randint(0, 3)))
        return {
            "source": "views_gained",
            "view_lifetime_days": self.random.choice((None, None, 1, 5, 20)),
            "min_impressions": self.random.choice((0, 0, 50, 1000, 20_000)),
            "max_payout_cents": self.random.choice((None, None, None, None, None, 0, 100, 5000)),
            "tiers": [
                {"up_to_impressions": bound, "cents_per_thousand": self.random.choice(RATES)}
                for bound in (*bounds, None)
            ],
        }

    def view_threshold(self, _shape: Row) -> Row:
        return {
            "thresholds": [
                {
                    "view_count": view_count,
                    "amount_cents": self.random.choice((*AMOUNTS, 0)),
                    "currency": "USD",
                }
                for view_count in self.random.sample(VIEW_COUNTS, self.random.randint(1, 6))
            ]
        }

    def conversion(self, shape: Row) -> Row:
        events = self.random.sample(self.events, self.random.randint(1, len(self.events)))
        return {
            "cadence": shape["period"] or "every_conversion",
            "rates": [self.rate(event) for event in events],
        }

    def rate(self, event: UUID) -> Row:
        about = {"conversion_event_id": str(event)}
        if self.random.random() < 0.5:
            cents = self.random.choice((0, 1, 250))
            return {**about, "rate_type": "flat", "amount_cents": cents}
        bps = self.random.choice((1, 333, 1000, 10_000))
        return {**about, "rate_type": "percent", "percent_bps": bps}
