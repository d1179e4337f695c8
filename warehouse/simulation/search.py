"""Finds the number in a rule that keeps to a budget, by simulating several values at a time.

A larger number never totals less, so a bisection finds it. The facts are loaded once, with as many
copies of the proposal as values are tried in a round. Each round changes the copies' rules, and
reruns only the statements that depend on them.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.statements import statement
from warehouse.simulation.inputs import Row, Tables
from warehouse.simulation.memory import compute, filled
from warehouse.simulation.proposal import Proposal, with_proposal

AT_ONCE = 8
FEW_CENTS = 3
"""Totals this close to each other do not tell where between them the budget is crossed."""

Totals = Callable[[Sequence[int]], Mapping[int, int]]
"""Returns the totals of at most AT_ONCE numbers."""


@dataclass(frozen=True, slots=True)
class Crossing:
    """The largest number within the budget, and the next one, which exceeds it.

    None if even 0 exceeds the budget, or if even the largest number is within it.
    """

    within: int | None
    beyond: int | None


def crossing(totals: Totals, most: int, budget: int) -> Crossing:
    """Return where the totals of 0 to `most` cross the budget."""
    known = dict(totals(_over_all_sizes(most)))
    while True:
        within = max((size for size, total in known.items() if total <= budget), default=None)
        beyond = min((size for size, total in known.items() if total > budget), default=None)
        if within is None or beyond is None or beyond - within <= 1:
            return Crossing(within, beyond)
        tried = _between((within, known[within]), (beyond, known[beyond]), budget)
        known |= totals(tried)


def _over_all_sizes(most: int) -> list[int]:
    """Return both ends and numbers of different magnitudes: the size is not known yet."""
    sizes = (int(most ** (position / (AT_ONCE - 1))) for position in range(1, AT_ONCE - 1))
    return sorted({0, most, *sizes})


def _between(below: tuple[int, int], above: tuple[int, int], budget: int) -> list[int]:
    """Return numbers between two, close to where a straight line crosses the budget."""
    (low, least), (high, largest) = below, above
    width = high - low
    if width <= AT_ONCE + 1:
        return [*range(low + 1, high)]
    if largest - least <= FEW_CENTS:
        return [low + width * position // (AT_ONCE + 1) for position in range(1, AT_ONCE + 1)]
    guess = low + width * (budget - least) // (largest - least)
    near, far = round(width ** (1 / 3)), round(width ** (2 / 3))
    around = {guess - far, guess - near, guess, guess + 1, guess + 1 + near, guess + 1 + far}
    thirds = {low + width // 3, high - width // 3}
    return sorted(size for size in around | thirds if low < size < high)


TOTALS: Final = statement(__name__, "totals.sql")
CHANGE = """
    update operational.payout_versions set
        criteria_params = $criteria_params,
        amount_cents = $amount_cents
    where
        structure_id = $structure_id
        and number = (select max(number) from operational.payout_versions)
"""
"""The proposed version is the last one of each copy."""

COPIES = [UUID(int=position) for position in range(AT_ONCE)]

_NAMED = re.compile(r'"warehouse"\."\w+"\."(\w+)"')


class Total(NamedTuple):
    """What a creator earns, in cents, and how much of that would be on hold."""

    cents: int
    held_cents: int


ByCreator = Mapping[UUID, Total]
"""Creators who earn nothing may be left out."""


@dataclass(frozen=True, slots=True)
class SearchTarget:
    """The number to find in a rule, from 0 to `most`, the rule for each value, and the budget."""

    most: int
    rule_with: Callable[[int], Row]
    budget_cents: int


@dataclass(frozen=True, slots=True)
class Sought:
    """Where the number crosses the budget, and what creators earn there and now.

    `amounts` are those of the number within the budget, or of 0 if even that exceeds it;
    `beyond_cents` is the total for the next number, None without one.
    """

    crossing: Crossing
    amounts: ByCreator
    beyond_cents: int | None
    in_force: ByCreator


def search(
    publication: DuckDBPyConnection,
    statements: Sequence[str],
    facts: Tables,
    proposal: Proposal,
    target: SearchTarget,
) -> Sought:
    """Return the largest value whose simulated total stays within the budget.

    Raises TooManyReadings, RoundedFollowers and Busy.
    """
    criteria_type = proposal.version["criteria_type"]
    proposed = with_proposal(facts, proposal, COPIES)
    with filled(publication, proposed, criteria_type) as memory:
        trials = _Trials(memory, statements, proposal, target)
        crossed = crossing(trials.totals, target.most, target.budget_cents)
        beyond = None if crossed.beyond is None else cents_of(trials.known[crossed.beyond])
        return Sought(crossed, trials.known[crossed.within or 0], beyond, trials.in_force())


def cents_of(totals: ByCreator) -> int:
    return sum(total.cents for total in totals.values())


class _Trials:
    """The values that were tried, each with what creators earned."""

    def __init__(
        self,
        memory: DuckDBPyConnection,
        statements: Sequence[str],
        proposal: Proposal,
        target: SearchTarget,
    ) -> None:
        self._memory = memory
        self._due = statements
        self._again = _computed_from(statements, "payout_versions")
        self._days = {"from_day": proposal.from_day, "to_day": proposal.to_day}
        self._target = target
        self.known: dict[int, ByCreator] = {}

    def totals(self, tried: Sequence[int]) -> Mapping[int, int]:
        for copy, value in zip(COPIES, tried, strict=False):
            self._propose(copy, self._target.rule_with(value))
        compute(self._memory, self._due)
        self._due = self._again
        earned = self._earned()
        for copy, value in zip(COPIES, tried, strict=False):
            self.known[value] = earned.get(copy, {})
        return {value: cents_of(self.known[value]) for value in tried}

    def in_force(self) -> ByCreator:
        """Return what the structure that the proposed ones replace earns."""
        [*others] = (of for structure, of in self._earned().items() if structure not in COPIES)
        return others[0] if others else {}

    def _propose(self, copy: UUID, rule: Row) -> None:
        params = json.dumps(rule["criteria_params"])
        changed = {"criteria_params": params, "amount_cents": rule["amount_cents"]}
        self._memory.execute(CHANGE, {"structure_id": copy, **changed})

    def _earned(self) -> Mapping[UUID, ByCreator]:
        earned: dict[UUID, dict[UUID, Total]] = {}
        for structure, creator, *cents in self._memory.execute(TOTALS, self._days).fetchall():
            earned.setdefault(structure, {})[creator] = Total(*map(int, cents))
        return earned


def _computed_from(statements: Sequence[str], table: str) -> Sequence[str]:
    """Return the statements that create tables depending on one table, directly or not.

    Views update themselves. A statement first names what it creates.
    """
    changed, again = {table}, []
    for computation in statements:
        made, *read = _NAMED.findall(computation)
        if changed.intersection(read):
            changed.add(made)
            if computation.startswith("create or replace table"):
                again.append(computation)
    return again
