"""Rules of the common kinds as forms: fields are named by their place in the rule.

Money is written in dollars. What is no amount or number is refused here, by the field's name; all
else by the schema of REST. Other kinds, and longer rules, are for REST alone.
"""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from serving_api.desk.forms import number_in
from serving_api.errors import InvalidBody, InvalidRequest
from serving_api.resources.payouts.structures.rules import CriteriaType
from serving_api.resources.payouts.structures.schemas import Structure

KINDS: Mapping[CriteriaType, str] = {
    "recurring": "An amount for each period",
    "cpm": "A price of views",
    "view_threshold": "A bonus when a post reaches views",
}
PRORATIONS: Mapping[str, str] = {
    "prorate": "pays the part of days",
    "full": "pays the whole amount",
    "skip": "pays nothing",
}
"""What a period does in which a creator was assigned on some days alone."""
MOST_STEPS = 4
TIERS, THRESHOLDS = "criteria_params.tiers", "criteria_params.thresholds"
CAP, LEAST = "criteria_params.max_payout_cents", "criteria_params.min_impressions"
LIFETIME = "criteria_params.view_lifetime_days"
UP_TO, PRICE = "up_to_impressions", "cents_per_thousand"

_AMOUNT = re.compile(r"[0-9]{1,12}(\.[0-9]{1,8})?", re.ASCII)
_WRITE = "Write an amount in dollars, such as 12.50"


def names_of(kind: CriteriaType) -> tuple[str, ...]:
    """Return the fields of a kind's form, by their place in the rule."""
    if kind == "recurring":
        return ("period", "amount_cents", "proration_mode")
    if kind == "cpm":
        steps = (f"{TIERS}.{n}.{part}" for n in range(MOST_STEPS) for part in (UP_TO, PRICE))
        return ("period", CAP, LEAST, LIFETIME, *steps, TIERS)
    parts = ("view_count", "amount_cents")
    return (*(f"{THRESHOLDS}.{n}.{part}" for n in range(MOST_STEPS) for part in parts), THRESHOLDS)


def kind_in(fields: Mapping[str, str]) -> CriteriaType:
    """Return which kind a form is of. Raises InvalidRequest."""
    for kind in KINDS:
        if fields.get("kind") == kind:
            return kind
    raise InvalidRequest("Choose what is paid for")


def rule_in(kind: CriteriaType, fields: Mapping[str, str]) -> dict[str, Any]:
    """Return the rule of a form, for the schema to judge. Raises InvalidBody."""
    rule: dict[str, Any] = {"criteria_type": kind, "currency": "USD", "proration_mode": "skip"}
    if kind == "recurring":
        return rule | {
            "period": fields.get("period"),
            "amount_cents": cents_in(fields, "amount_cents"),
            "proration_mode": fields.get("proration_mode"),
            "criteria_params": {},
        }
    if kind == "cpm":
        params = {
            "tiers": _tiers(fields),
            "max_payout_cents": cents_in(fields, CAP),
            "min_impressions": number_in(fields, LEAST),
            "view_lifetime_days": number_in(fields, LIFETIME),
        }
        return rule | {"period": fields.get("period"), "amount_cents": 0, "criteria_params": params}
    bonuses = {"thresholds": _thresholds(fields)}
    return rule | {"period": None, "amount_cents": None, "criteria_params": bonuses}


def entered_of(structure: Structure) -> dict[str, str] | None:
    """Return how a structure's rule is filled in, None where no form has room for it."""
    params = structure.criteria_params
    steps = params.get("tiers") or params.get("thresholds") or []
    if structure.criteria_type not in KINDS or len(steps) > MOST_STEPS:
        return None
    filled: dict[str, str] = {
        "kind": structure.criteria_type,
        "period": structure.period or "",
        "proration_mode": structure.proration_mode,
        "amount_cents": _dollars(structure.amount_cents),
        CAP: _dollars(params.get("max_payout_cents")),
    }
    for name in (LEAST, LIFETIME):
        filled[name] = _text(params.get(name.rpartition(".")[2]))
    for number, step in enumerate(steps):
        for part, value in step.items():
            is_money = part in (PRICE, "amount_cents")
            place = TIERS if "tiers" in params else THRESHOLDS
            filled[f"{place}.{number}.{part}"] = _dollars(value) if is_money else _text(value)
    return filled


def cents_in(fields: Mapping[str, str], name: str) -> int | None:
    """Return the cents of an amount in dollars, None where it is empty. Raises InvalidBody."""
    cents = _exact_cents(fields, name)
    if cents is not None and cents != cents.to_integral_value():
        raise InvalidBody.at(name, _WRITE)
    return None if cents is None else int(cents)


def _exact_cents(fields: Mapping[str, str], name: str) -> Decimal | None:
    sent = fields.get(name, "").strip().removeprefix("$").replace(",", "")
    if not sent:
        return None
    if not _AMOUNT.fullmatch(sent):
        raise InvalidBody.at(name, _WRITE)
    return Decimal(sent).scaleb(2)


def _tiers(fields: Mapping[str, str]) -> list[dict[str, Any]]:
    steps = []
    for number in range(MOST_STEPS):
        up_to, price = (f"{TIERS}.{number}.{part}" for part in (UP_TO, PRICE))
        views, cents = number_in(fields, up_to), _exact_cents(fields, price)
        if views is not None and cents is None:
            raise InvalidBody.at(price, _WRITE)
        if cents is not None:
            steps.append({UP_TO: views, PRICE: float(cents)})
    return steps


def _thresholds(fields: Mapping[str, str]) -> list[dict[str, Any]]:
    steps = []
    for number in range(MOST_STEPS):
        reached, amount = (f"{THRESHOLDS}.{number}.{one}" for one in ("view_count", "amount_cents"))
        views, cents = number_in(fields, reached), cents_in(fields, amount)
        if (views is None) != (cents is None):
            missing = reached if views is None else amount
            raise InvalidBody.at(missing, "This is needed")
        if views is not None:
            steps.append({"view_count": views, "amount_cents": cents})
    return steps


def _dollars(cents: float | None) -> str:
    return "" if cents is None else f"{Decimal(str(cents)).scaleb(-2):f}"


def _text(number: int | None) -> str:
    return "" if number is None else str(number)
