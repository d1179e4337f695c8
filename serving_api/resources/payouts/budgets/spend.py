"""Committed and projected spend of budgets, and whether they allow assigning creators.

Every statement names the organization.
"""

from calendar import monthrange
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy import Select, or_, select
from sqlalchemy.orm import Session

from serving_api.errors import BudgetExceeded
from serving_api.kit.days import ONE_DAY
from serving_api.kit.pagination import Keyset
from serving_api.kit.request_context import RequestContext
from serving_api.kit.rows import matching, require_own, rows_of
from serving_api.resources.payouts.accruals.current import Accruals, accruals_now
from serving_api.resources.payouts.budgets.schemas import BudgetQuery, Unprojected
from warehouse.budgets import PERCENT, Spending, accrual_filter_of, months_of
from warehouse.operational.base import business_now
from warehouse.operational.campaign_reach import has_creator
from warehouse.operational.dated import zone_of
from warehouse.operational.models import Creator, PayoutBudget, PayoutStructure
from warehouse.reading.accruals.committed_spend import (
    AccrualFilter,
    CommittedSpend,
    PublishedFilters,
    PublishedSubjects,
    committed_spends,
    published_of,
    published_sums,
)
from warehouse.reading.payout_forecasts import PayoutForecast, payout_forecasts

NEWEST_FIRST = Keyset(PayoutBudget.created_at, PayoutBudget.id, "payout-budgets")


def filtered(organization_id: UUID, query: BudgetQuery) -> Select[PayoutBudget]:
    names = ("project_id", "campaign_id", "structure_id")
    return matching(PayoutBudget, organization_id, query, *names)


def of_project(session: Session, organization_id: UUID, project_id: UUID) -> Sequence[PayoutBudget]:
    """Return all budgets of a project, its campaigns and structures, oldest first."""
    own = rows_of(PayoutBudget, organization_id).where(PayoutBudget.project_id == project_id)
    return session.scalars(own.order_by(PayoutBudget.created_at, PayoutBudget.id)).all()


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


def require_budget(
    context: RequestContext, structure: PayoutStructure, creator_ids: Collection[UUID]
) -> None:
    """Raise BudgetExceeded if a budget that stops assignments is used up.

    A campaign's budget stops only creators whom the campaign reaches.
    """
    budgets = [
        budget
        for budget in stopping(context.session, structure)
        if _is_about(context.session, budget, creator_ids)
    ]
    exceeded = [spending.budget for spending in spendings(context, budgets) if spending.is_exceeded]
    if exceeded:
        raise BudgetExceeded({budget.id: budget.name for budget in exceeded})


def spendings(context: RequestContext, budgets: Sequence[PayoutBudget]) -> list[Spending]:
    """Return current spending of budgets, including decisions newer than the publication."""
    return spendings_beside(context, budgets, [])[0]


def spendings_beside(
    context: RequestContext, budgets: Sequence[PayoutBudget], others: Sequence[AccrualFilter]
) -> tuple[list[Spending], list[CommittedSpend]]:
    """Return what `spendings` does, and the sums of other filters, by one query."""
    if not budgets and not others:
        return [], []
    session, organization_id = context.session, context.organization_id
    months = months_of(session, organization_id, budgets, business_now(session))
    filters = [
        *(accrual_filter_of(session, *pair) for pair in zip(budgets, months, strict=True)),
        *others,
    ]
    with accruals_now(session, context.marts, organization_id) as accruals:
        committed = _committed_spends(accruals, tuple(filters))
    own = zip(budgets, months, committed[: len(budgets)], strict=True)
    return [Spending(*columns) for columns in own], committed[len(budgets) :]


def _committed_spends(
    accruals: Accruals, filters: tuple[AccrualFilter, ...]
) -> list[CommittedSpend]:
    numbers, newer = accruals.numbers, accruals.newer()
    about = PublishedSubjects(accruals.organization_id, tuple(newer.subjects))
    filters_query = PublishedFilters(accruals.organization_id, filters)
    published = numbers.cached(published_sums, filters_query, lambda _: filters_query.ids)
    replaced = numbers.cached(published_of, about, lambda _: len(about.subjects))
    if accruals.cursor is None or published is None or replaced is None:
        return [CommittedSpend() for _ in filters]
    return committed_spends(accruals.cursor, filters, published[0], newer, replaced[0])


def _is_about(session: Session, budget: PayoutBudget, creator_ids: Collection[UUID]) -> bool:
    if budget.campaign_id is None:
        return True
    reached = select(Creator.id).where(
        Creator.organization_id == budget.organization_id,
        Creator.id.in_(creator_ids),
        has_creator(budget.organization_id, budget.campaign_id),
    )
    return session.scalar(reached.limit(1)) is not None


def committed_spend_by_day(
    context: RequestContext, budget_id: UUID
) -> tuple[date, Mapping[date, CommittedSpend]]:
    """Return today, and the committed spend of periods that end by each day of this month.

    A monthly budget counts periods that end in the month, other budgets earlier ones too. Later
    days include what open periods have earned so far. Raises NotFound.
    """
    session, organization_id = context.session, context.organization_id
    budget = require_own(context, PayoutBudget, budget_id, "Budget")
    today = business_now(session).astimezone(ZoneInfo(zone_of(session, organization_id))).date()
    first = today.replace(day=1)
    days = [first + number * ONE_DAY for number in range(monthrange(today.year, today.month)[1])]
    accrual_filter = accrual_filter_of(session, budget, first if budget.period else None)
    _, spends = spendings_beside(context, [], [replace(accrual_filter, to_day=day) for day in days])
    return today, dict(zip(days, spends, strict=True))


@dataclass(frozen=True, slots=True)
class Projection:
    """A budget with its spending and, if known, the forecast from `today` on."""

    spending: Spending
    today: date
    to_come: PayoutForecast | None

    @property
    def hidden_because(self) -> Unprojected | None:
        """Return why there is no projection, or None if there is one."""
        return self.to_come.hidden_because if self.to_come else "not_known"

    @property
    def visible_forecast(self) -> PayoutForecast | None:
        return None if self.hidden_because else self.to_come

    def reached_on(self, threshold: int) -> date | None:
        """Return the day a threshold will be reached, assuming equal spend on each day."""
        if self.visible_forecast is None or threshold in self.spending.reached:
            return None
        needed = -(-threshold * self.spending.budget.amount_cents // PERCENT)
        missing = needed - self.spending.committed.total_cents
        if missing > self.visible_forecast.to_come_cents:
            return None
        days = (self.visible_forecast.day - self.today).days + 1
        whole = -(-missing * days // self.visible_forecast.to_come_cents)
        return self.today.fromordinal(self.today.toordinal() + whole - 1)


def projections(context: RequestContext, budgets: Sequence[PayoutBudget]) -> list[Projection]:
    """Return spending and forecast of each budget, in their order."""
    return projected(context, spendings(context, budgets))


def projected(context: RequestContext, spent: Sequence[Spending]) -> list[Projection]:
    """Add the forecast to each budget's spending, in their order."""
    today = context.marts_today
    ids = {_paid_by(spending.budget) for spending in spent}
    with context.marts.cursor() as cursor:
        forecasts = (
            payout_forecasts(cursor, context.organization_id, ids, today) if cursor and ids else {}
        )
    return [
        Projection(spending, today, forecasts.get(_paid_by(spending.budget))) for spending in spent
    ]


def _paid_by(budget: PayoutBudget) -> UUID:
    return budget.campaign_id or budget.structure_id or budget.project_id
