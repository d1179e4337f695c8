"""An accrual's evidence: amounts redone by hand from nothing but it, and what it says."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from tests.oracles.payouts.rounding import as_fraction, at_decimals, half_up, precise

Evidence = dict[str, Any]


def redone(evidence: Evidence) -> int:
    """Return the cents that the evidence comes to."""
    return BY_TYPE[evidence["type"]](evidence)


def said(evidence: Evidence, name: str) -> Any:
    """Return one thing that the evidence says, as tests.oracles.payouts would say it."""
    value = evidence[name]
    if name == "goals":
        return {
            goal["goal_id"]: (
                goal["target"],
                goal["actual"],
                as_fraction(goal["fraction"]),
                goal["is_met"],
            )
            for goal in value
        }
    if name == "conversions":
        return {one["conversion_id"] for one in value}
    if name == "tiers":
        return [line["impressions"] for line in value]
    return as_fraction(value) if isinstance(value, str) else value


def cpm(evidence: Evidence) -> int:
    assert evidence["impressions"] == sum(video["views"] for video in evidence["videos"])
    for video in evidence["videos"]:
        assert video["views"] == video["views_to"] - video["views_from"]
    assert evidence["payable"] == evidence["impressions"] + evidence["carry_in"]
    is_carried = evidence["payable"] < evidence["min_impressions"]
    assert evidence["carry_out"] == (evidence["payable"] if is_carried else 0)
    amount = Fraction(0) if is_carried else before_cap(evidence)
    assert as_fraction(evidence["before_cap_cents"]) == amount
    if evidence["max_payout_cents"] is not None:
        amount = min(amount, Fraction(evidence["max_payout_cents"]))
    assert as_fraction(evidence["precise_cents"]) == amount
    before = as_fraction(evidence["running_total_before_cents"])
    after = as_fraction(evidence["running_total_cents"])
    assert after == before + amount
    return half_up(after) - half_up(before)


def before_cap(evidence: Evidence) -> Fraction:
    """Sum the tiers' lines, each of which can be redone, too."""
    lines = evidence["tiers"]
    assert sum(line["impressions"] for line in lines) == evidence["payable"]
    total = Fraction(0)
    for line in lines:
        cents = line["impressions"] * as_fraction(line["cents_per_thousand"]) / 1000
        assert as_fraction(line["cents"]) == cents
        total += cents
    return total


def view_threshold(evidence: Evidence) -> int:
    assert evidence["views_read"] >= evidence["view_count"]
    cents: int = evidence["amount_cents"]
    return cents


def days(evidence: Evidence) -> Fraction:
    """Return the part of the amount that the covered days earn."""
    covered, length = evidence["covered_days"], evidence["days"]
    if evidence["proration_mode"] == "prorate":
        return Fraction(covered, length)
    return Fraction(int(covered == length if evidence["proration_mode"] == "skip" else covered > 0))


def recurring(evidence: Evidence) -> int:
    return half_up(precise(evidence["amount_cents"] * days(evidence)))


def goals(evidence: Evidence) -> int:
    lines = evidence["goals"]
    for goal in lines:
        done = Fraction(max(goal["actual"], 0), goal["target"])
        assert as_fraction(goal["fraction"]) == at_decimals(min(done, Fraction(1)), 12)
        assert goal["is_met"] == (goal["actual"] >= goal["target"])
    assert evidence["met"] == sum(goal["is_met"] for goal in lines)
    needed = {"all": len(lines), "any": 1, "n_of_m": evidence["n"]}[evidence["mode"]]
    paid = Fraction(1) if evidence["met"] >= needed else partly(evidence)
    assert as_fraction(evidence["fraction_paid"]) == paid
    return half_up(precise(evidence["amount_cents"] * paid * days(evidence)))


def partly(evidence: Evidence) -> Fraction:
    """Return the part that partial completion pays."""
    fractions = [as_fraction(goal["fraction"]) for goal in evidence["goals"]]
    completion = at_decimals(sum(fractions, Fraction(0)) / len(fractions), 12)
    assert as_fraction(evidence["completion_pct"]) == completion
    assert completion * 100 >= as_fraction(evidence["min_completion_pct"])
    return completion * as_fraction(evidence["partial_multiplier"])


def conversion(evidence: Evidence) -> int:
    total = Fraction(0)
    for line in evidence["rates"]:
        if line["rate_type"] == "flat":
            cents = Fraction(line["amount_cents"] * line["quantity"])
        else:
            cents = Fraction(line["total_value_cents"] * line["percent_bps"], 10_000)
        assert as_fraction(line["cents"]) == cents
        total += cents
    listed, rates = evidence["conversions"], evidence["rates"]
    assert len(listed) == sum(line["conversions"] for line in rates)
    for name in ("quantity", "total_value_cents"):
        assert sum(one[name] for one in listed) == sum(line[name] for line in rates)
    return half_up(precise(total))


def adjustment(evidence: Evidence) -> int:
    settled: int = sum(row["amount_cents"] for row in evidence["settled"])
    owed: int = evidence["owed_cents"]
    frozen: int = evidence["frozen_cents"]
    return owed - frozen - settled


BY_TYPE: dict[str, Callable[[Evidence], int]] = {
    "cpm": cpm,
    "view_threshold": view_threshold,
    "recurring": recurring,
    "goals": goals,
    "conversion": conversion,
    "adjustment": adjustment,
}
