"""What is left of a budget by each day of the month: its burn-down."""

from collections.abc import Iterator, Mapping
from datetime import date

from serving_api.charts.chart import Chart, Line, Mark
from serving_api.kit.request_context import RequestContext
from serving_api.resources.payouts.budgets.by_day import exposure_by_day
from serving_api.resources.payouts.budgets.schemas import BudgetDetail
from warehouse.reading.accruals.exposures import Exposure


def burn_down(context: RequestContext, budget: BudgetDetail) -> Chart:
    """Return what is left of a budget after all amounts and after payments, day by day."""
    today, exposures = exposure_by_day(context, budget.id)
    amount = budget.amount_cents
    left = {day: amount - exposure.total_cents for day, exposure in exposures.items()}
    unpaid = {day: amount - exposure.paid_cents for day, exposure in exposures.items()}
    lines = [
        Line("Left", _until(left, today), "area", "cents"),
        Line("Left when open periods end", _from(left, today), "expected", "cents"),
        Line("Left after payments", _until(unpaid, today), unit="cents"),
    ]
    marks = sorted(_marks(budget, exposures, today), key=lambda mark: mark.day)
    return Chart("Left of the budget by day", list(exposures), lines, marks, today)


def _until(cents: Mapping[date, int], last: date) -> list[int | None]:
    return [value if day <= last else None for day, value in cents.items()]


def _from(cents: Mapping[date, int], first: date) -> list[int | None]:
    return [value if day >= first else None for day, value in cents.items()]


def _marks(budget: BudgetDetail, exposures: Mapping[date, Exposure], today: date) -> Iterator[Mark]:
    """Yield the days on which thresholds were reached, and are expected to be."""
    for threshold in budget.thresholds:
        needed = threshold * budget.amount_cents
        for day, exposure in exposures.items():
            if day <= today and 100 * exposure.total_cents >= needed:
                yield Mark(day, f"{threshold}% reached")
                break
    for foreseen in budget.exposure.foreseen:
        if foreseen.day in exposures:
            yield Mark(foreseen.day, f"{foreseen.threshold}% expected")
