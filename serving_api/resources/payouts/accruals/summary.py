"""One plain sentence for each type of accrual, made from its evidence.

Each sentence is enough to compute the amount again, and states every number exactly as the
evidence has it: "99.96%" must not become "100%".
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, NamedTuple

from serving_api.kit.days import day_in_words
from serving_api.resources.payouts.accruals.records import instant
from warehouse.amounts import LARGEST_CENTS
from warehouse.reading.accruals.accrual import Accrual

Evidence = Mapping[str, Any]

HUNDRED = 100
ISO_DAY = re.compile(r"\b\d{4}-\d\d-\d\d\b")


class Amount(NamedTuple):
    """An accrual's amount in cents and the last day of its period."""

    amount_cents: int
    period_end: date


def summary_of(accrual: Accrual, evidence: Evidence) -> str:
    """Return how the amount came about, and what is excluded for now."""
    return sentence_of(Amount(accrual.amount_cents, accrual.period_end), evidence)


def sentence_of(amount: Amount, evidence: Evidence) -> str:
    """Return how an amount came about: `summary_of` also for one with its corrections."""
    return SENTENCES[evidence["type"]](amount, evidence) + _awaited(evidence.get("held", []))


def _awaited(posts: Sequence[Evidence]) -> str:
    if not posts:
        return ""
    last = instant(posts[-1]["posted_at_awaited_until"])
    return (
        f"; {plural(len(posts), 'post')} left out until the exact posting time is known,"
        f" {last} at the latest"
    )


def dollars(cents: int | str | Decimal) -> str:
    """Format cents as dollars with two decimals, or more for fractions of a cent."""
    amount = Decimal(cents) / HUNDRED
    fractions = _number(amount).partition(".")[2]
    text = f"${abs(amount):,.{max(2, len(fractions))}f}"
    return f"-{text}" if amount < 0 else text


def on_page(words: str) -> str:
    """Return words with amounts and days as pages write them, with a minus sign and 9 May 2026.

    Signed sentences keep the hyphens.
    """
    words = words.replace("-$", "\N{MINUS SIGN}$")
    return ISO_DAY.sub(lambda day: day_in_words(date.fromisoformat(day[0])), words)


def page_dollars(cents: int | str | Decimal) -> str:
    """Format cents for pages."""
    return on_page(dollars(cents))


def percent(basis_points: int) -> str:
    """Format basis points as a percentage."""
    return f"{_number(Decimal(basis_points) / HUNDRED)}%"


def _cpm(amount: Amount, evidence: Evidence) -> str:
    stale_views = _stale_views(evidence.get("views_as_of", []))
    rounded = _rounded(amount, evidence)
    return _views_paid(evidence) + _limited(evidence) + _bounded(amount) + rounded + stale_views


def _limited(evidence: Evidence) -> str:
    limits = evidence["limited_by"]
    lifetime = f"; views later than {plural(evidence.get('view_lifetime_days') or 0, 'day')} after"
    return ("; views on paused days left out" if "paused" in limits else "") + (
        f"{lifetime} posting left out" if "view_lifetime" in limits else ""
    )


def _rounded(amount: Amount, evidence: Evidence) -> str:
    """Describe what earlier rounding adds, if it changes the cents (money.md M8)."""
    precise = Decimal(evidence.get("precise_cents", amount.amount_cents))
    before = Decimal(evidence.get("running_total_before_cents", 0))
    rest = before - _whole(before)
    if not rest or _whole(precise) == amount.amount_cents:
        return ""
    how = ("plus", "down") if rest > 0 else ("less", "up")
    return f"; {how[0]} {dollars(abs(rest))} by which earlier periods were rounded {how[1]}"


def _whole(cents: Decimal) -> Decimal:
    return cents.to_integral_value(ROUND_HALF_UP)


def _bounded(amount: Amount) -> str:
    """Say that the amount is the largest possible (money.md M1)."""
    is_largest = amount.amount_cents == LARGEST_CENTS
    return "; the largest amount possible" if is_largest else ""


def _stale_views(posts: Sequence[Evidence]) -> str:
    """Say of how many posts views could not be read, and since when at the earliest."""
    if not posts:
        return ""
    views = f"views of {plural(len(posts), 'post')} could not be read"
    return f"; {views} since {instant(posts[0]['views_as_of'])}" + (
        " or later" if len(posts) > 1 else ""
    )


def _views_paid(evidence: Evidence) -> str:
    payable, carried = evidence["payable"], evidence["carry_in"]
    if payable and payable == evidence["carry_out"]:
        least = evidence["min_impressions"]
        return f"{payable:,} views, below the minimum of {least:,}: all carried over"
    tiers = _listed(
        f"{tier['impressions']:,} at {dollars(tier['cents_per_thousand'])}"
        for tier in evidence["tiers"]
        if tier["impressions"]
    )
    sentence = f"{payable:,} views counted" + (f": {tiers} per thousand" if tiers else "")
    if carried:
        sentence += f"; {carried:,} carried over"
    if "max_payout" in evidence["limited_by"]:
        sentence += f"; at most {dollars(evidence['max_payout_cents'])} a period"
    return sentence


def _view_threshold(amount: Amount, evidence: Evidence) -> str:
    reached, read = evidence["view_count"], evidence["views_read"]
    paid = dollars(evidence["amount_cents"])
    return f"{reached:,} views reached on {amount.period_end} ({read:,} read): {paid}"


def _recurring(amount: Amount, evidence: Evidence) -> str:
    return f"{_days(evidence)}: {_part_of(amount, evidence)}"


def _goals(amount: Amount, evidence: Evidence) -> str:
    of_all = f"{evidence['met']:,} of {plural(len(evidence['goals']), 'goal')} met"
    return f"{of_all}{_needed(evidence)}; {_days(evidence)}: {_part_of(amount, evidence)}"


def _conversion(amount: Amount, evidence: Evidence) -> str:
    rates = _listed(_rate(rate) for rate in evidence["rates"] if rate["quantity"])
    number = sum(rate["quantity"] for rate in evidence["rates"])
    sentence = f"{plural(number, 'conversion')}: {rates}: {dollars(amount.amount_cents)}"
    is_paused = "paused" in evidence.get("limited_by", [])
    return (
        sentence + ("; conversions on paused days left out" if is_paused else "") + _bounded(amount)
    )


def _adjustment(_amount: Amount, evidence: Evidence) -> str:
    settled = sum(adjustment["amount_cents"] for adjustment in evidence["settled"])
    difference = evidence["owed_cents"] - evidence["frozen_cents"] - settled
    is_undone = evidence.get("frozen", evidence) is None
    when = "due again as its payment was undone" if is_undone else "when it was paid"
    sentence = (
        f"{dollars(evidence['owed_cents'])} owed now, {dollars(evidence['frozen_cents'])} {when}"
    )
    if evidence["settled"]:
        sentence += f", {dollars(settled)} adjusted since"
    sides = _side("Now", evidence.get("owed")) + _side("When it was paid", evidence.get("frozen"))
    return f"{sentence}: {dollars(difference)} to correct{sides}"


def _side(when: str, side: Evidence | None) -> str:
    """Describe how one of the two amounts came about, if its evidence exists."""
    if not side or not side["evidence"]:
        return ""
    amount = Amount(side["amount_cents"], date.fromisoformat(side["period_end"]))
    return f". {when}: {sentence_of(amount, side['evidence'])}"


def _needed(evidence: Evidence) -> str:
    """Describe how many goals are needed, or how partial completion is paid."""
    if evidence["mode"] != "all":
        return f", {1 if evidence['mode'] == 'any' else evidence['n']:,} needed"
    if evidence["completion_pct"] is None:
        return ""
    completion = _number(Decimal(evidence["completion_pct"]) * HUNDRED)
    return f", {completion}% complete, times {_number(Decimal(evidence['partial_multiplier']))}"


def _rate(rate: Evidence) -> str:
    if rate["rate_type"] == "flat":
        return f"{rate['quantity']:,} at {dollars(rate['amount_cents'])}"
    return f"{percent(rate['percent_bps'])} of {dollars(rate['total_value_cents'])}"


def _days(evidence: Evidence) -> str:
    covered, days = evidence["covered_days"], evidence["days"]
    sentence = f"{covered:,} of {plural(days, 'day')} covered"
    if "paused" in evidence.get("limited_by", []):
        sentence += f", paused on {plural(evidence['paused_days'], 'day')}"
    is_enough = evidence["proration_mode"] == "full" and covered < days
    return f"{sentence}, paid in full" if is_enough else sentence


def _part_of(amount: Amount, evidence: Evidence) -> str:
    whole, part = evidence["amount_cents"], amount.amount_cents
    return dollars(part) if whole == part else f"{dollars(part)} of {dollars(whole)}"


def _number(number: Decimal) -> str:
    """Format a number without trailing zeros: 10 and 10.5."""
    return f"{number.normalize():,f}"


def plural(number: int, noun: str) -> str:
    """Format a number of things: 1 goal, 2 goals."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def shortened(parts: Sequence[str], most: int = 3) -> str:
    """Join parts as "a, b, c and 2 more"."""
    more = f" and {len(parts) - most:,} more" if parts[most:] else ""
    return f"{', '.join(parts[:most])}{more}"


def _listed(parts: Any) -> str:
    """Join parts as "a, b and c"."""
    *before, last = [*parts] or [""]
    return f"{', '.join(before)} and {last}" if before else last


SENTENCES: Mapping[str, Callable[[Amount, Evidence], str]] = {
    "cpm": _cpm,
    "view_threshold": _view_threshold,
    "recurring": _recurring,
    "goals": _goals,
    "conversion": _conversion,
    "adjustment": _adjustment,
}
"""Sentences by the `type` of evidence."""
