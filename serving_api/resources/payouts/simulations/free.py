"""Numbers of a rule that a search can vary: those where a larger number never pays less.

View counts of tiers and thresholds are excluded: a bonus reached later may fall on a paid day, and
a tier that ends later pays less if the next one is more expensive.
"""

import re
from copy import deepcopy
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from serving_api.errors import InvalidBody
from serving_api.resources.payouts.structures.criteria import (
    MAX_CENTS_PER_THOUSAND,
    MAX_PERCENT_BPS,
    as_written,
)
from serving_api.resources.programs.conversion_events.schemas import MAX_VALUE_CENTS
from warehouse.simulation.inputs import Row

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
