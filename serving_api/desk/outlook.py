"""What is expected to the end of the month or a period, and why nothing is where that is so."""

from collections.abc import Mapping
from uuid import UUID

from serving_api.kit.request_context import RequestContext
from serving_api.resources.analytics.forecasts import Forecast, ForecastQuery, read_forecast
from serving_api.resources.payouts.budgets.schemas import Unprojected
from warehouse.reading.goal_forecasts import GoalHidden, Outlook
from warehouse.reading.view_forecasts import ForecastEntity

WHY_NOT: Mapping[Unprojected | GoalHidden, str] = {
    "too_few_tests": "Not foreseen yet: there is too little history to test forecasts on",
    "no_better_than_baseline": "Not foreseen: going on as of late was right as often",
    "too_new": "Not foreseen yet: nobody was paid by one of the rules for a whole period",
    "not_known": "Not foreseen: nothing is known of this month, or nobody is paid",
    "not_forecast": "Goals of this kind are not foreseen",
    "nothing_of_late": "Not foreseen: nothing was posted of late",
}
OUTLOOKS: Mapping[Outlook, str] = {
    "on_course": "will be reached",
    "at_risk": "may be missed",
    "out_of_reach": "is out of reach",
}


def to_month_end(context: RequestContext, entity: ForecastEntity, entity_id: UUID) -> Forecast:
    """Return what a project, campaign or creator is expected to gain. Raises NotFound."""
    return read_forecast(context, ForecastQuery(entity=entity, entity_id=entity_id))
