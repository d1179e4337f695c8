"""The text about views by day, and the values in their chart."""

from collections.abc import Sequence
from datetime import date, timedelta

import pytest

from serving_api.charts.chart import MOST_POINTS, sparkline
from serving_api.desk.charts import ViewsChart


def chart(views: Sequence[int | None], previous: Sequence[int | None] = ()) -> ViewsChart:
    days = [date(2026, 5, 1) + timedelta(days=number) for number in range(len(views))]
    return ViewsChart(days, views, previous or [None] * len(views), [0] * len(views))


def test_the_best_day_is_the_first_of_equals_and_gained_something() -> None:
    assert chart([3, 7, 7]).best == (date(2026, 5, 2), 7)
    assert chart([0, None]).best is None
    assert chart([-5, None, -2]).best is None


@pytest.mark.parametrize(
    ("previous", "change"),
    [([10, 10], 50.0), ([30, 10], -25.0), ([10, None], None), ([0, 0], None), ([-5, 3], None)],
)
def test_a_change_is_shown_if_the_whole_previous_period_is_known(
    previous: Sequence[int | None], change: float | None
) -> None:
    assert chart([20, 10], previous).change == change


def test_days_that_are_not_known_are_compared_with_nothing() -> None:
    assert chart([20, None], [10, 90]).change == 100.0
    assert chart([20, None], [10, None]).change == 100.0
    assert chart([None, None], [10, 10]).change is None


@pytest.mark.parametrize(
    ("values", "path"),
    [
        ([0, 5, 10], "M0.0 23.0L50.0 12.0L100.0 1.0"),
        ([5, 5], "M0.0 1.0L100.0 1.0"),
        ([0, None, 10, -10], "M0.0 12.0M66.7 1.0L100.0 23.0"),
        ([0, 0], ""),
        ([7, None], ""),
        ([], ""),
    ],
)
def test_a_sparkline_has_gaps_where_nothing_is_known(
    values: Sequence[int | None], path: str
) -> None:
    assert sparkline(values) == path


@pytest.mark.parametrize(
    ("previous", "reason"),
    [
        ([None, None], "No earlier data"),
        ([64_412, None], "The period before is known only in part"),
        ([0, 0], "No views in the period before"),
    ],
)
def test_a_missing_change_is_explained(previous: Sequence[int | None], reason: str) -> None:
    """If the chart draws the previous period, the page does not call it missing."""
    drawn = chart([20, 10], previous)
    assert (drawn.change, drawn.no_change) == (None, reason)
    assert (len(drawn.chart.lines) == 1) == (reason == "No earlier data")


def test_a_day_in_progress_is_not_compared_yet() -> None:
    day = date(2026, 5, 2)
    drawn = ViewsChart([day], [5], [9], [0], whole_to=day - timedelta(days=1))
    assert (drawn.change, drawn.no_change) == (None, "No complete day to compare yet")


def test_a_sparkline_of_years_is_short() -> None:
    assert sparkline(range(3660)).count("L") == MOST_POINTS - 1


def test_one_day_is_compared_with_one_day_before() -> None:
    names = [[line.label for line in chart(days, days).chart.lines] for days in ([5], [5, 6])]
    assert names == [["Views", "1 day before"], ["Views", "2 days before"]]


@pytest.mark.parametrize(
    ("previous", "kind"),
    [([5], "aside"), ([5, None, 5], "aside"), ([None, 5, 6], "earlier"), ([0, 0], "earlier")],
)
def test_a_lone_day_of_the_previous_period_is_not_a_line(
    previous: Sequence[int | None], kind: str
) -> None:
    [_, before] = chart([1] * len(previous), previous).chart.lines
    assert (before.kind, before.values) == (kind, previous)


def test_views_from_before_tracking_are_in_the_table_only() -> None:
    days = [date(2026, 5, 1), date(2026, 5, 2)]
    views_chart = ViewsChart(days, [1, 2], [None, None], [0, 900]).chart
    [_, apart] = views_chart.lines
    assert (apart.kind, apart.values) == ("aside", [None, 900])
