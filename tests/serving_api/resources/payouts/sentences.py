"""Reads the sentence that explains an amount back, as a person would who has nothing else.

`READINGS` has for each type of evidence what its sentence must say (`said`, from the evidence) and
what can be read in it (`read`), each number exactly. A reading takes every digit of the sentence,
and redoes the amount from it: neither a number that stands for nothing nor one that is missing
gets through.
"""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
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
    rf"(?P<is_enough>, any is enough)?: (?P<part>{MONEY})(?: of (?P<whole>{MONEY}))?"
)
HELD = (
    rf"; (?P<held>{COUNT}) posts? left out until the true posting time is known,"
    r" (?P<until>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC) at the latest"
)
STANDING = (
    rf"; views of (?P<standing>{COUNT}) posts? stand still while other counters move on:"
    r" as of (?P<standing_since>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC)(?P<and_later> and later)?"
)
CPM = rf"""
    (?P<payable>{COUNT})\ views\ counted
    (?::\ (?P<tiers>.+)\ per\ thousand)?
    (?:;\ (?P<carry_in>{COUNT})\ carried\ over)?
    (?:;\ at\ most\ (?P<cap>{MONEY})\ a\ period)?
    (?P<most>;\ the\ most\ that\ any\ amount\ is)?
"""
CARRIED = (
    rf"(?P<payable>{COUNT}) views, fewer than the (?P<least>{COUNT}) that pay: all carried over"
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
    r"(?:; the most that any amount is)?"
)
RATE = (
    rf"(?:(?P<quantity>{COUNT}) at (?P<each>{MONEY})|(?P<percent>{NUMBER})% of (?P<value>{MONEY}))"
)
ADJUSTMENT = (
    rf"(?P<owed>{MONEY}) by now, (?P<frozen>{MONEY}) when it was paid"
    rf"(?:, (?P<settled>{MONEY}) adjusted since)?: (?P<amount>{MONEY}) to correct"
)


class Read(NamedTuple):
    """What a sentence says, and the exact cents that it comes to by itself."""

    facts: Facts
    cents: Fraction


class Reading(NamedTuple):
    """How a type's sentence is read, what it has to say, and the cents it has to come to."""

    read: Callable[[str], Read]
    said: Callable[[Accrual, Facts], Facts]
    cents: Callable[[Accrual, Facts, Fraction], bool]


def assert_sentence_says(sentence: str, accrual: Accrual, evidence: Facts) -> None:
    """Compare every number of the sentence with the evidence, and redo the amount from them."""
    reading = READINGS[evidence["type"]]
    paid, held = read_held(sentence)
    assert held == said_of_held(evidence), sentence
    found = reading.read(paid)
    assert found.facts == reading.said(accrual, evidence), sentence
    assert reading.cents(accrual, evidence, found.cents), (sentence, found.cents)


def matched(pattern: str, sentence: str, *, flags: int = 0) -> Mapping[str, str | None]:
    """Return the groups of a sentence that has digits nowhere else."""
    found = re.fullmatch(pattern, sentence, flags)
    assert found, sentence
    spans = {place for name in found.groupdict() for place in range(*found.span(name))}
    unread = [sign for place, sign in enumerate(sentence) if place not in spans]
    assert not any(sign.isdigit() for sign in unread), (sentence, "".join(unread))
    return found.groupdict()


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
    """Return the sentence without what it says of posts that are left out for now, and that."""
    said = re.search(rf"{HELD}$", sentence)
    if said is None:
        return sentence, {}
    return sentence[: said.start()], {"held": number(said["held"]), "until": said["until"]}


def said_of_held(evidence: Facts) -> Facts:
    posts = evidence.get("held", [])
    if not posts:
        return {}
    until = datetime.fromisoformat(posts[-1]["posted_at_awaited_until"])
    return {"held": len(posts), "until": f"{until:%Y-%m-%d %H:%M:%S} UTC"}


def read_cpm(sentence: str) -> Read:
    paid, standing = read_standing(sentence)
    facts, amount = read_views(paid)
    return Read({**facts, **standing}, amount)


def read_standing(sentence: str) -> tuple[str, Facts]:
    """Return the sentence without what it says of views that stand still, and that."""
    said = re.search(rf"{STANDING}$", sentence)
    if said is None:
        return sentence, {"standing": 0}
    posts, since = number(said["standing"]), said["standing_since"]
    assert bool(said["and_later"]) == (posts != 1)
    return sentence[: said.start()], {"standing": posts, "standing_since": since}


def read_views(sentence: str) -> Read:
    if sentence.endswith("all carried over"):
        few = matched(CARRIED, sentence)
        return Read(
            {"payable": number(few["payable"]), "min_impressions": number(few["least"])},
            Fraction(0),
        )
    said = matched(CPM, sentence, flags=re.VERBOSE)
    tiers = [
        (known(number(one["views"])), known(cents(one["rate"])))
        for one in (listed(TIER, said["tiers"]) if said["tiers"] else [])
    ]
    total = sum((views * rate / 1000 for views, rate in tiers), Fraction(0))
    cap = cents(said["cap"])
    facts = {
        "payable": number(said["payable"]),
        "tiers": tiers,
        "carry_in": number(said["carry_in"]) or 0,
        "max_payout_cents": cap,
    }
    most = Fraction(LARGEST) if said["most"] else total
    return Read(facts, min(total, most, total if cap is None else cap))


def said_of_cpm(_accrual: Accrual, evidence: Facts) -> Facts:
    posts = evidence.get("views_as_of", [])
    standing: Facts = {"standing": len(posts)}
    if posts:
        since = datetime.fromisoformat(posts[0]["views_as_of"])
        standing["standing_since"] = f"{since:%Y-%m-%d %H:%M:%S} UTC"
    return {**said_of_views(evidence), **standing}


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
    said = matched(THRESHOLD, sentence)
    amount = known(cents(said["amount"]))
    facts = {
        "view_count": number(said["view_count"]),
        "day": said["day"],
        "views_read": number(said["views_read"]),
        "amount_cents": amount,
    }
    return Read(facts, amount)


def said_of_threshold(accrual: Accrual, evidence: Facts) -> Facts:
    names = ("view_count", "views_read", "amount_cents")
    return {**{name: evidence[name] for name in names}, "day": accrual.period_end.isoformat()}


def read_days(said: Mapping[str, str | None]) -> Read:
    """Read the covered days, the amount and what of it is paid."""
    covered, days = known(number(said["covered_days"])), known(number(said["days"]))
    whole = known(cents(said["whole"] or said["part"]))
    is_enough = said["is_enough"] is not None
    facts = {
        "covered_days": covered,
        "days": days,
        "is_enough": is_enough,
        "whole": whole,
        "part": cents(said["part"]),
    }
    return Read(facts, whole if is_enough else whole * covered / days)


def said_of_days(accrual: Accrual, evidence: Facts) -> Facts:
    return {
        "covered_days": evidence["covered_days"],
        "days": evidence["days"],
        "is_enough": evidence["proration_mode"] == "full"
        and evidence["covered_days"] < evidence["days"],
        "whole": evidence["amount_cents"],
        "part": accrual.amount_cents,
    }


def read_recurring(sentence: str) -> Read:
    return read_days(matched(DAYS, sentence))


def read_goals(sentence: str) -> Read:
    said = matched(GOALS, sentence)
    days = read_days(said)
    percent, multiplier = number(said["percent"]), number(said["multiplier"])
    paid = 1 if percent is None else percent / 100 * known(multiplier)
    facts = {
        **days.facts,
        "met": number(said["met"]),
        "goals": number(said["goals"]),
        "needed": number(said["needed"]),
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
    said = matched(CONVERSION, sentence)
    rates = [
        ("percent", known(number(one["percent"])), known(cents(one["value"])))
        if one["percent"]
        else ("flat", known(number(one["quantity"])), known(cents(one["each"])))
        for one in listed(RATE, str(said["rates"]))
    ]
    total = sum(
        (one * of / (100 if kind == "percent" else 1) for kind, one, of in rates), Fraction(0)
    )
    facts = {
        "conversions": number(said["conversions"]),
        "rates": rates,
        "amount": cents(said["amount"]),
    }
    return Read(facts, total)


def said_of_conversion(accrual: Accrual, evidence: Facts) -> Facts:
    rates = [
        ("flat", rate["quantity"], rate["amount_cents"])
        if rate["rate_type"] == "flat"
        else ("percent", Fraction(rate["percent_bps"], 100), rate["total_value_cents"])
        for rate in evidence["rates"]
        if rate["conversions"]
    ]
    return {
        "conversions": sum(rate["conversions"] for rate in evidence["rates"]),
        "rates": rates,
        "amount": accrual.amount_cents,
    }


def read_adjustment(sentence: str) -> Read:
    said = matched(ADJUSTMENT, sentence)
    owed, frozen = known(cents(said["owed"])), known(cents(said["frozen"]))
    settled = cents(said["settled"])
    facts = {"owed": owed, "frozen": frozen, "settled": settled, "amount": cents(said["amount"])}
    return Read(facts, owed - frozen - (settled or 0))


def said_of_adjustment(accrual: Accrual, evidence: Facts) -> Facts:
    settled = [one["amount_cents"] for one in evidence["settled"]]
    return {
        "owed": evidence["owed_cents"],
        "frozen": evidence["frozen_cents"],
        "settled": sum(settled) if settled else None,
        "amount": accrual.amount_cents,
    }


def is_amount(accrual: Accrual, _evidence: Facts, redone: Fraction) -> bool:
    return half_up(precise(redone)) == accrual.amount_cents


def is_before_rounding(_accrual: Accrual, evidence: Facts, redone: Fraction) -> bool:
    """The cents of a cpm period are those of the running total, which its sentence leaves out."""
    return redone == as_fraction(evidence["precise_cents"])


READINGS = {
    "cpm": Reading(read_cpm, said_of_cpm, is_before_rounding),
    "view_threshold": Reading(read_threshold, said_of_threshold, is_amount),
    "recurring": Reading(read_recurring, said_of_days, is_amount),
    "goals": Reading(read_goals, said_of_goals, is_amount),
    "conversion": Reading(read_conversion, said_of_conversion, is_amount),
    "adjustment": Reading(read_adjustment, said_of_adjustment, is_amount),
}
