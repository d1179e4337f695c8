"""Which accruals count in a budget, and which of its thresholds are reached.

Sums come from `reading.accruals`; a budget only filters. A monthly budget counts accruals whose
period ends in the month, and adjustments with the accrual they correct.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final
from uuid import UUID
from zoneinfo import ZoneInfo

from duckdb import DuckDBPyConnection
from sqlalchemy import select
from sqlalchemy.orm import Session

from warehouse.operational.campaign_reach import has_creator
from warehouse.operational.dated import zone_of
from warehouse.operational.models import Creator, PayoutBudget
from warehouse.reading.accruals.committed_spend import AccrualFilter, CommittedSpend
from warehouse.webhooks.event import Event
from warehouse.webhooks.log import AT_ONCE

PERCENT = 100

REACHED: Final = """
    select
        organization_id,
        budget_id,
        project_id,
        campaign_id,
        structure_id,
        month,
        unnest(reached) as threshold,
        amount_cents,
        exposure_cents
    from marts.budget_committed
    semi join listening using (organization_id)
    where is_present
    order by budget_id, threshold
"""


@dataclass(frozen=True, slots=True)
class Spending:
    """Committed spend of a budget. `month` is its first day, None for all time."""

    budget: PayoutBudget
    month: date | None
    committed: CommittedSpend

    @property
    def is_exceeded(self) -> bool:
        return self.committed.total_cents >= self.budget.amount_cents

    @property
    def reached(self) -> list[int]:
        """The reached thresholds, ascending."""
        spent = PERCENT * self.committed.total_cents
        return [
            threshold
            for threshold in self.budget.thresholds
            if spent >= threshold * self.budget.amount_cents
        ]


def months_of(
    session: Session, organization_id: UUID, budgets: Sequence[PayoutBudget], now: datetime
) -> list[date | None]:
    """Return the month in which each budget counts at `now`, or None for all time."""
    zone = ZoneInfo(zone_of(session, organization_id))
    this_month = now.astimezone(zone).date().replace(day=1)
    return [this_month if budget.period else None for budget in budgets]


def accrual_filter_of(session: Session, budget: PayoutBudget, month: date | None) -> AccrualFilter:
    of_campaign = budget.campaign_id
    following = (month + timedelta(days=31)).replace(day=1) if month else None
    return AccrualFilter(
        project_id=budget.project_id,
        structure_id=budget.structure_id,
        creator_ids=_reached(session, budget.organization_id, of_campaign) if of_campaign else None,
        from_day=month,
        to_day=following and following - timedelta(days=1),
    )


def reached_thresholds(connection: DuckDBPyConnection, as_of: datetime) -> Iterator[Event]:
    """Yield an event for each threshold reached in a publication, for organizations in `listening`.

    An event's id follows from budget, amount, month and threshold, so the log stores each once.
    """
    cursor = connection.execute(REACHED)
    names = [column[0] for column in cursor.description or ()]
    while rows := cursor.fetchmany(AT_ONCE):
        yield from (_event(dict(zip(names, row, strict=True)), as_of) for row in rows)


def _reached(session: Session, organization_id: UUID, campaign_id: UUID) -> tuple[UUID, ...]:
    reached = select(Creator.id).where(
        Creator.organization_id == organization_id, has_creator(organization_id, campaign_id)
    )
    return tuple(sorted(session.scalars(reached)))


def _event(reached: dict[str, Any], as_of: datetime) -> Event:
    organization_id = reached.pop("organization_id")
    return Event(
        organization_id=organization_id,
        type="budget.reached",
        entity_type="payout_budget",
        entity_id=str(reached["budget_id"]),
        state="{threshold}% of {amount_cents} in {of}".format(
            **reached, of=reached["month"] or "all"
        ),
        occurred_at=as_of,
        data={
            name: str(value) if isinstance(value, UUID | date) else value
            for name, value in reached.items()
        },
    )
