"""What a campaign's views cost, day by day, as charts."""

from collections.abc import Iterator

from serving_api.charts.chart import Chart, Line
from serving_api.kit.days import today_in
from serving_api.resources.analytics.campaign_costs import CampaignCosts


def cost_charts(costs: CampaignCosts) -> Iterator[Chart]:
    """Yield the earnings beside the views gained while tracked, and the price of 1,000 of these."""
    days = [day.day for day in costs.days]
    today = costs.as_of and today_in(costs.timezone, costs.as_of)
    earned = Line("Earned", [day.cost_cents for day in costs.days], "bars", "cents")
    views = [
        None if day.views is None else day.views - (day.views_before_tracking or 0)
        for day in costs.days
    ]
    yield Chart("Earnings and views by day", days, [earned, Line("Views", views)], today=today)
    prices = [day.cost_per_thousand_cents for day in costs.days]
    price = Line("Per 1,000 views", prices, unit="cents")
    yield Chart("Cost of 1,000 views by day", days, [price], today=today)
