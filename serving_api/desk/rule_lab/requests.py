"""The simulation form as requests of simulations and searches."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID

from serving_api.desk.choices import (
    campaign_choices,
    creators_in,
    name_of,
    names_of,
    search_creators,
)
from serving_api.desk.forms import body_of, day_in
from serving_api.desk.rules import forms as rule_forms
from serving_api.desk.rules.forms import ANCHOR, BACKFILL, CAP, kind_in, new_rule, new_structure
from serving_api.desk.rules.offers import Offers, offers_of
from serving_api.desk.rules.repeated_rows import AMOUNT, PERCENT, PRICE, RATES, THRESHOLDS, TIERS
from serving_api.desk.rules.words import cents_in, sentence_of
from serving_api.errors import InvalidBody
from serving_api.kit.request_context import RequestContext
from serving_api.resources.payouts.accruals.summary import dollars, percent
from serving_api.resources.payouts.assignments import service as assignments
from serving_api.resources.payouts.assignments.schemas import AssignmentQuery
from serving_api.resources.payouts.simulations.schemas import Asked, AskedForBudget
from serving_api.resources.payouts.structures.rules import CriteriaType
from serving_api.resources.payouts.structures.schemas import StructureDetail

DAYS = ("from", "to")
WHOSE = ("campaign_id", "creator_ids")
SOUGHT = ("budget_cents", "free")


@dataclass(frozen=True, slots=True)
class Tried:
    """A rule to simulate, for `structure` or for a new one if None, and creators to choose.

    `sentence` describes the structure's rule, "" if there is none. `campaigns` are the latest 100.
    `creators` are the selected ones and the search results.
    """

    project_id: UUID
    structure: StructureDetail | None
    sentence: str
    offers: Offers
    campaigns: Mapping[str, str]
    creators: Mapping[UUID, str]

    @property
    def rule_names(self) -> tuple[str, ...]:
        """Fields of the rule, the same as in the structure's form."""
        return (*rule_forms.names_of(self.offers.kind), ANCHOR, BACKFILL)

    def names(self) -> tuple[str, ...]:
        """Return the fields that can show an error."""
        return (*self.rule_names, *DAYS, *WHOSE, *SOUGHT)


def tried_in(
    context: RequestContext,
    project_id: UUID,
    structure: StructureDetail | None,
    kind: CriteriaType,
    values: Mapping[str, str],
) -> Tried:
    """Return the simulation form for these values. Raises InvalidRequest."""
    creators = search_creators(context, project_id, values.get("search", ""), None).data
    return Tried(
        project_id,
        structure,
        sentence_of(context, structure) if structure else "",
        offers_of(context, project_id, kind, values, structure),
        campaign_choices(context, project_id),
        names_of(context, creators_in(values))
        | {creator.id: name_of(creator) for creator in creators},
    )


MOST_READ = 100
NAME = "Tried"
"""The name of a new structure while it is simulated; never shown."""

Simulation = TypeVar("Simulation", bound=Asked)

_ONE_NUMBER = {"amount_cents": "the amount"}


def numbers_of(kind: CriteriaType, rows: int) -> dict[str, str]:
    """Return the searchable numbers of a rule with this number of rows, and their labels."""
    if kind == "cpm":
        prices = {f"{TIERS.path}.{n}.{PRICE}": f"rate {n + 1}" for n in range(rows)}
        first = {f"{TIERS.path}.0.{PRICE}": "the first rate"}
        return {**prices, **first, CAP: "the maximum payout"}
    if kind == "view_threshold":
        return {f"{THRESHOLDS.path}.{n}.{AMOUNT}": f"bonus {n + 1}" for n in range(rows)}
    if kind == "conversion":
        words = ((n, part, f"{word} {n + 1}") for n in range(rows) for part, word in _OF_RATES)
        return {f"{RATES.path}.{n}.{part}": label for n, part, label in words}
    return _ONE_NUMBER


_OF_RATES = ((AMOUNT, "dollars"), (PERCENT, "percentage"))


def number_words(free: str, value: float) -> str:
    """Format a found number."""
    return percent(int(value)) if free.endswith(PERCENT) else dollars(str(value))


def trial_in(
    kind: type[Simulation], context: RequestContext, tried: Tried, fields: Mapping[str, str]
) -> Simulation:
    """Return the simulation request of a form. Raises InvalidBody and InvalidRequest."""
    return body_of(kind, **_simulation_body(context, tried, fields, kind.most_creators))


def search_in(context: RequestContext, tried: Tried, fields: Mapping[str, str]) -> AskedForBudget:
    """Return the search request of a form. Raises InvalidBody and InvalidRequest."""
    budget = cents_in(fields, "budget_cents")
    if budget is None:
        raise InvalidBody.at("budget_cents", "Enter a budget")
    trial_fields = _simulation_body(context, tried, fields, AskedForBudget.most_creators)
    return body_of(AskedForBudget, **trial_fields, budget_cents=budget, free=fields.get("free"))


def _simulation_body(
    context: RequestContext, tried: Tried, fields: Mapping[str, str], most: int
) -> dict[str, Any]:
    proposed = _proposed(tried, fields)
    days = {name: day_in(fields, name) for name in DAYS}
    for name, day in days.items():
        if day is None:
            raise InvalidBody.at(name, "This field is required")
    return {**proposed, **_whose(context, tried, fields, most), **days}


def _proposed(tried: Tried, fields: Mapping[str, str]) -> dict[str, Any]:
    """Return the structure or rule. Built separately, so that error paths match form fields."""
    kind = kind_in(fields)
    if tried.structure is None:
        return {"structure": new_structure(tried.project_id, kind, NAME, fields)}
    return {"structure_id": tried.structure.id, "rule": new_rule(kind, fields)}


def _whose(
    context: RequestContext, tried: Tried, fields: Mapping[str, str], most: int
) -> dict[str, Any]:
    campaign_id, creator_ids = fields.get("campaign_id"), creators_in(fields)
    if tried.structure is not None and not (campaign_id or creator_ids):
        creator_ids = _assigned(context, tried.structure.id, most)
    if bool(campaign_id) == bool(creator_ids):
        raise InvalidBody.at("creator_ids", "Choose creators or a campaign")
    return {"campaign_id": campaign_id} if campaign_id else {"creator_ids": creator_ids}


def _assigned(context: RequestContext, structure_id: UUID, most: int) -> list[UUID]:
    """Return creators who are or were assigned, latest first. Raises InvalidBody above `most`."""
    creators: dict[UUID, None] = {}
    query = AssignmentQuery(limit=MOST_READ)
    while True:
        page = assignments.list_assignments(context, structure_id, query)
        creators |= dict.fromkeys(assignment.creator_id for assignment in page.data)
        if len(creators) > most:
            message = f"More than {most:,} creators are or were assigned. Choose some or a campaign"
            raise InvalidBody.at("creator_ids", message)
        if page.meta.nextCursor is None:
            return list(creators)
        query = AssignmentQuery(limit=MOST_READ, cursor=page.meta.nextCursor)
