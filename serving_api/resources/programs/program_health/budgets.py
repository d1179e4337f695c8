"""Budgets of a project that reached a threshold."""

from collections.abc import Sequence

from serving_api.kit.request_context import RequestContext
from serving_api.resources.payouts.budgets import repository
from serving_api.resources.payouts.budgets.projecting import Projection, projections
from serving_api.resources.payouts.budgets.service import committed_spend_of
from serving_api.resources.programs.program_health.payout_schemas import ReachedBudget
from serving_api.resources.programs.program_health.repository import Scope


def projected_budgets(context: RequestContext, scope: Scope) -> list[Projection]:
    """Return all budgets of the project or campaign with their projections, oldest first."""
    own = repository.of_project(context.session, scope.organization_id, scope.project_id)
    budgets = [budget for budget in own if scope.campaign_id in (None, budget.campaign_id)]
    return projections(context, budgets)


def reached_budgets(projected: Sequence[Projection]) -> list[ReachedBudget]:
    """Return the budgets that reached a threshold."""
    return [
        ReachedBudget(
            budget_id=projection.spending.budget.id,
            name=projection.spending.budget.name,
            amount_cents=projection.spending.budget.amount_cents,
            on_exceeded=projection.spending.budget.on_exceeded,
            exposure=committed_spend_of(projection),
        )
        for projection in projected
        if projection.spending.reached
    ]
