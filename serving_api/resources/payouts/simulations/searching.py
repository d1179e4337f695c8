"""Answers of searches, and their creators as a table."""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from serving_api.kit.csv import CsvResponse, csv_response
from serving_api.resources.payouts.simulations import schemas
from serving_api.resources.payouts.simulations.free import Free
from serving_api.resources.payouts.simulations.presenter import about, sums_of
from warehouse.simulation.bisection import Crossing
from warehouse.simulation.proposal import Proposal
from warehouse.simulation.search import Sought, Total, cents_of

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
