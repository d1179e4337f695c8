"""What counts in a budget, and which of its thresholds that has reached.

Sums are those of accruals (`reading.accruals`), of which a budget only chooses some: in a month,
those whose period ends in it, corrections with what they correct.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

from duckdb import DuckDBPyConnection
from sqlalchemy import select
from sqlalchemy.orm import Session

from warehouse.operational.campaign_reach import has_creator
from warehouse.operational.dated import zone_of
from warehouse.operational.models import Creator, PayoutBudget
from warehouse.reading.accruals.listing import AccrualFilter, Exposure, exposure
from warehouse.reading.accruals.newer import Newer
from warehouse.reading.accruals.published import published_state
from warehouse.webhooks.event import Event

PERCENT = 100


@dataclass(frozen=True, slots=True)
class Spending:
    """What a budget has come to; `month` is the first day of the month, None: of all time."""

    budget: PayoutBudget
    month: date | None
    exposure: Exposure

    @property
    def is_exceeded(self) -> bool:
        """Whether nothing is left of the budget."""
        return self.exposure.total_cents >= self.budget.amount_cents

    @property
    def reached(self) -> list[int]:
        """The thresholds that are reached, ascending."""
        spent = PERCENT * self.exposure.total_cents
        return [one for one in self.budget.thresholds if spent >= one * self.budget.amount_cents]


def spending_of(
    session: Session,
    cursor: DuckDBPyConnection | None,
    newer: Newer,
    budget: PayoutBudget,
    now: datetime,
) -> Spending:
    """Return what a budget has come to, in the month of `now` or in all; 0 where none is known."""
    month = _month_of(session, budget, now)
    wanted = _wanted(session, budget, month)
    if cursor is None or wanted is None:
        return Spending(budget, month, Exposure())
    return Spending(budget, month, exposure(cursor, wanted, newer))


def reached_thresholds(
    session: Session,
    cursor: DuckDBPyConnection,
    organizations: list[UUID],
    as_of: datetime,
) -> Iterator[Event]:
    """Yield an event for each threshold that a publication has reached, as often as it is asked.

    Its id follows from budget, amount, month and threshold: the log keeps each once.
    """
    budgets = select(PayoutBudget).where(PayoutBudget.organization_id.in_(organizations))
    for budget in session.scalars(budgets.order_by(PayoutBudget.created_at, PayoutBudget.id)):
        newer = Newer(published_state(cursor, budget.organization_id).moment)
        spending = spending_of(session, cursor, newer, budget, as_of)
        yield from (_event(spending, threshold, as_of) for threshold in spending.reached)


def _month_of(session: Session, budget: PayoutBudget, now: datetime) -> date | None:
    if budget.period is None:
        return None
    zone = ZoneInfo(zone_of(session, budget.organization_id))
    return now.astimezone(zone).date().replace(day=1)


def _wanted(session: Session, budget: PayoutBudget, month: date | None) -> AccrualFilter | None:
    """Return which accruals count; None where a campaign reaches nobody."""
    creator_ids = None
    if budget.campaign_id is not None:
        reached = select(Creator.id).where(
            Creator.organization_id == budget.organization_id,
            has_creator(budget.organization_id, budget.campaign_id),
        )
        creator_ids = ",".join(sorted(map(str, session.scalars(reached))))
        if not creator_ids:
            return None
    following = (month + timedelta(days=31)).replace(day=1) if month else None
    return AccrualFilter(
        organization_id=budget.organization_id,
        project_id=budget.project_id,
        structure_id=budget.structure_id,
        creator_ids=creator_ids,
        from_day=month,
        to_day=following and following - timedelta(days=1),
    )


def _event(spending: Spending, threshold: int, as_of: datetime) -> Event:
    budget, month = spending.budget, spending.month
    return Event(
        organization_id=budget.organization_id,
        type="budget.reached",
        entity_type="payout_budget",
        entity_id=str(budget.id),
        state=f"{threshold}% of {budget.amount_cents} in {month or 'all'}",
        occurred_at=as_of,
        data={
            "budget_id": str(budget.id),
            "project_id": str(budget.project_id),
            "campaign_id": budget.campaign_id and str(budget.campaign_id),
            "structure_id": budget.structure_id and str(budget.structure_id),
            "month": month and month.isoformat(),
            "threshold": threshold,
            "amount_cents": budget.amount_cents,
            "exposure_cents": spending.exposure.total_cents,
        },
    )
