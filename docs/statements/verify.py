#!/usr/bin/env python3
"""Check a payout statement: that it was signed by who says so, and that its amount comes out.

One file, for whoever is paid or pays. It needs Python 3.9 or later and `cryptography`, and nothing
of the service that made the statement: signature, sums and rounding are done here again, from the
readings, days, goals or conversions that the statement lists.

    python verify.py statement.json --keys https://tracker.example/.well-known/jwks.json
    python verify.py statement.json --keys jwks.json

A statement is the answer of GET /api/v2/payout-accruals/{id}/statement. Take the keys from a server
that you trust, once, and keep them: a statement names a server, but anybody could write that name.
Exit status: 0 if all is right, 1 if not, 2 if the files cannot be read.
"""

import argparse
import base64
import json
import sys
import urllib.request
from fractions import Fraction
from math import floor
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

FORMAT = "payout-statement/1"
NINE = 10**9
LARGEST = 9 * 10**15
TWELVE = 10**12
DAYS = ("proration_mode", "amount_cents")


class WrongError(Exception):
    """Something in the statement is not as it should be; the message says what."""


def require(is_right, what):
    """Refuse a statement with what is wrong about it."""
    if not is_right:
        raise WrongError(what)


def equal(what, said, found):
    """Refuse a statement that says other than what comes out."""
    require(number(said) == number(found), f"{what}: it says {said}, {found} comes out")


def number(value):
    """Return a number that JSON has as a number or as text, exactly; other values as they are."""
    if isinstance(value, str):
        try:
            return Fraction(value)
        except ValueError:
            return value
    return value if value is None or isinstance(value, bool) else Fraction(value)


def half_up(value, decimals=1):
    """Round to whole numbers, or to `decimals` (a power of ten), halves away from zero."""
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
    require(key is not None, f"no key {header.get('kid')} among those given")
    require((key.get("kty"), key.get("crv")) == ("OKP", "Ed25519"), "the key is not of Ed25519")
    content = json.dumps(
        document["statement"], ensure_ascii=False, separators=(",", ":"), sort_keys=True
    )
    signed = f"{document['protected']}.{to_text(content.encode())}".encode()
    try:
        public_key = Ed25519PublicKey.from_public_bytes(from_text(key["x"]))
        public_key.verify(from_text(document["signature"]), signed)
    except (InvalidSignature, ValueError) as error:
        raise WrongError("the signature is not of this statement") from error
    return header["kid"]


def from_text(text):
    """Read base64url without its padding."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def to_text(value):
    """Write base64url without padding."""
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


# The amount, from the evidence alone


def cpm(evidence):
    """Pay views of posts by tiers, rounded so that sums of periods are right (M8)."""
    for video in evidence["videos"]:
        gained = video["views_to"] - video["views_from"]
        equal(f"views of post {video['video_id']}", video["views"], gained)
        in_order(video)
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
    """Refuse a post whose views were read to before they were read from."""
    first, last = video.get("from_reading"), video.get("to_reading")
    if first and last:
        require(
            first["captured_at"] <= last["captured_at"],
            f"post {video['video_id']} was read to before it was read from",
        )


def tiers(evidence, payable):
    """Sum up what the tiers pay; each takes what is left up to its bound."""
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
    """Pay once for a count that a post reached (M9)."""
    require(
        evidence["views_read"] >= evidence["view_count"],
        f"{evidence['views_read']} views were read, fewer than {evidence['view_count']}",
    )
    return Fraction(evidence["amount_cents"]), Fraction(evidence["amount_cents"])


def recurring(evidence):
    """Pay a fixed amount for the days that are covered (M10)."""
    return whole(evidence["amount_cents"] * part_of_days(evidence))


def part_of_days(evidence):
    """Return the part of a period's amount that its covered days earn (M5, M10)."""
    covered, days = evidence["covered_days"], evidence["days"]
    require(0 <= covered <= days, f"{covered} of {days} days cannot be covered")
    if evidence["proration_mode"] == "prorate":
        return Fraction(covered, days)
    is_enough = covered == days if evidence["proration_mode"] == "skip" else covered > 0
    return Fraction(int(is_enough))


def goals(evidence):
    """Pay for goals that are met, and where it is so agreed for goals met in part (M11)."""
    listed = evidence["goals"]
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
    """Return the part that is paid of goals that are met in part."""
    require(evidence["partial_allowed"], "too few goals are met, and no part of them is paid")
    fractions = [number(goal["fraction"]) for goal in evidence["goals"]]
    completion = half_up(sum(fractions) / len(fractions), TWELVE)
    equal("completion", evidence["completion_pct"], completion)
    least = number(evidence["min_completion_pct"])
    require(completion * 100 >= least, f"less than {evidence['min_completion_pct']}% are complete")
    return completion * number(evidence["partial_multiplier"])


def conversion(evidence):
    """Pay an amount for each conversion, or a part of its value (M12)."""
    total = Fraction(0)
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
        said = sum(rate[name] for rate in evidence["rates"])
        equal(f"{name} of all conversions", said, sum(one[name] for one in listed))
    return whole(total)


def whole(exact):
    """Return the cents that are paid, and exact ones: nine decimals, bounded, then none (M1)."""
    precise = min(half_up(exact, NINE), Fraction(LARGEST))
    return half_up(precise), precise


def adjustment(evidence):
    """Pay what is owed by now, less what was paid and adjusted before (M19)."""
    for name in ("frozen", "owed"):
        side = evidence.get(name)
        if side and side.get("evidence"):
            cents, _ = redone(side["evidence"])
            equal(f"the amount {name}", side["amount_cents"], cents)
            if name == "owed":
                equal("the amount owed", evidence["owed_cents"], cents)
    settled = sum(one["amount_cents"] for one in evidence["settled"])
    cents = Fraction(evidence["owed_cents"] - evidence["frozen_cents"] - settled)
    return cents, cents


BY_TYPE = {
    "cpm": cpm,
    "view_threshold": view_threshold,
    "recurring": recurring,
    "goals": goals,
    "conversion": conversion,
    "adjustment": adjustment,
}


def redone(evidence):
    """Return whole and exact cents that the evidence comes to."""
    require(evidence.get("type") in BY_TYPE, f"unknown type {evidence.get('type')}")
    return BY_TYPE[evidence["type"]](evidence)


# The rule: what was agreed is what was paid by


def by_the_rule(rule, evidence):
    """Refuse evidence whose rates, bounds or amounts are not those of the rule."""
    params = rule["criteria_params"]
    kind = evidence["type"]
    require(kind == rule["criteria_type"], f"the rule is {rule['criteria_type']}, not {kind}")
    if kind in ("recurring", "goals"):
        alike(rule, evidence, DAYS)
    if kind == "goals":
        alike(params, evidence, ("mode", "n", "partial_allowed", "partial_multiplier"))
    if kind == "cpm":
        alike(params, evidence, ("min_impressions", "max_payout_cents", "view_lifetime_days"))
        one_by_one(params["tiers"], evidence["tiers"], ("up_to_impressions", "cents_per_thousand"))
    if kind == "view_threshold":
        reached = [
            one for one in params["thresholds"] if one["view_count"] == evidence["view_count"]
        ]
        one_by_one(reached, [evidence], ("amount_cents",))
    if kind == "conversion":
        by_event = {one["conversion_event_id"]: one for one in params["rates"]}
        for rate in evidence["rates"]:
            agreed = by_event.get(rate["conversion_event_id"], {})
            alike(agreed, rate, ("rate_type", "amount_cents", "percent_bps"))


def alike(agreed, paid, names):
    """Refuse what was paid by other terms than those agreed."""
    for name in names:
        if name in paid:
            equal(f"{name} as agreed", paid[name], agreed.get(name))


def one_by_one(agreed, paid, names):
    """Refuse a list of terms that is not the one agreed."""
    equal("terms of the rule", len(paid), len(agreed))
    for one, other in zip(agreed, paid):
        alike(one, other, names)


# All of it


def verify(document, keys):
    """Return what a right statement proves, in one line for each. Raises WrongError."""
    document = document.get("data", document)
    kid = signed_by(document, keys)
    statement = document["statement"]
    require(statement["format"] == FORMAT, f"unknown format {statement['format']}")
    accrual, evidence = statement["accrual"], statement["evidence"]
    cents, exact = redone(evidence)
    equal("cents", accrual["amount_cents"], cents)
    equal("exact cents", accrual["precise_amount"], half_up(exact, NINE))
    if accrual["kind"] == "earning":
        equal("version", accrual["version_id"], statement["rule"]["id"])
        by_the_rule(statement["rule"], evidence)
    days = f"{accrual['period_start']} to {accrual['period_end']}"
    return [
        f"signed by {statement['issuer']} (key {kid}) at {statement['issued_at']}",
        f"{accrual['structure_name']}, {days} ({accrual['timezone']}): {accrual['status']}",
        statement["summary"],
        f"redone: {int(cents)} cents {accrual['currency']}, as it says",
    ]


def read(source):
    """Return the JSON of a file or of a web address."""
    if source.startswith(("https://", "http://")):
        with urllib.request.urlopen(source, timeout=30) as answer:  # noqa: S310  http or https
            return json.load(answer)
    return json.loads(Path(source).read_text(encoding="utf-8"))


def main(arguments=None):
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("statement", help="file or address of the statement")
    parser.add_argument("--keys", required=True, help="file or address of the server's public keys")
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
    except (AttributeError, KeyError, TypeError, ValueError, ZeroDivisionError) as error:
        print(f"WRONG: not a statement as this file knows them ({error!r})", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
