#!/usr/bin/env python3
"""Check a payout statement: its signature and its amount.

One file, for payers and creators. It needs Python 3.9 or later and `cryptography`, and nothing of
the service that made the statement. It verifies the signature and computes sums and rounding
again, from the readings, days, goals or conversions that the statement lists. It writes the
sentence about them again, and names the fields that do not follow from them.

    python verify.py statement.json --keys https://tracker.example/.well-known/jwks.json
    python verify.py statement.json --keys jwks.json

A statement is the answer of GET /api/v2/payout-accruals/{id}/statement. Take the keys once, from a
server that you trust, and store them: anyone can write the name of a server into a statement. Exit
status: 0 if the statement is correct, 1 if not, 2 if the files cannot be read.

Days are in the statement's time zone. If Python has no time zones (Windows), install `tzdata`.
"""

import argparse
import base64
import json
import re
import sys
import urllib.request
from calendar import monthrange
from collections import Counter
from datetime import date, datetime
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from math import floor
from pathlib import Path
from typing import NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

FORMAT = "payout-statement/1"
NUMBER = r"-?\d+(\.\d+)?(E[+-]?\d\d?)?"
NINE = 10**9
LARGEST = 9 * 10**15
TWELVE = 10**12
DAYS = ("proration_mode", "amount_cents")
SCOPE = ("platform_scope", "platform", "account_id")
SIDES = ("frozen", "owed")
COUNTERS = {"engagement": ("likes", "comments", "shares", "saves")}
GOALS = ("mode", "n", "partial_allowed", "partial_multiplier", "min_completion_pct")
MALFORMED = (
    ArithmeticError,
    AttributeError,
    LookupError,
    OSError,
    RecursionError,
    TypeError,
    ValueError,
)
WHOLE = ("amount_cents", "total_value_cents", "owed_cents", "frozen_cents", "quantity")
BELOW_ZERO = ("amount_cents", "actual")
INSTANTS = ("captured_at", "reached_at", "occurred_at")


class WrongError(Exception):
    """The statement is wrong; the message says how."""


def require(is_right, what):
    """Raise WrongError with `what` unless `is_right`."""
    if not is_right:
        raise WrongError(what)


def equal(what, stated, computed):
    """Raise WrongError unless the stated value is the computed one."""
    require(number(stated) == number(computed), f"{what}: stated {stated}, computed {computed}")


def once(what, listed, name):
    """Raise WrongError if a list names an entry twice."""
    twice = [entry for entry, times in Counter(one[name] for one in listed).items() if times > 1]
    require(not twice, f"{what} {', '.join(twice)} is counted twice")


def number(value):
    """Return a number given as JSON number or text as an exact fraction; other values unchanged."""
    if isinstance(value, str):
        return Fraction(value) if re.fullmatch(NUMBER, value) else value
    return value if value is None or isinstance(value, bool) else Fraction(value)


def leaves(name, value):
    """Yield the name and value of each single value of a document."""
    if isinstance(value, (dict, list)):
        for key, element in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(key, element)
    else:
        yield name, value


def whole_numbers(document):
    """Raise WrongError for a fraction, a number below zero, or text in place of one of WHOLE."""
    for name, value in leaves("statement", document):
        is_right = (
            value is None or type(value) is int if name in WHOLE else type(value) is not float
        )
        require(is_right, f"{name}: {value!r} is not a whole number")
        is_right = not isinstance(value, int) or value >= 0 or name in BELOW_ZERO
        require(is_right, f"{name}: {value} is less than nothing")


def half_up(value, decimals=1):
    """Round half away from zero to 1/`decimals` (a power of ten), by default to whole numbers."""
    scaled = abs(Fraction(value)) * decimals
    rounded = Fraction(floor(scaled + Fraction(1, 2)), decimals)
    return rounded if value >= 0 else -rounded


# The signature


def signed_by(document, keys):
    """Return the id of the key that signed the statement."""
    header = json.loads(from_text(document["protected"]))
    require(header.get("alg") == "EdDSA", f"unknown algorithm {header.get('alg')}")
    known = {key.get("kid"): key for key in keys["keys"]}
    key = known.get(header.get("kid"))
    require(key is not None, f"--keys has no key {header.get('kid')}")
    require((key.get("kty"), key.get("crv")) == ("OKP", "Ed25519"), "the key is not an Ed25519 key")
    content = json.dumps(
        document["statement"], ensure_ascii=False, separators=(",", ":"), sort_keys=True
    )
    signed = f"{document['protected']}.{to_text(content.encode())}".encode()
    try:
        public_key = Ed25519PublicKey.from_public_bytes(from_text(key["x"]))
        public_key.verify(from_text(document["signature"]), signed)
    except (InvalidSignature, ValueError) as error:
        raise WrongError("the signature does not match this statement") from error
    return header["kid"]


def from_text(text):
    """Decode base64url without padding."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def to_text(value):
    """Encode base64url without padding."""
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


# The amount, from the evidence alone


def cpm(evidence):
    """Pay views by tiers, rounding the running total so that periods add up (M8)."""
    for video in evidence["videos"]:
        gained = video["views_to"] - video["views_from"]
        equal(f"views of post {video['video_id']}", video["views"], gained)
    ends = ("views_from", "from_reading"), ("views_to", "to_reading")
    read_in_order(("video_id",), ends, evidence["videos"])
    no_view_twice(evidence["videos"])
    views = sum(video["views"] for video in evidence["videos"])
    equal("impressions", evidence["impressions"], views)
    equal("payable views", evidence["payable"], views + evidence["carry_in"])
    is_carried = evidence["payable"] < evidence["min_impressions"]
    equal("views carried on", evidence["carry_out"], evidence["payable"] if is_carried else 0)
    exact = tiers(evidence, 0 if is_carried else evidence["payable"])
    equal("cents before the cap", evidence["before_cap_cents"], exact)
    if evidence["max_payout_cents"] is not None:
        exact = min(exact, Fraction(evidence["max_payout_cents"]))
    exact = min(exact, Fraction(LARGEST))
    equal("exact cents", evidence["precise_cents"], exact)
    before = number(evidence["running_total_before_cents"])
    require(before >= 0, "earlier periods cannot add less than nothing")
    equal("running total", evidence["running_total_cents"], before + exact)
    return half_up(before + exact) - half_up(before), exact


def read_in_order(names, ends, rises):
    """Raise WrongError unless larger counts of a post were read later, in all its rises (M7)."""
    read = sorted(
        ([rise[name] for name in names], rise[count], instant_of(rise[reading]["captured_at"]))
        for rise in rises
        for count, reading in ends
        if rise.get(reading)
    )
    for (post, count, at), (other, larger, later) in zip(read, read[1:]):  # noqa: RUF007  Python 3.9
        is_right = post != other or count == larger or at < later
        require(is_right, f"post {post[0]} was read to before it was read from")


def one_value(value, name, listed):
    """Raise WrongError if entries about one thing have different values."""
    known = {}
    for entry in listed:
        first, other = known.setdefault(entry[name], entry[value]), entry[value]
        require(first == other, f"{value} of {entry[name]} is {first} and {other}")


def no_view_twice(videos):
    """Raise WrongError if a view is counted twice.

    A post may rise more than once in a period (M7).
    """
    reached = {}
    for video in sorted(videos, key=lambda post: post["views_from"]):
        if video["views"]:
            post, views_from = video["video_id"], video["views_from"]
            is_new = reached.get(post, 0) <= views_from
            require(is_new, f"views of post {post} above {views_from} are counted twice")
            reached[post] = video["views_to"]


def tiers(evidence, payable):
    """Add up the tiers; each pays the views between the previous bound and its own."""
    total, below = Fraction(0), 0
    for tier in evidence["tiers"]:
        bound = tier["up_to_impressions"]
        upper = payable if bound is None else min(payable, bound)
        views = max(0, upper - below)
        equal(f"views of the tier up to {bound}", tier["impressions"], views)
        cents = Fraction(views) * number(tier["cents_per_thousand"]) / 1000
        equal(f"cents of the tier up to {bound}", tier["cents"], cents)
        require(cents >= 0, f"views of the tier up to {bound} pay less than nothing")
        total += cents
        below = upper if bound is None else max(below, bound)
    return total


def view_threshold(evidence):
    """Pay once for a view count that the post reached (M9)."""
    require(
        evidence["views_read"] >= evidence["view_count"],
        f"{evidence['views_read']} views were read, fewer than {evidence['view_count']}",
    )
    return Fraction(evidence["amount_cents"]), Fraction(evidence["amount_cents"])


def recurring(evidence):
    """Pay a fixed amount for the covered days (M10)."""
    return whole(evidence["amount_cents"] * part_of_days(evidence))


def part_of_days(evidence):
    """Return the fraction of the amount that the covered days earn (M5, M10)."""
    covered, days = evidence["covered_days"], evidence["days"]
    require(covered <= days, f"{covered} of {days} days cannot be covered")
    if evidence["proration_mode"] == "prorate":
        return Fraction(covered, days)
    return Fraction({"skip": covered == days, "full": covered > 0}[evidence["proration_mode"]])


def goals(evidence):
    """Pay for goals met, and if agreed, for partial completion (M11)."""
    listed = evidence["goals"]
    require(listed, "an amount for goals without a goal")
    once("goal", listed, "goal_id")
    for goal in listed:
        done = min(Fraction(max(goal["actual"], 0), goal["target"]), Fraction(1))
        equal(f"fraction of goal {goal['goal_id']}", goal["fraction"], half_up(done, TWELVE))
        is_met = goal["actual"] >= goal["target"]
        require(goal["is_met"] is is_met, f"goal {goal['goal_id']}: met is {is_met}")
    met = sum(goal["is_met"] for goal in listed)
    equal("goals met", evidence["met"], met)
    needed = {"all": len(listed), "any": 1, "n_of_m": evidence["n"]}[evidence["mode"]]
    paid = Fraction(1) if met >= needed else partly(evidence)
    equal("fraction paid", evidence["fraction_paid"], paid)
    is_part = met < needed or evidence["completion_pct"] is None
    require(is_part, f"completion_pct is {evidence['completion_pct']}, though all of it is paid")
    return whole(evidence["amount_cents"] * paid * part_of_days(evidence))


def partly(evidence):
    """Return the fraction paid for partial completion."""
    require(evidence["partial_allowed"], "too few goals are met, and no part of them is paid")
    fractions = [number(goal["fraction"]) for goal in evidence["goals"]]
    completion = half_up(sum(fractions) / len(fractions), TWELVE)
    equal("completion", evidence["completion_pct"], completion)
    least = number(evidence["min_completion_pct"])
    require(completion * 100 >= least, f"less than {evidence['min_completion_pct']}% are complete")
    return completion * number(evidence["partial_multiplier"])


def conversion(evidence):
    """Pay an amount per conversion, or a percentage of its value (M12)."""
    total = Fraction(0)
    once("the rate of event", evidence["rates"], "conversion_event_id")
    once("conversion", evidence["conversions"], "conversion_id")
    for rate in evidence["rates"]:
        if rate["rate_type"] == "flat":
            cents = Fraction(rate["amount_cents"] * rate["quantity"])
        else:
            cents = Fraction(rate["total_value_cents"] * rate["percent_bps"], 10_000)
        equal(f"cents of event {rate['conversion_event_id']}", rate["cents"], cents)
        total += cents
    listed = evidence["conversions"]
    for entry in listed:
        require(entry["quantity"], f"conversion {entry['conversion_id']} has less than one unit")
    counted = sum(rate["conversions"] for rate in evidence["rates"])
    equal("conversions listed", len(listed), counted)
    for name in ("quantity", "total_value_cents"):
        rate_total = sum(rate[name] for rate in evidence["rates"])
        equal(f"{name} of all conversions", rate_total, sum(entry[name] for entry in listed))
    if any("conversion_event_id" in entry for entry in listed):
        by_event(evidence)
    return whole(total)


def by_event(evidence):
    """Raise WrongError if a rate counts conversions of another event.

    Older statements do not list the events of conversions.
    """
    for rate in evidence["rates"]:
        event = rate["conversion_event_id"]
        mine = [entry for entry in evidence["conversions"] if entry["conversion_event_id"] == event]
        equal(f"conversions of event {event}", rate["conversions"], len(mine))
        for name in ("quantity", "total_value_cents"):
            equal(f"{name} of event {event}", rate[name], sum(entry[name] for entry in mine))


def whole(exact):
    """Return whole and exact cents: rounded to nine decimals, bounded, then to whole cents (M1)."""
    precise = min(half_up(exact, NINE), Fraction(LARGEST))
    return half_up(precise), precise


def adjustment(evidence):
    """Pay what is owed now, minus earlier payments and adjustments (M19)."""
    for name in SIDES:
        if name in evidence:
            stated = evidence[name]["amount_cents"] if evidence[name] else without(name, evidence)
            equal(f"{name}_cents", evidence[f"{name}_cents"], stated)
    for name, side in sides(evidence):
        if side.get("evidence"):
            cents, _ = redone(side["evidence"])
            equal(f"the amount {name}", side["amount_cents"], cents)
    once("adjustment", evidence["settled"], "accrual_id")
    settled = sum(entry["amount_cents"] for entry in evidence["settled"])
    cents = Fraction(evidence["owed_cents"] - evidence["frozen_cents"] - settled)
    return cents, cents


def sides(evidence):
    """Return (name, side) for each side that the adjustment has."""
    return [(name, evidence[name]) for name in SIDES if evidence.get(name)]


def without(name, evidence):
    """Return the cents of a missing side: nothing is owed, or the frozen amount is what is owed."""
    return 0 if name == "owed" else evidence["owed_cents"]


BY_TYPE = {
    "cpm": cpm,
    "view_threshold": view_threshold,
    "recurring": recurring,
    "goals": goals,
    "conversion": conversion,
    "adjustment": adjustment,
}


def redone(evidence):
    """Compute whole and exact cents from the evidence."""
    require(evidence.get("type") in BY_TYPE, f"unknown type {evidence.get('type')}")
    return BY_TYPE[evidence["type"]](evidence)


# The rule: the payment follows the agreed terms


def by_the_rule(rule, evidence):
    """Raise WrongError if rates, bounds or amounts differ from those of the rule."""
    params = rule["criteria_params"]
    kind = evidence["type"]
    scope = rule.get("platform_scope")
    for name in ("platform", "account_id") if scope else ():
        is_right = (rule[name] is not None) == name.startswith(scope)
        require(is_right, f"the scope of the rule is {scope}, but {name} is {rule[name]}")
    agreed_scope = [name for name in ("platform", "account_id") if rule.get(name)]
    for counted in (evidence, *evidence.get("goals", ()), *evidence.get("videos", ())):
        alike(rule, counted, agreed_scope)
    if kind in ("recurring", "goals"):
        alike(rule, evidence, DAYS)
    if kind == "goals":
        alike(params, evidence, GOALS)
    if kind == "cpm":
        alike(rule, evidence, SCOPE)
        alike(params, evidence, ("min_impressions", "max_payout_cents", "view_lifetime_days"))
        one_by_one(params["tiers"], evidence["tiers"], ("up_to_impressions", "cents_per_thousand"))
    if kind == "view_threshold":
        count = evidence["view_count"]
        reached = [terms for terms in params["thresholds"] if terms["view_count"] == count]
        one_by_one(reached, [evidence], ("amount_cents",))
        alike(rule, reached[0], ("currency",))
    if kind == "conversion":
        agreed_conversions(rule, evidence)


def agreed_conversions(rule, evidence):
    """Raise WrongError if conversions are paid at another cadence or rate than agreed."""
    cadence, params = rule["period"] or "every_conversion", rule["criteria_params"]
    equal("cadence of the rule", params.get("cadence", cadence), cadence)
    alike({"cadence": cadence}, evidence, ("cadence",))
    if cadence == "every_conversion":
        equal("conversions of one amount", len(evidence["conversions"]), 1)
    rates = {terms["conversion_event_id"]: terms for terms in params["rates"]}
    for rate in evidence["rates"]:
        agreed = rates.get(rate["conversion_event_id"], {})
        alike(agreed, rate, ("rate_type", "amount_cents", "percent_bps"))


def alike(agreed, paid, names):
    """Raise WrongError if paid terms differ from agreed ones."""
    for name in names:
        if name in paid:
            equal(f"{name} as agreed", paid[name], agreed.get(name))


def one_by_one(agreed, paid, names):
    """Raise WrongError unless the lists of terms are the same."""
    equal("terms of the rule", len(paid), len(agreed))
    for term, other in zip(agreed, paid):
        alike(term, other, names)


# The period: everything counted belongs to its days


class Period(NamedTuple):
    """The first and last day (inclusive) of an amount, and their time zone."""

    first: date
    last: date
    zone: ZoneInfo

    @property
    def days(self):
        return (self.last - self.first).days + 1

    def day_of(self, instant):
        """Return the local day of an instant (M2)."""
        return instant_of(instant).astimezone(self.zone).date()

    def holds(self, what, instant):
        """Raise WrongError if an instant is outside of the period."""
        day = self.day_of(instant)
        is_inside = self.first <= day <= self.last
        require(is_inside, f"{what} is of {day}, outside {self.first} to {self.last}")


def period_of(side):
    """Return the period of an accrual or of a side of an adjustment."""
    first, last = (date.fromisoformat(side[name]) for name in ("period_start", "period_end"))
    return Period(first, last, ZoneInfo(side["timezone"]))


def instant_of(text):
    """Parse an instant. Python before 3.11 does not accept Z."""
    instant = datetime.fromisoformat(text.replace("Z", "+00:00"))  # noqa: FURB162  Python 3.9
    require(instant.tzinfo, f"{text} has no time zone")
    return instant


def agreed_period(rule, period):
    """Raise WrongError unless the days are a period of the rule (M2)."""
    first, kind = period.first, rule["period"]
    days = 1
    if kind == "weekly":
        equal("first day of the week", first.isoweekday(), rule.get("period_anchor") or 1)
        days = 7
    if kind == "monthly":
        equal("first day of the month", first.day, 1)
        days = monthrange(first.year, first.month)[1]
    equal("days of the period", period.days, days)


def known_at(computed_at, period, evidence):
    """Raise WrongError if the period or a counted fact is later than the computation (M3)."""
    is_right = period.first <= period.day_of(computed_at)
    require(is_right, f"the period begins after {computed_at}, when the amount was computed")
    facts = [fact for fact in leaves("evidence", evidence) if fact[0] in INSTANTS]
    for count in evidence.get("counts", ()):
        if count["counter"] == "posts":
            facts.append(("posted_at", count["posted_at"]))
        if count["counter"] == "followers":
            is_right = date.fromisoformat(count["to_day"]) <= period.day_of(computed_at)
            require(is_right, f"to_day {count['to_day']} is later than {computed_at}")
    for name, at in facts:
        is_right = instant_of(at) <= instant_of(computed_at)
        require(is_right, f"{name} {at} is later than {computed_at}, when the amount was computed")


def by_the_period(period, evidence):
    """Raise WrongError if days, readings or conversions are outside of the period."""
    kind = evidence["type"]
    if kind in ("recurring", "goals"):
        equal("days", evidence["days"], period.days)
        counted = evidence["covered_days"] + evidence["paused_days"]
        what = f"{counted} of {period.days} days are covered or paused"
        require(counted <= period.days, what)
    if kind in OF_THE_PERIOD:
        OF_THE_PERIOD[kind](period, evidence)


def threshold_of_the_period(period, evidence):
    """Raise WrongError if the threshold was reached on another day (M9)."""
    period.holds("the reading", evidence["reached_at"])
    if evidence.get("reading"):
        read_at = evidence["reading"]["captured_at"]
        period.holds("the reading", read_at)
        is_same = instant_of(read_at) == instant_of(evidence["reached_at"])
        require(is_same, f"reached at {evidence['reached_at']}, but read at {read_at}")


def conversions_of_the_period(period, evidence):
    """Raise WrongError if a conversion is of another day (M12)."""
    for entry in evidence["conversions"]:
        period.holds(f"conversion {entry['conversion_id']}", entry["occurred_at"])


def views_of_the_period(period, evidence):
    """Raise WrongError if views were read on uncovered days or after the post's lifetime (M8)."""
    covered, limits = covered_of(period, evidence), evidence.get("limited_by", ())
    require(covered, "no day is covered")
    is_whole = sum((last - first).days + 1 for first, last in covered) == period.days
    require(not is_whole or "paused" not in limits, "every day is covered, but some are paused")
    one_value("lifetime_ends_at", "video_id", evidence["videos"])
    lifetime, ended = evidence["view_lifetime_days"], False
    has, lacks = ("an", "no") if lifetime is None else ("no", "a")
    for video in evidence["videos"]:
        reading, ends_at = video.get("to_reading"), video["lifetime_ends_at"]
        what = f"post {video['video_id']} has {has} end, but the rule has {lacks} lifetime"
        require((ends_at is None) == (lifetime is None), what)
        ended = ended or (ends_at and period.day_of(ends_at) <= period.last)
        if not video["views"] or not reading:
            continue
        what = f"the reading of post {video['video_id']}"
        period.holds(what, reading["captured_at"])
        day = period.day_of(reading["captured_at"])
        is_covered = any(first <= day <= last for first, last in covered)
        require(is_covered, f"{what} is of {day}, a day not covered")
        is_alive = not ends_at or instant_of(reading["captured_at"]) <= instant_of(ends_at)
        require(is_alive, f"{what} is of later than {ends_at}, when its lifetime ended")
    require(ended or "view_lifetime" not in limits, "no lifetime of a post ended")


def covered_of(period, evidence):
    """Return the first and last days of covered intervals, which lie apart and in the period."""
    covered = [
        (date.fromisoformat(span["from"]), date.fromisoformat(span["to"]))
        for span in evidence["covered"]
    ]
    for first, last in covered:
        is_inside = period.first <= first <= last <= period.last
        require(is_inside, f"{first} to {last} are no days of {period.first} to {period.last}")
    for (_, last), (first, _) in zip(covered, covered[1:]):  # noqa: RUF007  Python 3.9
        require(last < first, f"{first} is covered twice")
    return covered


def goals_of_the_period(period, evidence):
    """Raise WrongError if goals do not follow from their counts, or counts are of other days (M20).

    Older statements do not list counts.
    """
    counts = evidence.get("counts")
    if counts is None:
        return
    for count in counts:
        count_of_the_period(period, count)
        what = f"{count['counter']} of {count['video_id'] or count['account_id']}"
        require(any(is_of(goal, count) for goal in evidence["goals"]), f"{what} belong to no goal")
    no_count_twice(counts)
    ends = ("from", "from_reading"), ("to", "to_reading")
    read_in_order(("video_id", "counter"), ends, counts)
    one_value("platform", "account_id", counts)
    for value in ("platform", "posted_at"):
        one_value(value, "video_id", [count for count in counts if count["video_id"]])
    for goal in evidence["goals"]:
        begins = date.fromisoformat(goal["counts_from"])
        require(begins <= period.first, f"goal {goal['goal_id']} begins on {begins}")
        done = sum(gained(period, goal, count) for count in counts if is_of(goal, count))
        equal(f"counts of goal {goal['goal_id']}", goal["actual"], done)


def count_of_the_period(period, count):
    """Raise WrongError if a reading or post is of another day."""
    what = f"{count['counter']} of {count['video_id'] or count['account_id']}"
    if count["counter"] == "posts":
        period.holds(what, count["posted_at"])
        return
    if count["counter"] == "followers":
        first, last = date.fromisoformat(count["from_day"]), date.fromisoformat(count["to_day"])
        is_inside = first <= last and period.first <= last <= period.last
        require(is_inside, f"{what} are of {first} to {last}")
        return
    gain = count["to"] - count["from"]
    require(gain >= 0, f"{what} cannot gain {gain} from {count['from']}")
    for name in ("from_reading", "to_reading") if count["is_first"] else ("to_reading",):
        if count.get(name):
            period.holds(what, count[name]["captured_at"])


def no_count_twice(counts):
    """Raise WrongError if a count is listed twice. A post may rise for several accounts (M14)."""
    reached = {}
    for begins, count in sorted(
        ((begins_at(count), count) for count in counts), key=lambda pair: pair[0]
    ):
        counted = count["counter"], count["video_id"] or count["account_id"]
        what = f"{counted[0]} of {counted[1]} above {begins}"
        require(reached.get(counted, begins) <= begins, f"{what} are counted twice")
        reached[counted] = LARGEST if counted[0] in ("posts", "followers") else count["to"]


def begins_at(count):
    """Return the count from which the gain starts: 0 for the first count of a post."""
    return 0 if count["is_first"] else count["from"] or 0


def is_of(goal, count):
    """Return whether the count matches the goal's metric and scope."""
    counters = COUNTERS.get(goal["metric"], (goal["metric"],))
    in_scope = all(goal[name] in (None, count[name]) for name in ("platform", "account_id"))
    return count["counter"] in counters and in_scope


def gained(period, goal, count):
    """Return the gain of a count. The first count of a new post is all gain (M7)."""
    if count["counter"] == "posts":
        return 1
    is_first = count["is_first"] and count["posted_at"]
    is_new = is_first and period.day_of(is_first) >= date.fromisoformat(goal["counts_from"])
    return count["to"] - (0 if is_new else count["from"])


OF_THE_PERIOD = {
    "cpm": views_of_the_period,
    "view_threshold": threshold_of_the_period,
    "goals": goals_of_the_period,
    "conversion": conversions_of_the_period,
}


# The accrual: its fields follow from the rule and the evidence, or are named as not proven


PERIOD = ("period_start", "period_end")
PROVEN = {
    *("amount_cents", "precise_amount", "currency", "kind", "criteria_type", "limited_by"),
    *("subject_id", "view_count", "post_count", "version_id", "version_number", *PERIOD),
}
GIVEN = (
    *("covered", "covered_days", "paused_days", "goals"),
    *("carry_in", "running_total_before_cents", "settled", "changes"),
    *("held", "view_coverage", "views_as_of"),
)
"""Parts of evidence that are decisions or reports, or come from earlier periods or corrections."""
FROZEN = ("approved", "paid")
UNPAID = ("open", "settling", "final", "approved", "void")
"""Statuses in a payment and without one (M17, M18). Adjustments are final at once."""
LIMITS = (
    *("max_payout", "min_impressions", "goals_not_met"),
    *("paused", "proration", "view_lifetime"),
)
"""The order of limits (M16)."""
UNSEEN = {"cpm": ("paused", "view_lifetime"), "conversion": ("paused",)}
"""Limits, by type, that leave facts out of the evidence."""


def by_the_facts(rule, accrual, evidence):
    """Raise WrongError if a field of the accrual contradicts the rule or the evidence (M16)."""
    is_adjustment = evidence["type"] == "adjustment"
    equal("kind", accrual["kind"], "adjustment" if is_adjustment else "earning")
    for name in ("criteria_type", "currency", "version_number"):
        equal(name, accrual[name], rule[name])
    equal("currency", accrual["currency"], "USD")
    listed = [side["evidence"] for _, side in sides(evidence)] if is_adjustment else [evidence]
    for counted in listed:
        by_the_limits(counted)
        excluded_once(counted)
        for name, subject in zip(("subject_id", "view_count"), subject_of(counted)):
            equal(name, accrual.get(name, subject), subject)  # older statements have neither
    limits = [] if is_adjustment else evidence.get("limited_by")
    equal("limited_by", accrual["limited_by"], limits[0] if limits else None)
    if accrual.get("post_count") is not None:
        equal("post_count", accrual["post_count"], posts_in(evidence))
    status, payment = accrual["status"], accrual.get("payment_id")
    possible = FROZEN if payment else UNPAID[2 if is_adjustment else 0 :]
    require(status in possible, f"status {status} with payment {payment}")
    for name in ("adjusts_accrual_id", "booked_in"):
        has = "no " if accrual[name] is None else ""
        require(is_adjustment is not bool(has), f"an {accrual['kind']} has {has}{name}")


def excluded_once(evidence):
    """Raise WrongError if a post counts while its posting time is awaited, or waits twice."""
    excluded = evidence.get("held") or []
    once("post left out", excluded, "video_id")
    listed = (*evidence.get("videos", ()), *evidence.get("counts", ()))
    both = {post["video_id"] for post in excluded} & {post["video_id"] for post in listed}
    require(not both, f"post {', '.join(both)} is left out and counted")


def subject_of(evidence):
    """Return the post or conversion that is paid by itself, and the threshold."""
    if evidence.get("cadence") == "every_conversion":
        return evidence["conversions"][0]["conversion_id"], None
    return evidence.get("video_id"), evidence.get("view_count")


def posts_in(evidence):
    """Return how many posts the evidence lists, or None if it lists none or not all."""
    is_one = evidence["type"] == "view_threshold"
    listed = [evidence] if is_one else evidence.get("videos", evidence.get("counts"))
    is_whole = listed is not None and not evidence.get("carry_in")
    return len({post["video_id"] for post in listed} - {None}) if is_whole else None


def by_the_limits(evidence):
    """Raise WrongError if other limits are stated than those that reduced the amount (M16)."""
    kind, stated, follows = evidence["type"], evidence.get("limited_by", ()), {}
    if kind == "cpm":
        cap, cents = evidence["max_payout_cents"], number(evidence["before_cap_cents"])
        follows["max_payout"] = cap is not None and cents > cap
        follows["min_impressions"] = evidence["carry_out"] > 0
    if kind in ("recurring", "goals"):
        is_prorated, paused = evidence["proration_mode"] == "prorate", evidence["paused_days"]
        follows["goals_not_met"] = number(evidence.get("fraction_paid", 1)) < 1
        follows["paused"] = is_prorated and paused > 0
        is_short = evidence["covered_days"] + paused < evidence["days"]
        follows["proration"] = is_prorated and is_short
    for limit in {*stated, *follows}.difference(UNSEEN.get(kind, ())):
        equal(f"limited by {limit}", limit in stated, follows.get(limit, False))
    ordered = [limit for limit in LIMITS if limit in stated]
    require([*stated] == ordered, f"order of limits: stated {stated}, computed {ordered}")


def given(accrual, evidence):
    """Return the names of what is stated without a proof. Nothing dates a fixed amount."""
    proven = PROVEN.difference(PERIOD if accrual["criteria_type"] == "recurring" else ())
    fields = {name for name, value in accrual.items() if value is not None}
    parts = [evidence, *(side["evidence"] for _, side in sides(evidence))]
    stated = [name for name in GIVEN if any(part.get(name) for part in parts)]
    is_unread = any(
        name in ("reading", "to_reading") and value is None
        for name, value in leaves("evidence", evidence)
    )
    return [*sorted(fields - proven), *stated, *["readings"] * is_unread]


# The sentence, written again from the evidence


def figures(sentence):
    """Return the figures of a sentence in order. Older statements have other words."""
    return re.findall(r"-?\$?\d[\d,.:-]*(?<=\d)%?", sentence)


def sentence_of(cents, last_day, evidence, counted="quantity"):
    """Return how an amount came about. Version 2.0.0 counted records of conversions."""
    clauses = CLAUSES[evidence["type"]](cents, last_day, evidence, counted)
    held = evidence.get("held")
    if held:
        posts, until = plural(len(held), "post"), in_utc(held[-1]["posted_at_awaited_until"])
        left_out = f"{posts} left out until the exact posting time is known"
        clauses.append(f"{left_out}, {until} at the latest")
    return "; ".join(clause for clause in clauses if clause)


def dollars(cents):
    """Format cents as dollars, with two decimals or more."""
    amount = Decimal(cents) / 100
    decimals = max(2, len(plain(amount).partition(".")[2]))
    return f"{'-' if amount < 0 else ''}${abs(amount):,.{decimals}f}"


def plain(value):
    return f"{Decimal(value).normalize():,f}"


def plural(count, noun):
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def series(parts):
    """Join parts as "a, b and c"."""
    *before, last = [*parts] or [""]
    return f"{', '.join(before)} and {last}" if before else last


def in_utc(instant):
    return f"{instant_of(instant):%Y-%m-%d %H:%M:%S} UTC"


def of_views(cents, _day, evidence, _counted):
    views, carried, limits = (evidence[name] for name in ("payable", "carry_in", "limited_by"))
    rates = series(
        f"{tier['impressions']:,} at {dollars(tier['cents_per_thousand'])}"
        for tier in evidence["tiers"]
        if tier["impressions"]
    )
    clauses = [
        f"{views:,} views counted" + (f": {rates} per thousand" if rates else ""),
        carried and f"{carried:,} carried over",
        "max_payout" in limits and f"at most {dollars(evidence['max_payout_cents'])} a period",
    ]
    if views and views == evidence["carry_out"]:
        least = f"below the minimum of {evidence['min_impressions']:,}"
        clauses = [f"{views:,} views, {least}: all carried over"]
    lifetime, stale = evidence["view_lifetime_days"] or 0, evidence.get("views_as_of") or ()
    since = [
        in_utc(post["views_as_of"]) + (" or later" if len(stale) > 1 else "") for post in stale
    ]
    return [
        *clauses,
        "paused" in limits and "views on paused days left out",
        "view_lifetime" in limits
        and f"views later than {plural(lifetime, 'day')} after posting left out",
        largest(cents),
        rest_of(cents, evidence),
        stale and f"views of {plural(len(stale), 'post')} could not be read since {since[0]}",
    ]


def largest(cents):
    return cents == LARGEST and "the largest amount possible"


def rest_of(cents, evidence):
    """Return what rounding of earlier periods adds, if it changes the cents (M8)."""
    before = Decimal(evidence["running_total_before_cents"])
    rest = before - before.to_integral_value(ROUND_HALF_UP)
    is_rounded = rest and half_up(number(evidence["precise_cents"])) != cents
    added, way = ("plus", "down") if rest > 0 else ("less", "up")
    return (
        is_rounded and f"{added} {dollars(abs(rest))} by which earlier periods were rounded {way}"
    )


def of_a_threshold(_cents, last_day, evidence, _counted):
    views = f"{evidence['view_count']:,} views reached on {last_day}"
    return [f"{views} ({evidence['views_read']:,} read): {dollars(evidence['amount_cents'])}"]


def of_days(cents, _day, evidence, _counted):
    covered, days, fee = (evidence[name] for name in ("covered_days", "days", "amount_cents"))
    counted = f"{covered:,} of {plural(days, 'day')} covered"
    if "paused" in evidence["limited_by"]:
        counted += f", paused on {plural(evidence['paused_days'], 'day')}"
    if evidence["proration_mode"] == "full" and covered < days:
        counted += ", paid in full"
    return [f"{counted}: {dollars(cents)}" + ("" if cents == fee else f" of {dollars(fee)}")]


def of_goals(cents, last_day, evidence, counted):
    met = f"{evidence['met']:,} of {plural(len(evidence['goals']), 'goal')} met"
    if evidence["mode"] != "all":
        met += f", {1 if evidence['mode'] == 'any' else evidence['n']:,} needed"
    elif evidence["completion_pct"] is not None:
        complete = plain(Decimal(evidence["completion_pct"]) * 100)
        met += f", {complete}% complete, times {plain(evidence['partial_multiplier'])}"
    return [met, *of_days(cents, last_day, evidence, counted)]


def of_conversions(cents, _day, evidence, counted):
    rates = [rate for rate in evidence["rates"] if rate["quantity"]]
    paid = series(
        f"{rate['quantity']:,} at {dollars(rate['amount_cents'])}"
        if rate["rate_type"] == "flat"
        else f"{plain(Decimal(rate['percent_bps']) / 100)}% of {dollars(rate['total_value_cents'])}"
        for rate in rates
    )
    count = plural(sum(rate[counted] for rate in rates), "conversion")
    paused = "paused" in evidence.get("limited_by", ()) and "conversions on paused days left out"
    return [f"{count}: {paid}: {dollars(cents)}", paused, largest(cents)]


def of_an_adjustment(cents, _day, evidence, counted):
    paid = "when it was paid" if evidence["frozen"] else "due again as its payment was undone"
    text = f"{dollars(evidence['owed_cents'])} owed now, {dollars(evidence['frozen_cents'])} {paid}"
    if evidence["settled"]:
        settled = sum(entry["amount_cents"] for entry in evidence["settled"])
        text += f", {dollars(settled)} adjusted since"
    text += f": {dollars(cents)} to correct"
    for when, side in (("Now", evidence["owed"]), ("When it was paid", evidence["frozen"])):
        if side and side["evidence"]:
            of_side = (side["amount_cents"], side["period_end"], side["evidence"])
            text += f". {when}: {sentence_of(*of_side, counted)}"
    return [text]


CLAUSES = {
    "cpm": of_views,
    "view_threshold": of_a_threshold,
    "recurring": of_days,
    "goals": of_goals,
    "conversion": of_conversions,
    "adjustment": of_an_adjustment,
}


# The whole statement


def as_agreed(rule, accrual, evidence):
    """Raise WrongError if the evidence does not follow the rule and the period.

    If it was made by another version of the rule, only the period can be checked.
    """
    kind, period = evidence["type"], period_of(accrual)
    require(kind == rule["criteria_type"], f"the rule is {rule['criteria_type']}, not {kind}")
    require(accrual["amount_cents"] >= 0, f"{accrual['amount_cents']} cents are less than nothing")
    if accrual.get("computed_at"):
        known_at(accrual["computed_at"], period, evidence)
    by_the_period(period, evidence)
    if accrual["version_id"] == rule["id"]:
        by_the_rule(rule, evidence)
        agreed_period(rule, period)


def adjusted_as_agreed(rule, accrual, evidence):
    """Raise WrongError if a side of an adjustment is missing, wrong or of another period (M19)."""
    require({*SIDES} <= {*evidence}, "the amounts between which an adjustment lies are missing")
    listed = sides(evidence)
    for name in ("period_start", "period_end", "timezone") if listed else ():
        equal(f"{name} of what is adjusted", accrual[name], listed[0][1][name])
    for name, side in listed:
        require(side["evidence"], f"the amount {name} has no evidence")
        if side["version_id"] == rule["id"]:
            alike(rule, side, ("version_number",))
        as_agreed(rule, side, side["evidence"])
        equal(f"period_start of the amount {name}", side["period_start"], accrual["period_start"])
    if listed:
        equal("version of the present amount", listed[-1][1]["version_id"], accrual["version_id"])
    require(accrual["amount_cents"], "an adjustment of nothing")
    ids = [{"accrual_id": accrual[name]} for name in ("id", "adjusts_accrual_id")]
    once("adjustment", [*ids, *evidence["settled"]], "accrual_id")
    start, booked_in = accrual["period_start"], accrual["booked_in"]
    require(not booked_in or booked_in >= start, f"booked in {booked_in}, before {start}")


def verify(document, keys):
    """Return the lines to print for a correct statement. Raises WrongError."""
    answer, document = document, document if "statement" in document else document.get("data")
    require(document, f"the file holds no statement: {answer.get('error')}")
    kid = signed_by(document, keys)
    statement = document["statement"]
    require(statement["format"] == FORMAT, f"unknown format {statement['format']}")
    accrual, evidence, rule = (statement[name] for name in ("accrual", "evidence", "rule"))
    whole_numbers(statement)
    cents, exact = redone(evidence)
    equal("cents", accrual["amount_cents"], cents)
    equal("exact cents", accrual["precise_amount"], half_up(exact, NINE))
    equal("version", accrual["version_id"], rule["id"])
    is_adjustment = evidence["type"] == "adjustment"
    (adjusted_as_agreed if is_adjustment else as_agreed)(rule, accrual, evidence)
    by_the_facts(rule, accrual, evidence)
    stated, not_proven = statement["summary"], given(accrual, evidence)
    sources = (accrual["amount_cents"], accrual["period_end"], evidence)
    sentence, older = sentence_of(*sources), sentence_of(*sources, "conversions")
    is_same = figures(stated) in (figures(sentence), figures(older))
    require(is_same, f"sentence: stated {stated!r}, computed {sentence!r}")
    not_proven += [] if stated == sentence else ["words of summary"]
    days = f"{accrual['period_start']} to {accrual['period_end']}"
    return [
        f"signed by {statement['issuer']} (key {kid}) at {statement['issued_at']}",
        f"{accrual['structure_name']}, {days} ({accrual['timezone']}): {accrual['status']}",
        sentence,
        f"not proven: {', '.join(not_proven)}",
        f"computed: {int(cents)} cents {accrual['currency']}, as stated",
    ]


def printable(text):
    """Return text without line breaks and control characters, such as names may have."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def read(source):
    """Return the JSON of a file or URL. Some shells write files in UTF-16."""
    if source.startswith(("https://", "http://")):
        with urllib.request.urlopen(source, timeout=30) as answer:  # noqa: S310  http or https
            return json.load(answer, object_pairs_hook=unique)
    return json.loads(Path(source).read_bytes(), object_pairs_hook=unique)


def unique(pairs):
    """Return an object. Raises ValueError if a name is there twice: readers would differ."""
    for name, times in Counter(name for name, _ in pairs).items():
        if times > 1:
            raise ValueError(f"{name} is there twice")
    return dict(pairs)


def main(arguments=None):
    """Verify the statement named on the command line. Returns the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("statement", help="file or URL of the statement")
    parser.add_argument("--keys", required=True, help="file or URL of the server's public keys")
    given = parser.parse_args(arguments)
    try:
        document, keys = read(given.statement), read(given.keys)
    except (OSError, RecursionError, ValueError) as error:
        print(f"cannot read: {error}", file=sys.stderr)
        return 2
    try:
        print("\n".join(map(printable, verify(document, keys))))
    except WrongError as error:
        print(f"WRONG: {printable(str(error))}", file=sys.stderr)
        return 1
    except ZoneInfoNotFoundError as error:
        print(f"cannot read: {error} (pip install tzdata)", file=sys.stderr)
        return 2
    except MALFORMED as error:
        print(f"WRONG: unknown statement format ({error!r})", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
