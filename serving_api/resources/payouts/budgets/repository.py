"""SQL of budgets. Every statement names the organization."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import Select, func, or_
from sqlalchemy.orm import Session

from serving_api.kit.pagination import Keyset
from serving_api.kit.rows import rows_of
from serving_api.resources.payouts.budgets.schemas import BudgetQuery
from warehouse.operational.models import PayoutBudget, PayoutStructure

NEWEST_FIRST = Keyset(PayoutBudget.created_at, PayoutBudget.id, "payout-budgets")


def filtered(organization_id: UUID, query: BudgetQuery) -> Select[PayoutBudget]:
    statement = rows_of(PayoutBudget, organization_id)
    for name in ("project_id", "campaign_id", "structure_id"):
        if (value := getattr(query, name)) is not None:
            statement = statement.where(getattr(PayoutBudget, name) == value)
    return statement


def of_project(session: Session, organization_id: UUID, project_id: UUID) -> Sequence[PayoutBudget]:
    """Return all budgets of a project, its campaigns and structures, oldest first."""
    own = rows_of(PayoutBudget, organization_id).where(PayoutBudget.project_id == project_id)
    return session.scalars(own.order_by(PayoutBudget.created_at, PayoutBudget.id)).all()


def count_of_project(session: Session, organization_id: UUID, project_id: UUID) -> int:
    own = rows_of(PayoutBudget, organization_id).where(PayoutBudget.project_id == project_id)
    return session.scalars(own.with_only_columns(func.count())).one()


def stopping(session: Session, structure: PayoutStructure) -> Sequence[PayoutBudget]:
    """Return the budgets that may stop assignments to a structure, oldest first.

    Includes budgets of all the project's campaigns.
    """
    own = rows_of(PayoutBudget, structure.organization_id).where(
        PayoutBudget.project_id == structure.project_id,
        PayoutBudget.on_exceeded == "stop_assignments",
        or_(PayoutBudget.structure_id.is_(None), PayoutBudget.structure_id == structure.id),
    )
    return session.scalars(own.order_by(PayoutBudget.created_at, PayoutBudget.id)).all()
