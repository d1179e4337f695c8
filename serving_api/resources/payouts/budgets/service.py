"""`/budgets`: read, create, change and delete budgets, with their committed spend."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any
from uuid import UUID

from serving_api.auth.dependencies import AdminWriter, Reader
from serving_api.errors import Conflict, NotFound, VersionConflict
from serving_api.http.keyed_route import keyed_router
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Deleted, Envelope, Page
from serving_api.kit.pagination import Slice, read_slice
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.rows import (
    columns_of,
    count_rows,
    lock_own,
    require_own,
    require_version,
    rows_of,
    values_of,
    version_of,
)
from serving_api.kit.schemas import Params
from serving_api.openapi import answers
from serving_api.resources.organization import projects
from serving_api.resources.payouts.budgets import schemas, spend
from serving_api.resources.payouts.budgets.spend import (
    Projection,
    projected,
    projections,
    spendings_beside,
)
from serving_api.resources.payouts.structures.rules import CURRENCY
from serving_api.resources.programs.campaigns import repository as campaigns
from warehouse.amounts import bounded_cents
from warehouse.operational.models import PayoutBudget, PayoutStructure
from warehouse.reading.accruals.committed_spend import AccrualFilter, CommittedSpend

MOST = 25
"""Maximum budgets of a project, because program health sums each."""
CHANGEABLE = ("name", "amount_cents", "thresholds", "on_exceeded")


def read_budget(context: RequestContext, budget_id: UUID) -> schemas.BudgetDetail:
    """Return one budget with its committed spend. Raises NotFound."""
    budget = require_own(context, PayoutBudget, budget_id, "Budget")
    return _detail(context, budget)


def read_page(context: RequestContext, query: schemas.BudgetQuery) -> Page[schemas.BudgetDetail]:
    """Return a page of budgets with their committed spend, newest first. Raises InvalidCursor.

    Uses one query for all, where `read_budget` would use one for each.
    """
    page_slice = _slice(context, query)
    return page_slice.page(
        lambda rows: [present(projection) for projection in projections(context, rows)]
    )


def project_all_of(
    context: RequestContext, project_id: UUID, others: Sequence[AccrualFilter]
) -> tuple[list[Projection], list[CommittedSpend]]:
    """Return all budgets of a project with their projections, oldest first.

    Also returns the sums of accruals by status for `others`, as filtered lists would have them.
    """
    budgets = spend.of_project(context.session, context.organization_id, project_id)
    spent, sums = spendings_beside(context, budgets, others)
    return projected(context, spent), sums


def create(context: WriteContext, body: schemas.NewBudget) -> schemas.BudgetDetail:
    """Create a budget. Raises NotFound, and Conflict if the project has too many."""
    projects.lock(context, body.project_id)
    _require_in_project(context, body)
    own = rows_of(PayoutBudget, context.organization_id)
    if count_rows(context.session, own.where(PayoutBudget.project_id == body.project_id)) >= MOST:
        raise Conflict(f"A project can have at most {MOST} budgets", reason="too_many_budgets")
    budget = PayoutBudget(organization_id=context.organization_id, **body.model_dump())
    context.session.add(budget)
    context.session.flush()
    return _detail(context, budget)


def change(
    context: WriteContext, budget_id: UUID, changes: schemas.BudgetChanges
) -> schemas.BudgetDetail:
    """Change a budget. Raises NotFound and VersionConflict."""
    budget = _locked(context, budget_id)
    present = schemas.Budget.model_validate(_columns(budget))
    require_version(changes.expected_version, values_of(present, CHANGEABLE))
    changes.apply_to(budget, *CHANGEABLE)
    context.session.flush()
    return _detail(context, budget)


def delete(context: WriteContext, budget_id: UUID) -> None:
    """Delete a budget. It no longer stops assignments or sends events. Raises NotFound."""
    context.session.delete(_locked(context, budget_id))


def committed_spend_of(projection: Projection) -> schemas.BudgetExposure:
    spending, to_come = projection.spending, projection.visible_forecast
    amount, spent = spending.budget.amount_cents, spending.committed.total_cents
    return schemas.BudgetExposure(
        **asdict(spending.committed),
        month=spending.month,
        exposure_cents=spent,
        left_cents=amount - spent,
        share=round(spent / amount, 4),
        reached=spending.reached,
        projected_cents=_plus(spent, to_come.to_come_cents if to_come else None),
        projected_low_cents=_plus(spent, to_come.low_cents if to_come else None),
        projected_high_cents=_plus(spent, to_come.high_cents if to_come else None),
        projected_through=to_come.day if to_come else None,
        not_projected_because=projection.hidden_because,
        foreseen=[
            schemas.Foreseen(threshold=threshold, day=day)
            for threshold in spending.budget.thresholds
            if (day := projection.reached_on(threshold))
        ],
    )


def _slice(context: RequestContext, query: schemas.BudgetQuery) -> Slice[PayoutBudget]:
    statement = spend.filtered(context.organization_id, query)
    keyset = spend.NEWEST_FIRST.of(context.organization_id)
    return read_slice(context.session, statement, keyset, query)


def _plus(spent: int, to_come: int | None) -> int | None:
    return None if to_come is None else bounded_cents(spent + to_come)


def _detail(context: RequestContext, budget: PayoutBudget) -> schemas.BudgetDetail:
    [projection] = projections(context, [budget])
    return present(projection)


def present(projection: Projection) -> schemas.BudgetDetail:
    columns, exposure = _columns(projection.spending.budget), committed_spend_of(projection)
    return schemas.BudgetDetail(**columns, exposure=exposure)


def _columns(budget: PayoutBudget) -> dict[str, Any]:
    version = version_of({name: getattr(budget, name) for name in CHANGEABLE})
    return columns_of(schemas.Budget, budget, currency=CURRENCY, version=version)


def _require_in_project(context: RequestContext, body: schemas.NewBudget) -> None:
    scope = (context.session, context.organization_id)
    if body.campaign_id is not None:
        campaigns.require_in(*scope, body.project_id, body.campaign_id)
    if body.structure_id is not None:
        structure = require_own(context, PayoutStructure, body.structure_id, "Payout structure")
        if structure.project_id != body.project_id:
            raise NotFound.named("Payout structure")


def _locked(context: WriteContext, budget_id: UUID) -> PayoutBudget:
    return lock_own(context, PayoutBudget, budget_id, "Budget", key_share=False)


router = keyed_router("payouts")

BUDGET = "/budgets/{budget_id}"


@router.get("/budgets")
def list_budgets(*, context: Reader, query: Params[schemas.BudgetQuery]) -> Page[schemas.Budget]:
    """List payout budgets. The newest comes first. Committed spend is only in the detail."""
    page_slice = _slice(context, query)
    return page_slice.page(lambda rows: [schemas.Budget(**_columns(row)) for row in rows])


@router.post("/budgets", status_code=201, responses=answers(Conflict, NotFound))
@idempotent()
def create_budget(
    *, context: AdminWriter, body: schemas.NewBudget
) -> Envelope[schemas.BudgetDetail]:
    """Create a budget for a project, or for a campaign or payout structure in it."""
    return Envelope(data=create(context, body))


@router.get(BUDGET)
def get_budget(*, context: Reader, budget_id: UUID) -> Envelope[schemas.BudgetDetail]:
    """Return one budget with its committed spend."""
    return Envelope(data=read_budget(context, budget_id))


@router.patch(BUDGET, responses=answers(VersionConflict))
def change_budget(
    *, context: AdminWriter, budget_id: UUID, body: schemas.BudgetChanges
) -> Envelope[schemas.BudgetDetail]:
    """Change a budget. A new amount starts its thresholds again."""
    return Envelope(data=change(context, budget_id, body))


@router.delete(BUDGET)
def delete_budget(*, context: AdminWriter, budget_id: UUID) -> Envelope[Deleted]:
    """Delete a budget permanently."""
    delete(context, budget_id)
    return Envelope(data=Deleted())
