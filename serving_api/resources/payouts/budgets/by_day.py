"""Committed spend of a budget by day of the current month."""

from calendar import monthrange
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from uuid import UUID
from zoneinfo import ZoneInfo

from serving_api.kit.days import ONE_DAY
from serving_api.kit.request_context import RequestContext
from serving_api.kit.rows import require_own
from serving_api.resources.payouts.budgets.stopping import spendings_beside
from warehouse.budgets import accrual_filter_of
from warehouse.operational.base import business_now
from warehouse.operational.dated import zone_of
from warehouse.operational.models import PayoutBudget
from warehouse.reading.accruals.committed_spend import CommittedSpend


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
