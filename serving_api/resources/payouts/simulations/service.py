"""Simulate rules, and search for the number that stays within a budget."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TypeVar

from duckdb import DuckDBPyConnection

from serving_api.errors import InvalidBody, OutdatedNumbers, Unavailable
from serving_api.kit.request_context import RequestContext
from serving_api.resources.payouts.simulations import presenter, schemas, searching
from serving_api.resources.payouts.simulations.free import free_of
from serving_api.resources.payouts.simulations.requests import proposal_of
from warehouse.simulation import memory
from warehouse.simulation.decided import decided
from warehouse.simulation.earning import read_earning
from warehouse.simulation.engine import Earned, simulate
from warehouse.simulation.evidence import explained
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
    numbers = context.marts.of(context.organization_id, proposal.project_id)
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
            message = f"their posts have more than {most} readings: send fewer creators"
            raise _of_creators(body, message) from None
        except memory.RoundedFollowers:
            raise _of_creators(body, ROUNDED_FOLLOWERS) from None
        except memory.Busy:
            raise Unavailable from None


def _of_creators(body: schemas.Asked, message: str) -> InvalidBody:
    return InvalidBody.at("creator_ids" if body.campaign_id is None else "campaign_id", message)
