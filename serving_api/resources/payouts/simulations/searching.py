"""Numbers of a rule that a search can vary, and its answer, also as a table of creators.

A number can vary where a larger one never pays less. View counts of tiers and thresholds are
excluded: a bonus reached later may fall on a paid day, and a tier that ends later pays less if
the next one is more expensive.
"""

import re
from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from serving_api.errors import InvalidBody
from serving_api.kit.csv import CsvResponse, csv_response
from serving_api.resources.payouts.simulations import schemas
from serving_api.resources.payouts.simulations.presenter import about, sums_of
from serving_api.resources.payouts.structures.criteria import (
    MAX_CENTS_PER_THOUSAND,
    MAX_PERCENT_BPS,
    as_written,
)
from serving_api.resources.programs.conversion_events.schemas import MAX_VALUE_CENTS
from warehouse.simulation.inputs import Row
from warehouse.simulation.proposal import Proposal
from warehouse.simulation.search import Crossing, Sought, Total, cents_of

CENT = Decimal(1)
OF_A_RATE = Decimal("0.000001")
"""The smallest increment of cents per thousand views (money.md M1)."""

NUMBERS: tuple[tuple[str, str, Decimal, int], ...] = (
    ("recurring|goals", r"amount_cents", CENT, MAX_VALUE_CENTS),
    ("cpm", r"criteria_params\.max_payout_cents", CENT, MAX_VALUE_CENTS),
    ("cpm", r"criteria_params\.tiers\.\d+\.cents_per_thousand", OF_A_RATE, MAX_CENTS_PER_THOUSAND),
    ("view_threshold", r"criteria_params\.thresholds\.\d+\.amount_cents", CENT, MAX_VALUE_CENTS),
    ("conversion", r"criteria_params\.rates\.\d+\.amount_cents", CENT, MAX_VALUE_CENTS),
    ("conversion", r"criteria_params\.rates\.\d+\.percent_bps", CENT, MAX_PERCENT_BPS),
)
"""Rule types, paths in them, their smallest increment and largest number."""


@dataclass(frozen=True, slots=True)
class Free:
    """A number of a rule, from 0 to `most` increments."""

    rule: Row
    path: str
    increment: Decimal
    most: int

    def number(self, increments: int) -> float | int:
        """Return the value of this many increments as rules write it."""
        return as_written(float(increments * self.increment))

    def rule_with(self, increments: int) -> Row:
        """Return a copy of the rule with this many increments at the path."""
        rule = deepcopy(dict(self.rule))
        *above, last = _parts(self.path)
        _at(rule, above)[last] = self.number(increments)
        return rule


def free_of(rule: Row, path: str) -> Free:
    """Return the number at a path of a rule. Raises InvalidBody if it cannot be searched."""
    for types, pattern, increment, largest in NUMBERS:
        if re.fullmatch(types, rule["criteria_type"]) and re.fullmatch(pattern, path):
            *above, last = _parts(path)
            try:
                _at(rule, above)[last]
            except (LookupError, TypeError):
                break
            return Free(rule, path, increment, int(largest / increment))
    raise InvalidBody.at("free", "must be a number of the rule where a larger value pays more")


def _parts(path: str) -> list[Any]:
    return [int(part) if part.isdecimal() else part for part in path.split(".")]


def _at(rule: Any, parts: list[Any]) -> Any:
    for part in parts:
        rule = rule[part]
    return rule


COLUMNS = (
    "creator_id",
    "in_force_cents",
    "simulated_cents",
    "difference_cents",
    "change",
    "held_cents",
)

NOTHING = Total(0, 0)


def present(
    proposal: Proposal, sought: Sought, as_of: datetime, body: schemas.AskedForBudget, free: Free
) -> schemas.Searched:
    """Return the search result with all creators in the order of the request."""
    is_new = body.structure_id is None
    total = cents_of(sought.amounts)
    creators = [_creator(creator, sought, is_new=is_new) for creator in proposal.creators]
    within, beyond = sought.crossing.within, sought.crossing.beyond
    return schemas.Searched(
        **about(proposal, as_of),
        budget_cents=body.budget_cents,
        free=free.path,
        outcome=_outcome(sought.crossing),
        value=None if within is None else free.number(within),
        left_cents=body.budget_cents - total,
        next_value=None if beyond is None else free.number(beyond),
        next_cents=sought.beyond_cents,
        gain=None if is_new else _count(creators, "gains"),
        lose=None if is_new else _count(creators, "loses"),
        held_cents=sum(amount.held_cents for amount in sought.amounts.values()),
        creators=creators,
        **sums_of(total, cents_of(sought.in_force), is_new=is_new),
    )


def sheet_of(result: schemas.Searched | None) -> CsvResponse:
    """Return the creators as a CSV file, without rows before the first publication."""
    rows = [
        [getattr(creator, name) for name in COLUMNS]
        for creator in (result.creators if result else ())
    ]
    return csv_response("payout-search", COLUMNS, rows, headers={})


def _outcome(crossing: Crossing) -> schemas.Outcome:
    if crossing.within is None:
        return "even_nothing_is_beyond"
    return "found" if crossing.beyond is not None else "even_the_largest_is_within"


def _creator(creator: UUID, sought: Sought, *, is_new: bool) -> schemas.CreatorSearch:
    new, paid = (of.get(creator, NOTHING) for of in (sought.amounts, sought.in_force))
    sums = sums_of(new.cents, paid.cents, is_new=is_new)
    return schemas.CreatorSearch(
        creator_id=creator,
        change=_change(sums["difference_cents"]),
        held_cents=new.held_cents,
        **sums,
    )


def _change(difference: int | None) -> schemas.Change | None:
    if difference is None:
        return None
    return "same" if difference == 0 else "gains" if difference > 0 else "loses"


def _count(creators: Iterable[schemas.CreatorSearch], change: schemas.Change) -> int:
    return sum(creator.change == change for creator in creators)
