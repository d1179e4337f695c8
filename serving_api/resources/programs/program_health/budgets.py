"""Which budgets of a project have come to a threshold."""

from serving_api.kit.errand import Errand
from serving_api.resources.payouts.budgets import repository
from serving_api.resources.payouts.budgets.service import exposure_of
from serving_api.resources.payouts.budgets.stopping import spendings
from serving_api.resources.programs.program_health.payout_schemas import ReachedBudget
from serving_api.resources.programs.program_health.repository import Scope


def reached_budgets(errand: Errand, scope: Scope) -> list[ReachedBudget]:
    """Return those of the project, or of its one campaign, the oldest first."""
    own = repository.of_project(errand.session, scope.organization_id, scope.project_id)
    asked = [one for one in own if scope.campaign_id in (None, one.campaign_id)]
    return [
        ReachedBudget(
            budget_id=one.budget.id,
            name=one.budget.name,
            amount_cents=one.budget.amount_cents,
            on_exceeded=one.budget.on_exceeded,
            exposure=exposure_of(one),
        )
        for one in spendings(errand, asked)
        if one.reached
    ]
