"""Parses the sentence that explains an amount, as a person would without other data.

For each type of evidence `READINGS` has what its sentence must say (`expected`, from the evidence)
and what it says (`read`), each number exactly. A reading consumes every digit of the sentence and
recomputes the amount, so that extra or missing numbers fail.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date, datetime
from fractions import Fraction
from typing import Any, NamedTuple

from tests.oracles.payouts.rounding import LARGEST, as_fraction, half_up, precise
from warehouse.reading.accruals.accrual import Accrual

Facts = dict[str, Any]

COUNT = r"\d{1,3}(?:,\d{3})*"
NUMBER = rf"{COUNT}(?:\.\d+)?"
MONEY = rf"-?\${COUNT}\.\d{{2,}}"
DAYS = (
    rf"(?P<covered_days>{COUNT}) of (?P<days>{COUNT}) days? covered"
    rf"(?:, paused on (?P<paused_days>{COUNT}) days?)?"
    rf"(?P<is_enough>, paid in full)?: (?P<part>{MONEY})(?: of (?P<whole>{MONEY}))?"
)
HELD = (
    rf"; (?P<held>{COUNT}) posts? left out until the exact posting time is known,"
    r" (?P<until>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC) at the latest"
)
STANDING = (
    rf"; views of (?P<standing>{COUNT}) posts? could not be read"
    r" since (?P<standing_since>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC)(?P<and_later> or later)?"
)
CPM = rf"""
    (?P<payable>{COUNT})\ views\ counted
    (?::\ (?P<tiers>.+)\ per\ thousand)?
    (?:;\ (?P<carry_in>{COUNT})\ carried\ over)?
    (?:;\ at\ most\ (?P<cap>{MONEY})\ a\ period)?
"""
CARRIED = rf"(?P<payable>{COUNT}) views, below the minimum of (?P<least>{COUNT}): all carried over"
LIMITS = (
    rf"(?P<paused>; views on paused days left out)?"
    rf"(?:; views later than (?P<lifetime>{COUNT}) days? after posting left out)?"
    r"(?P<most>; the largest amount possible)?"
    rf"(?:; (?P<sign>plus|less) (?P<rest>{MONEY})"
    r" by which earlier periods were rounded (?P<way>up|down))?"
)
TIER = rf"(?P<views>{COUNT}) at (?P<rate>{MONEY})"
GOALS = (
    rf"(?P<met>{COUNT}) of (?P<goals>{COUNT}) goals? met(?:, (?P<needed>{COUNT}) needed)?"
    rf"(?:, (?P<percent>{NUMBER})% complete, times (?P<multiplier>{NUMBER}))?; {DAYS}"
)
THRESHOLD = (
    rf"(?P<view_count>{COUNT}) views reached on (?P<day>\d{{4}}-\d\d-\d\d)"
    rf" \((?P<views_read>{COUNT}) read\): (?P<amount>{MONEY})"
)
CONVERSION = (
    rf"(?P<conversions>{COUNT}) conversions?: (?P<rates>.+): (?P<amount>{MONEY})"
    r"(?P<paused>; conversions on paused days left out)?(?:; the largest amount possible)?"
)
RATE = (
    rf"(?:(?P<quantity>{COUNT}) at (?P<each>{MONEY})|(?P<percent>{NUMBER})% of (?P<value>{MONEY}))"
)
ADJUSTMENT = (
    rf"(?P<owed>{MONEY}) owed now, (?P<frozen>{MONEY})"
    r" (?:when it was paid|due again as its payment was undone)"
    rf"(?:, (?P<settled>{MONEY}) adjusted since)?: (?P<amount>{MONEY}) to correct"
)


class Read(NamedTuple):
    """The numbers in a sentence, and the exact cents that follow from it alone."""

    facts: Facts
    cents: Fraction


class Reading(NamedTuple):
    """How to parse a type's sentence, and its expected numbers."""

    read: Callable[[str], Read]
    expected: Callable[[Accrual, Facts], Facts]


def assert_sentence_says(sentence: str, accrual: Accrual, evidence: Facts) -> None:
    """Compare every number of the sentence with the evidence, and recompute the amount."""
    whole, *sides = re.split(r"\. (?=Now: |When it was paid: )", sentence)
    reading = READINGS[evidence["type"]]
    paid, held = read_held(whole)
    assert held == said_of_held(evidence), sentence
    meaning = reading.read(paid)
    assert meaning.facts == reading.expected(accrual, evidence), sentence
    assert half_up(precise(meaning.cents)) == accrual.amount_cents, (sentence, meaning.cents)
    assert_sides_say(sides, accrual, evidence)


def assert_sides_say(sentences: list[str], accrual: Accrual, evidence: Facts) -> None:
    """Recompute each amount that a correction compares from its own sentence."""
    sides = {"Now": evidence.get("owed"), "When it was paid": evidence.get("frozen")}
    explained = {when: side for when, side in sides.items() if side and side["evidence"]}
    assert [sentence.partition(": ")[0] for sentence in sentences] == [*explained]
    for sentence, side in zip(sentences, explained.values(), strict=True):
        of_side = replace(
            accrual,
            amount_cents=side["amount_cents"],
            period_end=date.fromisoformat(side["period_end"]),
        )
        assert_sentence_says(sentence.partition(": ")[2], of_side, side["evidence"])


def matched(pattern: str, sentence: str, *, flags: int = 0) -> Mapping[str, str | None]:
    """Return the match's groups; assert that the sentence has no digits outside them."""
    match = re.fullmatch(pattern, sentence, flags)
    assert match, sentence
    spans = {place for name in match.groupdict() for place in range(*match.span(name))}
    unread = [sign for place, sign in enumerate(sentence) if place not in spans]
    assert not any(sign.isdigit() for sign in unread), (sentence, "".join(unread))
    return match.groupdict()


def listed(pattern: str, sentence: str) -> list[Mapping[str, str | None]]:
    """Return the groups of each part of a list: a, b and c."""
    *before, last = sentence.split(" and ")
    parts = [*before[0].split(", "), last] if before else [last]
    return [matched(pattern, part) for part in parts]


def number(text: str | None) -> Fraction | None:
    return None if text is None else Fraction(text.replace(",", ""))


def cents(text: str | None) -> Fraction | None:
    return None if text is None else Fraction(re.sub(r"[$,]", "", text)) * 100


def known(value: Fraction | None) -> Fraction:
    assert value is not None
    return value


def read_held(sentence: str) -> tuple[str, Facts]:
    """Split off what the sentence says of posts that are excluded for now."""
    match = re.search(rf"{HELD}$", sentence)
    if match is None:
        return sentence, {}
    return sentence[: match.start()], {"held": number(match["held"]), "until": match["until"]}


def said_of_held(evidence: Facts) -> Facts:
    posts = evidence.get("held", [])
    if not posts:
        return {}
    until = datetime.fromisoformat(posts[-1]["posted_at_awaited_until"])
    return {"held": len(posts), "until": f"{until:%Y-%m-%d %H:%M:%S} UTC"}


def read_cpm(sentence: str) -> Read:
    paid, standing = read_standing(sentence)
    match = re.search(rf"{LIMITS}$", paid)
    limits = matched(LIMITS, match[0])
    facts, amount = read_views(paid[: match.start()], is_most=limits["most"] is not None)
    sign = -1 if limits["sign"] == "less" else 1
    assert limits["way"] == {"plus": "down", "less": "up", None: None}[limits["sign"]]
    rest = sign * (cents(limits["rest"]) or 0)
    named = {
        "is_paused": limits["paused"] is not None,
        "lifetime": number(limits["lifetime"]),
        "precise": amount,
        "rest": rest,
    }
    return Read({**facts, **standing, **named}, amount + rest)


def read_standing(sentence: str) -> tuple[str, Facts]:
    """Split off what the sentence says of unchanged views."""
    match = re.search(rf"{STANDING}$", sentence)
    if match is None:
        return sentence, {"standing": 0}
    posts, since = number(match["standing"]), match["standing_since"]
    assert bool(match["and_later"]) == (posts != 1)
    return sentence[: match.start()], {"standing": posts, "standing_since": since}


def read_views(sentence: str, *, is_most: bool) -> Read:
    if sentence.endswith("all carried over"):
        few = matched(CARRIED, sentence)
        return Read(
            {"payable": number(few["payable"]), "min_impressions": number(few["least"])},
            Fraction(0),
        )
    groups = matched(CPM, sentence, flags=re.VERBOSE)
    tiers = [
        (known(number(tier["views"])), known(cents(tier["rate"])))
        for tier in (listed(TIER, groups["tiers"]) if groups["tiers"] else [])
    ]
    total = sum((views * rate / 1000 for views, rate in tiers), Fraction(0))
    cap = cents(groups["cap"])
    facts = {
        "payable": number(groups["payable"]),
        "tiers": tiers,
        "carry_in": number(groups["carry_in"]) or 0,
        "max_payout_cents": cap,
    }
    most = Fraction(LARGEST) if is_most else total
    return Read(facts, min(total, most, total if cap is None else cap))


def said_of_cpm(accrual: Accrual, evidence: Facts) -> Facts:
    exact, limits = as_fraction(evidence["precise_cents"]), evidence["limited_by"]
    before = as_fraction(evidence["running_total_before_cents"])
    is_as_rounded = half_up(exact) == accrual.amount_cents
    named = {
        "is_paused": "paused" in limits,
        "lifetime": evidence["view_lifetime_days"] if "view_lifetime" in limits else None,
        "precise": exact,
        "rest": 0 if is_as_rounded else before - half_up(before),
    }
    posts = evidence.get("views_as_of", [])
    standing: Facts = {"standing": len(posts)}
    if posts:
        since = datetime.fromisoformat(posts[0]["views_as_of"])
        standing["standing_since"] = f"{since:%Y-%m-%d %H:%M:%S} UTC"
    return {**said_of_views(evidence), **standing, **named}


def said_of_views(evidence: Facts) -> Facts:
    payable = evidence["payable"]
    if payable < evidence["min_impressions"]:
        return {"payable": payable, "min_impressions": evidence["min_impressions"]}
    tiers = [
        (tier["impressions"], as_fraction(tier["cents_per_thousand"]))
        for tier in evidence["tiers"]
        if tier["impressions"]
    ]
    is_capped = "max_payout" in evidence["limited_by"]
    return {
        "payable": payable,
        "tiers": tiers,
        "carry_in": evidence["carry_in"],
        "max_payout_cents": evidence["max_payout_cents"] if is_capped else None,
    }


def read_threshold(sentence: str) -> Read:
    groups = matched(THRESHOLD, sentence)
    amount = known(cents(groups["amount"]))
    facts = {
        "view_count": number(groups["view_count"]),
        "day": groups["day"],
        "views_read": number(groups["views_read"]),
        "amount_cents": amount,
    }
    return Read(facts, amount)


def said_of_threshold(accrual: Accrual, evidence: Facts) -> Facts:
    names = ("view_count", "views_read", "amount_cents")
    return {**{name: evidence[name] for name in names}, "day": accrual.period_end.isoformat()}


def read_days(groups: Mapping[str, str | None]) -> Read:
    """Read the covered days, the amount and the paid share."""
    covered, days = known(number(groups["covered_days"])), known(number(groups["days"]))
    whole = known(cents(groups["whole"] or groups["part"]))
    is_enough = groups["is_enough"] is not None
    facts = {
        "covered_days": covered,
        "days": days,
        "paused_days": number(groups["paused_days"]),
        "is_enough": is_enough,
        "whole": whole,
        "part": cents(groups["part"]),
    }
    return Read(facts, whole if is_enough else whole * covered / days)


def said_of_days(accrual: Accrual, evidence: Facts) -> Facts:
    return {
        "covered_days": evidence["covered_days"],
        "days": evidence["days"],
        "paused_days": evidence["paused_days"] if "paused" in evidence["limited_by"] else None,
        "is_enough": evidence["proration_mode"] == "full"
        and evidence["covered_days"] < evidence["days"],
        "whole": evidence["amount_cents"],
        "part": accrual.amount_cents,
    }


def read_recurring(sentence: str) -> Read:
    return read_days(matched(DAYS, sentence))


def read_goals(sentence: str) -> Read:
    groups = matched(GOALS, sentence)
    days = read_days(groups)
    percent, multiplier = number(groups["percent"]), number(groups["multiplier"])
    paid = 1 if percent is None else percent / 100 * known(multiplier)
    facts = {
        **days.facts,
        "met": number(groups["met"]),
        "goals": number(groups["goals"]),
        "needed": number(groups["needed"]),
        "percent": percent,
        "multiplier": multiplier,
    }
    return Read(facts, days.cents * paid)


def said_of_goals(accrual: Accrual, evidence: Facts) -> Facts:
    completion = evidence["completion_pct"]
    is_partial = completion is not None
    return {
        **said_of_days(accrual, evidence),
        "met": evidence["met"],
        "goals": len(evidence["goals"]),
        "needed": {"all": None, "any": 1, "n_of_m": evidence["n"]}[evidence["mode"]],
        "percent": as_fraction(completion) * 100 if is_partial else None,
        "multiplier": as_fraction(evidence["partial_multiplier"]) if is_partial else None,
    }


def read_conversion(sentence: str) -> Read:
    groups = matched(CONVERSION, sentence)
    rates = [
        ("percent", known(number(rate["percent"])), known(cents(rate["value"])))
        if rate["percent"]
        else ("flat", known(number(rate["quantity"])), known(cents(rate["each"])))
        for rate in listed(RATE, str(groups["rates"]))
    ]
    total = sum(
        (factor * of / (100 if kind == "percent" else 1) for kind, factor, of in rates), Fraction(0)
    )
    facts = {
        "conversions": number(groups["conversions"]),
        "rates": rates,
        "is_paused": groups["paused"] is not None,
        "amount": cents(groups["amount"]),
    }
    return Read(facts, total)


def said_of_conversion(accrual: Accrual, evidence: Facts) -> Facts:
    rates = [
        ("flat", rate["quantity"], rate["amount_cents"])
        if rate["rate_type"] == "flat"
        else ("percent", Fraction(rate["percent_bps"], 100), rate["total_value_cents"])
        for rate in evidence["rates"]
        if rate["quantity"]
    ]
    return {
        "conversions": sum(rate["quantity"] for rate in evidence["rates"]),
        "rates": rates,
        "is_paused": "paused" in evidence["limited_by"],
        "amount": accrual.amount_cents,
    }


def read_adjustment(sentence: str) -> Read:
    groups = matched(ADJUSTMENT, sentence)
    owed, frozen = known(cents(groups["owed"])), known(cents(groups["frozen"]))
    settled = cents(groups["settled"])
    facts = {"owed": owed, "frozen": frozen, "settled": settled, "amount": cents(groups["amount"])}
    return Read(facts, owed - frozen - (settled or 0))


def said_of_adjustment(accrual: Accrual, evidence: Facts) -> Facts:
    settled = [settlement["amount_cents"] for settlement in evidence["settled"]]
    return {
        "owed": evidence["owed_cents"],
        "frozen": evidence["frozen_cents"],
        "settled": sum(settled) if settled else None,
        "amount": accrual.amount_cents,
    }


READINGS = {
    "cpm": Reading(read_cpm, said_of_cpm),
    "view_threshold": Reading(read_threshold, said_of_threshold),
    "recurring": Reading(read_recurring, said_of_days),
    "goals": Reading(read_goals, said_of_goals),
    "conversion": Reading(read_conversion, said_of_conversion),
    "adjustment": Reading(read_adjustment, said_of_adjustment),
}
