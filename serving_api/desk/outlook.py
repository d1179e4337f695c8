"""Forecasts to the end of the month or period, and why one is not shown."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from serving_api.charts.chart import Chart, Line
from serving_api.kit.days import ONE_DAY
from serving_api.kit.request_context import RequestContext
from serving_api.resources.analytics.forecasts import Forecast, ForecastQuery, read_forecast
from serving_api.resources.payouts.budgets.schemas import Unprojected
from warehouse.reading.goal_forecasts import GoalHidden
from warehouse.reading.goal_forecasts import Outlook as GoalOutlook
from warehouse.reading.view_forecasts import ForecastEntity, view_forecasts

WHY_NOT: Mapping[Unprojected | GoalHidden, str] = {
    "too_few_tests": "No forecast yet: there is too little history to test it",
    "no_better_than_baseline": "No forecast: the recent pace predicts as well",
    "too_new": "No forecast yet: a rule has not paid anyone for a whole period",
    "not_known": "No forecast: this month has no known numbers, or no creator is paid",
    "not_forecast": "No forecast for this kind of goal",
    "nothing_of_late": "No forecast: no recent posts",
}
OUTLOOKS: Mapping[GoalOutlook, str] = {
    "on_course": "will be reached",
    "at_risk": "may be missed",
    "out_of_reach": "is out of reach",
}


@dataclass(frozen=True, slots=True)
class Outlook:
    """The forecast to the end of the month. `days` charts the running totals; None unless shown."""

    forecast: Forecast
    days: Chart | None


def to_month_end(context: RequestContext, entity: ForecastEntity, entity_id: UUID) -> Outlook:
    """Return the forecast of a project, campaign or creator. Raises NotFound."""
    forecast = read_forecast(context, ForecastQuery(entity=entity, entity_id=entity_id))
    return Outlook(forecast, _days(context, forecast) if forecast.shown else None)


def _days(context: RequestContext, forecast: Forecast) -> Chart | None:
    """Chart the expected total views through each coming day; None on the last day."""
    first = context.marts_today
    if first >= forecast.to_day:
        return None
    scope = (context.organization_id, forecast.entity, forecast.entity_id)
    with context.marts.cursor() as cursor:
        rows = view_forecasts(cursor, *scope, first, forecast.to_day) if cursor else []
    row_by_day = {row.day: row for row in rows if not row.hidden_because}
    days = [first + number * ONE_DAY for number in range((forecast.to_day - first).days + 1)]

    def column(name: str) -> list[int | None]:
        return [getattr(row_by_day.get(day), name, None) for day in days]

    low, high = column("low_views"), column("high_views")
    expected = Line("Expected", column("views"), "expected", low=low, high=high)
    pace = Line("At the pace of the last 7 days", column("baseline_views"), "earlier")
    return Chart("Views forecast", days, [expected, pace])
