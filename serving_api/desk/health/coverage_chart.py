"""The chart of daily check coverage."""

from serving_api.charts.chart import Chart, Line
from serving_api.resources.programs.project_coverage import ProjectCoverage


def coverage_chart(coverage: ProjectCoverage) -> Chart:
    """Chart the daily share of successful checks; the counts are only in the table."""
    shares = [None if day.share is None else round(100 * day.share, 2) for day in coverage.days]
    return Chart(
        "Successful checks by day",
        [day.day for day in coverage.days],
        [
            Line("Succeeded", shares, "bars", "percent"),
            Line("Checks", [day.readings_came for day in coverage.days], "aside"),
            Line("Planned", [day.readings_due for day in coverage.days], "aside"),
        ],
    )
