"""Projected spend of budgets at the end of the month, and the thresholds it will reach."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from serving_api.kit.request_context import RequestContext
from serving_api.resources.payouts.budgets.schemas import Unprojected
from serving_api.resources.payouts.budgets.stopping import spendings
from warehouse.budgets import PERCENT, Spending
from warehouse.operational.models import PayoutBudget
from warehouse.reading.payout_forecasts import PayoutForecast, payout_forecasts


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
