#!/usr/bin/env python3
"""Check a payout statement: its signature and its amount.

One file, for payers and creators. It needs Python 3.9 or later and `cryptography`, and nothing of
the service that made the statement. It verifies the signature and computes sums and rounding
again, from the readings, days, goals or conversions that the statement lists.

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
import sys
import urllib.request
from calendar import monthrange
from collections import Counter
from datetime import date, datetime
from fractions import Fraction
from math import floor
from pathlib import Path
from typing import NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

FORMAT = "payout-statement/1"
NINE = 10**9
LARGEST = 9 * 10**15
TWELVE = 10**12
DAYS = ("proration_mode", "amount_cents")
SCOPE = ("platform_scope", "platform", "account_id")
SIDES = ("frozen", "owed")
COUNTERS = {"engagement": ("likes", "comments", "shares", "saves")}
GOALS = ("mode", "n", "partial_allowed", "partial_multiplier", "min_completion_pct")


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
        try:
            return Fraction(value)
        except ValueError:
            return value
    return value if value is None or isinstance(value, bool) else Fraction(value)


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
        require(gained >= 0, f"post {video['video_id']} cannot gain {gained} views")
        in_order(video)
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
    equal("running total", evidence["running_total_cents"], before + exact)
    return half_up(before + exact) - half_up(before), exact


def in_order(video):
    """Raise WrongError if the first reading is later than the last."""
    first, last = video.get("from_reading"), video.get("to_reading")
    if first and last:
        require(
            first["captured_at"] <= last["captured_at"],
            f"post {video['video_id']} was read to before it was read from",
        )


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
    require(0 <= covered <= days, f"{covered} of {days} days cannot be covered")
    if evidence["proration_mode"] == "prorate":
        return Fraction(covered, days)
    is_enough = covered == days if evidence["proration_mode"] == "skip" else covered > 0
    return Fraction(int(is_enough))


def goals(evidence):
    """Pay for goals met, and if agreed, for partial completion (M11)."""
    listed = evidence["goals"]
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
    require(kind == rule["criteria_type"], f"the rule is {rule['criteria_type']}, not {kind}")
    if kind in ("recurring", "goals"):
        alike(rule, evidence, DAYS)
    if kind == "goals":
        alike(params, evidence, GOALS)
        agreed_scope = [name for name in ("platform", "account_id") if rule.get(name)]
        for goal in evidence["goals"]:
            alike(rule, goal, agreed_scope)
    if kind == "cpm":
        alike(rule, evidence, SCOPE)
        alike(params, evidence, ("min_impressions", "max_payout_cents", "view_lifetime_days"))
        one_by_one(params["tiers"], evidence["tiers"], ("up_to_impressions", "cents_per_thousand"))
    if kind == "view_threshold":
        reached = [
            threshold
            for threshold in params["thresholds"]
            if threshold["view_count"] == evidence["view_count"]
        ]
        one_by_one(reached, [evidence], ("amount_cents",))
    if kind == "conversion":
        alike({"cadence": rule["period"] or "every_conversion"}, evidence, ("cadence",))
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
    return datetime.fromisoformat(text.replace("Z", "+00:00"))  # noqa: FURB162  Python 3.9


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


def by_the_period(period, evidence):
    """Raise WrongError if days, readings or conversions are outside of the period."""
    kind = evidence["type"]
    if kind in ("recurring", "goals"):
        equal("days", evidence["days"], period.days)
        counted = evidence["covered_days"] + evidence["paused_days"]
        require(counted <= period.days, f"{counted} of {period.days} days are covered or paused")
    if kind in OF_THE_PERIOD:
        OF_THE_PERIOD[kind](period, evidence)


def threshold_of_the_period(period, evidence):
    """Raise WrongError if the threshold was reached on another day (M9)."""
    period.holds("the reading", evidence["reached_at"])
    if evidence.get("reading"):
        period.holds("the reading", evidence["reading"]["captured_at"])


def conversions_of_the_period(period, evidence):
    """Raise WrongError if a conversion is of another day (M12)."""
    for entry in evidence["conversions"]:
        period.holds(f"conversion {entry['conversion_id']}", entry["occurred_at"])
    if evidence.get("cadence") == "every_conversion":
        equal("conversions of one amount", len(evidence["conversions"]), 1)


def views_of_the_period(period, evidence):
    """Raise WrongError if views were read on uncovered days or after the post's lifetime (M8)."""
    covered = [
        (date.fromisoformat(span["from"]), date.fromisoformat(span["to"]))
        for span in evidence["covered"]
    ]
    for first, last in covered:
        is_inside = period.first <= first <= last <= period.last
        require(is_inside, f"{first} to {last} are no days of {period.first} to {period.last}")
    for video in evidence["videos"]:
        reading = video.get("to_reading")
        if not video["views"] or not reading:
            continue
        what = f"the reading of post {video['video_id']}"
        period.holds(what, reading["captured_at"])
        day = period.day_of(reading["captured_at"])
        is_covered = any(first <= day <= last for first, last in covered)
        require(is_covered, f"{what} is of {day}, a day not covered")
        ends_at = video.get("lifetime_ends_at")
        is_alive = not ends_at or instant_of(reading["captured_at"]) <= instant_of(ends_at)
        require(is_alive, f"{what} is of later than {ends_at}, when its lifetime ended")


def goals_of_the_period(period, evidence):
    """Raise WrongError if goals do not follow from their counts, or counts are of other days (M20).

    Older statements do not list counts.
    """
    counts = evidence.get("counts")
    if counts is None:
        return
    for count in counts:
        count_of_the_period(period, count)
    no_count_twice(counts)
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
    require(count["from"] <= count["to"], f"{what} cannot gain {count['to'] - count['from']}")
    in_order(count)
    if count.get("to_reading"):
        period.holds(what, count["to_reading"]["captured_at"])


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


# The whole statement


def as_agreed(rule, accrual, evidence):
    """Raise WrongError if the evidence does not follow the rule and the period.

    If it was made by another version of the rule, only the period can be checked.
    """
    period = period_of(accrual)
    by_the_period(period, evidence)
    if accrual["version_id"] == rule["id"]:
        by_the_rule(rule, evidence)
        agreed_period(rule, period)


def adjusted_as_agreed(rule, accrual, evidence):
    """Raise WrongError if a side of an adjustment is wrong or of another period (M19)."""
    listed = sides(evidence)
    for name in ("period_start", "period_end", "timezone") if listed else ():
        equal(f"{name} of what is adjusted", accrual[name], listed[0][1][name])
    for _, side in listed:
        if side.get("evidence"):
            as_agreed(rule, side, side["evidence"])


def verify(document, keys):
    """Return the lines to print for a correct statement. Raises WrongError."""
    document = document.get("data", document)
    kid = signed_by(document, keys)
    statement = document["statement"]
    require(statement["format"] == FORMAT, f"unknown format {statement['format']}")
    accrual, evidence = statement["accrual"], statement["evidence"]
    cents, exact = redone(evidence)
    equal("cents", accrual["amount_cents"], cents)
    equal("exact cents", accrual["precise_amount"], half_up(exact, NINE))
    equal("version", accrual["version_id"], statement["rule"]["id"])
    is_adjustment = evidence["type"] == "adjustment"
    equal("kind", accrual["kind"], "adjustment" if is_adjustment else "earning")
    (adjusted_as_agreed if is_adjustment else as_agreed)(statement["rule"], accrual, evidence)
    days = f"{accrual['period_start']} to {accrual['period_end']}"
    return [
        f"signed by {statement['issuer']} (key {kid}) at {statement['issued_at']}",
        f"{accrual['structure_name']}, {days} ({accrual['timezone']}): {accrual['status']}",
        statement["summary"],
        f"computed: {int(cents)} cents {accrual['currency']}, as stated",
    ]


def read(source):
    """Return the JSON of a file or URL."""
    if source.startswith(("https://", "http://")):
        with urllib.request.urlopen(source, timeout=30) as answer:  # noqa: S310  http or https
            return json.load(answer)
    return json.loads(Path(source).read_text(encoding="utf-8"))


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
    except (OSError, ValueError) as error:
        print(f"cannot read: {error}", file=sys.stderr)
        return 2
    try:
        print("\n".join(verify(document, keys)))
    except WrongError as error:
        print(f"WRONG: {error}", file=sys.stderr)
        return 1
    except ZoneInfoNotFoundError as error:
        print(f"cannot read: {error} (pip install tzdata)", file=sys.stderr)
        return 2
    except (AttributeError, KeyError, TypeError, ValueError, ZeroDivisionError) as error:
        print(f"WRONG: unknown statement format ({error!r})", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
