"""`/budgets`."""

from typing import Annotated
from uuid import UUID

from fastapi import Query

from serving_api.auth.dependencies import AdminWriter, Reader
from serving_api.errors import Conflict, InvalidBody, InvalidCursor, NotFound, VersionConflict
from serving_api.http.keyed_route import keyed_router
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Deleted, Envelope, Page
from serving_api.kit.repeatable import repeatable
from serving_api.openapi import answers
from serving_api.resources.payouts.budgets import schemas, service

router = keyed_router("payouts")

BUDGET = "/budgets/{budget_id}"


@router.get("/budgets", responses=answers(InvalidCursor))
def list_budgets(
    *, context: Reader, query: Annotated[schemas.BudgetQuery, Query()]
) -> Page[schemas.Budget]:
    """List payout budgets. The newest comes first. Committed spend is only in the detail."""
    return service.list_page(context, query)


@router.post("/budgets", status_code=201, responses=answers(Conflict, InvalidBody, NotFound))
@idempotent()
def create_budget(
    *, context: AdminWriter, body: schemas.NewBudget
) -> Envelope[schemas.BudgetDetail]:
    """Create a budget for a project, or for a campaign or payout structure in it."""
    return Envelope(data=service.create(context, body))


@router.get(BUDGET, responses=answers(NotFound))
@repeatable()
def get_budget(*, context: Reader, budget_id: UUID) -> Envelope[schemas.BudgetDetail]:
    """Return one budget with its committed spend."""
    return Envelope(data=service.read_budget(context, budget_id))


@router.patch(BUDGET, responses=answers(InvalidBody, NotFound, VersionConflict))
def change_budget(
    *, context: AdminWriter, budget_id: UUID, body: schemas.BudgetChanges
) -> Envelope[schemas.BudgetDetail]:
    """Change a budget. A new amount starts its thresholds again."""
    return Envelope(data=service.change(context, budget_id, body))


@router.delete(BUDGET, responses=answers(NotFound))
def delete_budget(*, context: AdminWriter, budget_id: UUID) -> Envelope[Deleted]:
    """Delete a budget permanently."""
    service.delete(context, budget_id)
    return Envelope(data=Deleted())
