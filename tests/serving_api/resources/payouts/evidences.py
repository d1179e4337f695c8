"""Evidence of every type as the models could have made it, with its amount.

`EVIDENCES` has a strategy for each type. Values come from the edges (0, 1, powers of ten, the
maximum, fractions) and from between them.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from fractions import Fraction
from typing import Any, get_args

from hypothesis import assume
from hypothesis import strategies as st

from serving_api.resources.payouts.accruals.schemas import LimitedBy
from serving_api.resources.payouts.structures.criteria import (
    MAX_CENTS_PER_THOUSAND,
    MAX_GOALS,
    MAX_PERCENT_BPS,
    MAX_THRESHOLDS,
    MAX_VIEWS,
)
from serving_api.resources.programs.conversion_events.schemas import MAX_VALUE_CENTS
from tests.oracles.payouts.cpm import tier_lines
from tests.oracles.payouts.rounding import (
    LARGEST,
    as_decimal,
    as_fraction,
    at_decimals,
    half_up,
    precise,
)

Evidence = dict[str, Any]
Explained = tuple[int, Evidence]

MILLION = 10**6
LIMITS = get_args(LimitedBy)


def whole(least: int, most: int) -> st.SearchStrategy[int]:
    """Integers from `least` to `most`; these, small ones and powers of ten are frequent."""
    edges = [0, 1, 9, *(10**power for power in range(1, 19)), least, most]
    return st.sampled_from([edge for edge in edges if least <= edge <= most]) | st.integers(
        least, most
    )


CENTS = whole(0, MAX_VALUE_CENTS)
PAYING = whole(1, MAX_VALUE_CENTS)
VIEWS = whole(1, MAX_VIEWS)
COUNTS = whole(1, MILLION)
INSTANTS = st.datetimes(datetime(2000, 1, 1), datetime(2099, 12, 31))  # noqa: DTZ001  all in UTC


@st.composite
def dated_posts(draw: st.DrawFn, name: str) -> list[Evidence]:
    """Posts with an instant in the field `name`, the earliest first."""
    instants = sorted(draw(st.lists(INSTANTS, max_size=3)))
    return [
        {"video_id": str(number), name: f"{at:%Y-%m-%dT%H:%M:%S.%fZ}"}
        for number, at in enumerate(instants)
    ]


@st.composite
def cpm(draw: st.DrawFn) -> Explained:
    payable, carry_in = draw(VIEWS), draw(whole(0, MAX_VIEWS))
    carry_in = min(payable, carry_in)
    least, cap = draw(whole(0, MAX_VIEWS)), draw(st.none() | CENTS)
    bounds = sorted(draw(st.sets(VIEWS, max_size=4)))
    rule = [
        {"up_to_impressions": bound, "cents_per_thousand": str(as_decimal(rate, 6))}
        for bound in [*bounds, None]
        for rate in [Fraction(draw(whole(0, MAX_CENTS_PER_THOUSAND * MILLION)), MILLION)]
    ]
    is_few = payable < least
    lines = tier_lines(0 if is_few else payable, rule)
    before_cap = sum((cents for _, cents in lines), Fraction(0))
    capped = before_cap if cap is None else min(before_cap, Fraction(cap))
    amount = min(capped, Fraction(LARGEST))
    limited = [draw(st.sampled_from(LIMITS[3:]))] if draw(st.booleans()) else []
    before = Fraction(draw(whole(0, MILLION)), 1_000)
    return half_up(before + amount) - half_up(before), {
        "type": "cpm",
        "impressions": payable - carry_in,
        "carry_in": carry_in,
        "payable": payable,
        "carry_out": payable if is_few else 0,
        "min_impressions": least,
        "tiers": [
            {**tier, "impressions": views} for tier, (views, _) in zip(rule, lines, strict=True)
        ],
        "max_payout_cents": cap,
        "precise_cents": str(as_decimal(amount)),
        "running_total_before_cents": str(as_decimal(before)),
        "view_lifetime_days": draw(st.integers(1, 365)),
        "limited_by": ["max_payout", *limited] if capped < before_cap else limited,
        "views_as_of": draw(dated_posts("views_as_of")),
        "held": draw(dated_posts("posted_at_awaited_until")),
    }


@st.composite
def view_threshold(draw: st.DrawFn) -> Explained:
    cents, reached = draw(PAYING), draw(VIEWS)
    read = max(reached, draw(VIEWS))
    named = {"view_count": reached, "views_read": read, "amount_cents": cents}
    return cents, {"type": "view_threshold", **named}


@st.composite
def days(draw: st.DrawFn) -> tuple[Fraction, Evidence]:
    """The share of an amount that covered days pay; `skip` has all days, or there is no accrual."""
    length = draw(st.sampled_from([1, 7, 28, 31]))
    mode = draw(st.sampled_from(["skip", "prorate", "full"]))
    covered = length if mode == "skip" else draw(st.integers(1, length))
    paid = Fraction(covered, length) if mode == "prorate" else Fraction(1)
    paused = length - covered
    evidence = {
        "proration_mode": mode,
        "days": length,
        "covered_days": covered,
        "paused_days": paused,
        "limited_by": ["paused"] if mode == "prorate" and paused else [],
    }
    return paid, {"amount_cents": draw(PAYING), **evidence}


@st.composite
def recurring(draw: st.DrawFn) -> Explained:
    paid, evidence = draw(days())
    return half_up(precise(evidence["amount_cents"] * paid)), {"type": "recurring", **evidence}


@st.composite
def goals(draw: st.DrawFn) -> Explained:
    paid, evidence = draw(days())
    number = draw(whole(1, MAX_GOALS))
    mode = draw(st.sampled_from(["all", "any", "n_of_m"]))
    needed = {"all": number, "any": 1, "n_of_m": draw(st.integers(1, number))}[mode]
    is_partial = mode == "all" and draw(st.booleans())
    met = draw(st.integers(0, number - 1) if is_partial else st.integers(needed, number))
    multiplier = str(as_decimal(Fraction(draw(whole(0, MILLION)), MILLION), 6))
    completion = at_decimals(Fraction(draw(whole(0, 10**12)), 10**12), 12)
    if is_partial:
        paid *= completion * as_fraction(multiplier)
    return half_up(precise(evidence["amount_cents"] * paid)), {
        "type": "goals",
        **evidence,
        "mode": mode,
        "n": needed if mode == "n_of_m" else None,
        "met": met,
        "goals": [{}] * number,
        "partial_multiplier": multiplier,
        "completion_pct": str(as_decimal(completion, 12)) if is_partial else None,
    }


@st.composite
def rate(draw: st.DrawFn) -> Evidence:
    value = {"total_value_cents": draw(CENTS), "quantity": draw(COUNTS)}
    kind: Evidence = draw(
        st.fixed_dictionaries({"rate_type": st.just("flat"), "amount_cents": CENTS})
        | st.fixed_dictionaries(
            {"rate_type": st.just("percent"), "percent_bps": whole(0, MAX_PERCENT_BPS)}
        )
    )
    return {**kind, **value, "conversions": draw(COUNTS)}


@st.composite
def conversion(draw: st.DrawFn) -> Explained:
    rates = draw(st.lists(rate(), min_size=1, max_size=4))
    earned = sum((_earned(rate) for rate in rates), Fraction(0))
    limited = ["paused"] if draw(st.booleans()) else []
    return half_up(precise(earned)), {"type": "conversion", "rates": rates, "limited_by": limited}


def _earned(rate: Evidence) -> Fraction:
    if rate["rate_type"] == "flat":
        return Fraction(rate["amount_cents"] * rate["quantity"])
    return Fraction(rate["total_value_cents"] * rate["percent_bps"], 10_000)


@st.composite
def adjustment(draw: st.DrawFn) -> Explained:
    sides = {name: draw(st.none() | side()) for name in ("owed", "frozen")}
    owed, frozen = (
        of["amount_cents"] if of else draw(CENTS) for of in (sides["owed"], sides["frozen"])
    )
    settled = draw(st.lists(whole(-MAX_VALUE_CENTS, MAX_VALUE_CENTS), max_size=MAX_THRESHOLDS))
    cents = owed - frozen - sum(settled)
    assume(abs(cents) <= LARGEST)
    return cents, {
        "type": "adjustment",
        "owed_cents": owed,
        "frozen_cents": frozen,
        "settled": [{"accrual_id": None, "amount_cents": cents} for cents in settled],
        **sides,
    }


@st.composite
def side(draw: st.DrawFn) -> Evidence:
    """One of the two amounts that a correction compares; old payments have no evidence."""
    kind = draw(st.sampled_from([cpm, view_threshold, recurring, goals, conversion]))
    cents, evidence = draw(kind())
    accrual_evidence = evidence if draw(st.booleans()) else {}
    return {"amount_cents": cents, "period_end": "2026-05-17", "evidence": accrual_evidence}


EVIDENCES: Mapping[str, Callable[[], st.SearchStrategy[Explained]]] = {
    "cpm": cpm,
    "view_threshold": view_threshold,
    "recurring": recurring,
    "goals": goals,
    "conversion": conversion,
    "adjustment": adjustment,
}
