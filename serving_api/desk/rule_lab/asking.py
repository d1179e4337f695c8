"""From the form of a trial to what simulations and searches are asked."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from serving_api.desk.forms import body_of, day_in
from serving_api.desk.rules import forms as rule_forms
from serving_api.desk.rules.forms import CAP, MOST_STEPS, PRICE, THRESHOLDS, TIERS
from serving_api.desk.rules.kinds import RULES
from serving_api.errors import InvalidBody
from serving_api.kit.errand import Errand
from serving_api.resources.payouts.assignments import service as assignments
from serving_api.resources.payouts.assignments.schemas import AssignmentQuery
from serving_api.resources.payouts.simulations.schemas import MOST_CREATORS, Asked, AskedForBudget
from serving_api.resources.payouts.structures.rules import CriteriaType

DAYS = ("from", "to")
SOUGHT = ("budget_cents", "free")

NUMBERS: Mapping[CriteriaType, Mapping[str, str]] = {
    "recurring": {"amount_cents": "the amount"},
    "cpm": {
        f"{TIERS}.0.{PRICE}": "the first price",
        **{f"{TIERS}.{n}.{PRICE}": f"price {n + 1}" for n in range(1, MOST_STEPS)},
        CAP: "the most for a creator in a period",
    },
    "view_threshold": {
        f"{THRESHOLDS}.{n}.amount_cents": f"bonus {n + 1}" for n in range(MOST_STEPS)
    },
}
"""Which numbers of a rule may be looked for, and what they are called."""


def trial_in(errand: Errand, structure_id: UUID, fields: Mapping[str, str]) -> Asked:
    """Return what a form asks of a simulation. Raises InvalidBody and NotFound."""
    return body_of(Asked, **_asked(errand, structure_id, fields))


def search_in(errand: Errand, structure_id: UUID, fields: Mapping[str, str]) -> AskedForBudget:
    """Return what a form asks of a search. Raises InvalidBody and NotFound."""
    budget = rule_forms.cents_in(fields, "budget_cents")
    if budget is None:
        raise InvalidBody.at("budget_cents", "This is needed to look for a number")
    asked = _asked(errand, structure_id, fields)
    return body_of(AskedForBudget, **asked, budget_cents=budget, free=fields.get("free"))


def _asked(errand: Errand, structure_id: UUID, fields: Mapping[str, str]) -> dict[str, Any]:
    kind = rule_forms.kind_in(fields)
    rule = {"kind": "rule", **rule_forms.rule_in(kind, fields)}
    body_of(RULES[kind], **rule)  # Alone, so that its fields are named as the form has them.
    days = {name: day_in(fields, name) for name in DAYS}
    for name, day in days.items():
        if day is None:
            raise InvalidBody.at(name, "This is needed")
    campaign_id = fields.get("campaign_id")
    whose: dict[str, Any] = {"campaign_id": campaign_id}
    if not campaign_id:
        whose = {"creator_ids": _assigned(errand, structure_id)}
    return {"structure_id": structure_id, "rule": rule, **whose, **days}


def _assigned(errand: Errand, structure_id: UUID) -> list[UUID]:
    """Return who is or was assigned, the latest first, as many as a simulation takes."""
    latest = AssignmentQuery(limit=MOST_CREATORS)
    found = assignments.list_assignments(errand, structure_id, latest).data
    creators = list(dict.fromkeys(one.creator_id for one in found))
    if not creators:
        raise InvalidBody.at("campaign_id", "Nobody is assigned: choose a campaign")
    return creators
