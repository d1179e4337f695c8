"""`/payout-structures/simulate` and `/payout-structures/search`."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TypeVar

from duckdb import DuckDBPyConnection
from fastapi import Response

from serving_api.auth.dependencies import Reader
from serving_api.errors import (
    InvalidBody,
    NotFound,
    OutdatedNumbers,
    SimulationTooLarge,
    StructureShapeLocked,
    Unavailable,
)
from serving_api.http.keyed_route import keyed_router
from serving_api.kit.csv import MEDIA_TYPE
from serving_api.kit.envelope import Envelope
from serving_api.kit.request_context import RequestContext
from serving_api.kit.schemas import Params
from serving_api.openapi import answers
from serving_api.resources.payouts.simulations import presenter, schemas, searching
from serving_api.resources.payouts.simulations.requests import proposal_of
from serving_api.resources.payouts.simulations.searching import COLUMNS, free_of, sheet_of
from warehouse.simulation import memory
from warehouse.simulation.decided import decided
from warehouse.simulation.earning import read_earning
from warehouse.simulation.engine import Earned, explained, simulate
from warehouse.simulation.inputs import Tables
from warehouse.simulation.proposal import Proposal
from warehouse.simulation.search import SearchTarget, Sought, search

ROUNDED_FOLLOWERS = (
    "have follower goals with counts that the platform rounded, which cannot be simulated: leave"
    " these creators out"
)

Computed = TypeVar("Computed")
Compute = Callable[[DuckDBPyConnection, Sequence[str], Tables], Computed]


def simulated(context: RequestContext, body: schemas.Asked) -> schemas.Simulated | None:
    """Return what the rule would have paid, or None before the first publication.

    Raises the errors of `proposal_of`, OutdatedNumbers, and Unavailable while other simulations
    run.
    """
    proposal = proposal_of(context, body)

    def compute(
        publication: DuckDBPyConnection, statements: Sequence[str], facts: Tables
    ) -> Sequence[Earned]:
        earned = simulate(publication, statements, facts, proposal)
        return explained(publication, context.organization_id, earned)

    computed = _computed(context, body, proposal, compute)
    if computed is None:
        return None
    earned, as_of = computed
    return presenter.compared(proposal, earned, as_of, is_new=body.structure_id is None)


def searched(context: RequestContext, body: schemas.AskedForBudget) -> schemas.Searched | None:
    """Return the number that stays within the budget, or None before the first publication.

    Raises the errors of `simulated`, and InvalidBody for a number that the rule does not have.
    """
    proposal = proposal_of(context, body)
    free = free_of(proposal.version, body.free)
    target = SearchTarget(free.most, free.rule_with, body.budget_cents)

    def compute(
        publication: DuckDBPyConnection, statements: Sequence[str], facts: Tables
    ) -> Sought:
        return search(publication, statements, facts, proposal, target)

    computed = _computed(context, body, proposal, compute)
    if computed is None:
        return None
    sought, as_of = computed
    return searching.present(proposal, sought, as_of, body, free)


def _computed(
    context: RequestContext, body: schemas.Asked, proposal: Proposal, compute: Compute[Computed]
) -> tuple[Computed, datetime] | None:
    """Return the result over the current publication, and its `as_of`."""
    facts = decided(
        context.session,
        context.organization_id,
        proposal.project_id,
        proposal.creators,
        body.structure_id,
    )
    numbers = context.marts
    with numbers.reading() as reading:
        if reading is None:
            return None
        publication, info = reading
        statements = read_earning(publication)
        if not statements:
            raise OutdatedNumbers
        try:
            return compute(publication, statements, facts), info.as_of
        except memory.TooManyReadings:
            most = f"{memory.MOST_READINGS:,}"
            message = (
                f"their posts have more than {most} readings: send fewer creators, in several "
                "requests. Each creator is paid separately, so the results add up"
            )
            raise SimulationTooLarge.at(_creators_in(body), message) from None
        except memory.RoundedFollowers:
            raise InvalidBody.at(_creators_in(body), ROUNDED_FOLLOWERS) from None
        except memory.Busy:
            raise Unavailable from None


def _creators_in(body: schemas.Asked) -> str:
    return "creator_ids" if body.campaign_id is None else "campaign_id"


CSV = {
    "content": {
        MEDIA_TYPE: {
            "schema": {"type": "string"},
            "example": f"{','.join(COLUMNS)}\r\n"
            "01976b2e-7c00-7c3a-9d7e-3f1c2b4a5d6e,1240,1556,316,gains,0\r\n",
        }
    }
}

router = keyed_router("payout structures")


@router.post(
    "/payout-structures/simulate",
    responses=answers(NotFound, SimulationTooLarge, StructureShapeLocked),
)
def simulate_payout_structure(
    *, context: Reader, body: schemas.Asked
) -> Envelope[schemas.Simulated | None]:
    """Simulate what a rule would have paid on past days, compared with the rules in force.

    Nothing is stored. Amounts are as earned, by creator, period and post, before any decision or
    payment. Null before the first publication.
    """
    return Envelope(data=simulated(context, body))


@router.post(
    "/payout-structures/search",
    response_model=Envelope[schemas.Searched | None],
    responses={200: CSV, **answers(NotFound, SimulationTooLarge, StructureShapeLocked)},
)
def search_payout_structure(
    *, context: Reader, query: Params[schemas.Form], body: schemas.AskedForBudget
) -> Envelope[schemas.Searched | None] | Response:
    """Find the largest amount, rate or cap with which a rule would have stayed within a budget.

    Each candidate is simulated, and nothing is stored. The answer has what each creator would have
    earned, and who gains or loses against the rules in force; `format=csv` returns that table.
    Null before the first publication.
    """
    result = searched(context, body)
    return sheet_of(result) if query.format == "csv" else Envelope(data=result)
