"""Whether budgets let creators be assigned to a payout structure."""

from collections.abc import Collection, Sequence
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from serving_api.errors import BudgetExceeded
from serving_api.kit.errand import Errand
from serving_api.resources.payouts.accruals.standing import accruals_now
from serving_api.resources.payouts.budgets import repository
from warehouse.budgets import Spending, spendings_of
from warehouse.operational.base import business_now
from warehouse.operational.campaign_reach import has_creator
from warehouse.operational.models import Creator, PayoutBudget, PayoutStructure


def require_budget(
    errand: Errand, structure: PayoutStructure, creator_ids: Collection[UUID]
) -> None:
    """Raise BudgetExceeded where nothing is left of a budget that then stops assignments.

    One of a campaign stops those of creators whom it reaches.
    """
    budgets = [
        budget
        for budget in repository.stopping(errand.session, structure)
        if _is_about(errand.session, budget, creator_ids)
    ]
    exceeded = [one.budget for one in spendings(errand, budgets) if one.is_exceeded]
    if exceeded:
        raise BudgetExceeded({budget.id: budget.name for budget in exceeded})


def spendings(errand: Errand, budgets: Sequence[PayoutBudget]) -> list[Spending]:
    """Return what budgets have come to by now, decisions newer than the publication included."""
    if not budgets:
        return []
    now = business_now(errand.session)
    with accruals_now(errand.session, errand.numbers, errand.organization_id) as accruals:
        return spendings_of(errand.session, accruals.cursor, accruals.newer(), budgets, now)


def _is_about(session: Session, budget: PayoutBudget, creator_ids: Collection[UUID]) -> bool:
    if budget.campaign_id is None:
        return True
    reached = select(Creator.id).where(
        Creator.organization_id == budget.organization_id,
        Creator.id.in_(creator_ids),
        has_creator(budget.organization_id, budget.campaign_id),
    )
    return session.scalar(reached.limit(1)) is not None
