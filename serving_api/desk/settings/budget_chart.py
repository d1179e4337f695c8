"""The burn-down of a budget: what is left by day."""

from collections.abc import Iterator, Mapping
from datetime import date

from serving_api.charts.chart import Chart, ChartEvent, Line
from serving_api.kit.request_context import RequestContext
from serving_api.resources.payouts.budgets.schemas import BudgetDetail
from serving_api.resources.payouts.budgets.spend import committed_spend_by_day
from warehouse.reading.accruals.committed_spend import CommittedSpend


def burn_down(context: RequestContext, budget: BudgetDetail) -> Chart:
    """Chart the rest of a budget by day, after all amounts and after payments."""
    today, spend_by_day = committed_spend_by_day(context, budget.id)
    amount = budget.amount_cents
    left = {day: amount - spend.total_cents for day, spend in spend_by_day.items()}
    unpaid = {day: amount - spend.paid_cents for day, spend in spend_by_day.items()}
    lines = [
        Line("Left", _until(left, today), "area", "cents"),
        Line("Left when open periods end", _from(left, today), "expected", "cents"),
        Line("Left after payments", _until(unpaid, today), unit="cents"),
    ]
    events = sorted(_events(budget, spend_by_day, today), key=lambda event: event.day)
    return Chart("Budget left by day", list(spend_by_day), lines, events, today)


def _until(cents: Mapping[date, int], last: date) -> list[int | None]:
    return [value if day <= last else None for day, value in cents.items()]


def _from(cents: Mapping[date, int], first: date) -> list[int | None]:
    return [value if day >= first else None for day, value in cents.items()]


def _events(
    budget: BudgetDetail, spend_by_day: Mapping[date, CommittedSpend], today: date
) -> Iterator[ChartEvent]:
    """Yield the days on which thresholds were or will be reached."""
    for threshold in budget.thresholds:
        needed = threshold * budget.amount_cents
        for day, spend in spend_by_day.items():
            if day <= today and 100 * spend.total_cents >= needed:
                yield ChartEvent(day, f"{threshold}% reached")
                break
    for foreseen in budget.exposure.foreseen:
        if foreseen.day in spend_by_day:
            yield ChartEvent(foreseen.day, f"{foreseen.threshold}% expected")
