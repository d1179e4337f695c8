"""What is expected to the end of the month or a period, and why nothing is where that is so."""

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
    "too_few_tests": "Not foreseen yet: there is too little history to test forecasts on",
    "no_better_than_baseline": "Not foreseen: going on as of late was right as often",
    "too_new": "Not foreseen yet: nobody was paid by one of the rules for a whole period",
    "not_known": "Not foreseen: nothing is known of this month, or nobody is paid",
    "not_forecast": "Goals of this kind are not foreseen",
    "nothing_of_late": "Not foreseen: nothing was posted of late",
}
OUTLOOKS: Mapping[GoalOutlook, str] = {
    "on_course": "will be reached",
    "at_risk": "may be missed",
    "out_of_reach": "is out of reach",
}


@dataclass(frozen=True, slots=True)
class Outlook:
    """The forecast to the end of the month. `days`: through each day; None unless shown."""

    forecast: Forecast
    days: Chart | None


def to_month_end(context: RequestContext, entity: ForecastEntity, entity_id: UUID) -> Outlook:
    """Return what a project, campaign or creator is expected to gain. Raises NotFound."""
    forecast = read_forecast(context, ForecastQuery(entity=entity, entity_id=entity_id))
    return Outlook(forecast, _days(context, forecast) if forecast.shown else None)


def _days(context: RequestContext, forecast: Forecast) -> Chart | None:
    """Return the views expected through each day from today on; None on the last of them."""
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
    return Chart("Views to come", days, [expected, pace])
