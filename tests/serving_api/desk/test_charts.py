"""Where the lines of views by day go; the drawing is 600 wide and 160 high."""

from collections.abc import Sequence
from datetime import date, timedelta

import pytest

from serving_api.desk.charts import ViewsChart


def chart(views: Sequence[int | None], previous: Sequence[int | None] = ()) -> ViewsChart:
    days = [date(2026, 5, 1) + timedelta(days=number) for number in range(len(views))]
    return ViewsChart(days, views, previous or [None] * len(views), [0] * len(views))


def test_a_line_goes_through_its_days_and_has_gaps_where_nothing_is_known() -> None:
    # The scale ends at 20: 160 for 20, so 8 a view, from the top.
    drawn = chart([0, 20, None, 5, None, 10, 15])
    assert drawn.line == "M0 160 L100 0 M300 120 h.1 M500 80 L600 40"
    assert drawn.area.startswith("M0 160 L100 0 L100 160 L0 160Z")
    assert drawn.zero == 160


def test_counts_that_fell_are_drawn_below_nothing_gained() -> None:
    # From 10 to -10, so 8 a view.
    drawn = chart([10, -10], [0, None])
    assert (drawn.line, drawn.zero, drawn.line_before) == ("M0 0 L600 160", 80, "M0 80 h.1")


@pytest.mark.parametrize(
    ("most", "top"), [(0, 1), (1, 1), (7, 8), (10, 10), (11, 20), (999, 1000), (2_500, 3_000)]
)
def test_scales_end_with_round_numbers(most: int, top: int) -> None:
    assert chart([most]).top == top


def test_the_best_day_is_the_first_of_equals() -> None:
    assert chart([3, 7, 7]).best == (date(2026, 5, 2), 7)
    assert chart([0, None]).best == (date(2026, 5, 1), 0)


@pytest.mark.parametrize(
    ("previous", "change"),
    [([10, 10], 50.0), ([30, 10], -25.0), ([10, None], None), ([0, 0], None), ([-5, 3], None)],
)
def test_a_change_is_told_where_all_of_before_is_known(
    previous: Sequence[int | None], change: float | None
) -> None:
    assert chart([20, 10], previous).change == change


def test_days_that_are_not_known_are_compared_with_nothing() -> None:
    assert chart([20, None], [10, 90]).change == 100.0
    assert chart([20, None], [10, None]).change == 100.0
    assert chart([None, None], [10, 10]).change is None


def test_nothing_known_is_no_chart() -> None:
    assert chart([None, None]).is_empty
    assert not chart([0]).is_empty
