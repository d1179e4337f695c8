"""The share of planned checks that succeeded, day by day, as a chart."""

from serving_api.charts.chart import Chart, Line
from serving_api.resources.programs.project_coverage import ProjectCoverage


def coverage_chart(coverage: ProjectCoverage) -> Chart:
    """Return the share of each day, with the counts in the table alone."""
    shares = [None if day.share is None else round(100 * day.share, 2) for day in coverage.days]
    return Chart(
        "Checks that succeeded by day",
        [day.day for day in coverage.days],
        [
            Line("Succeeded", shares, "bars", "percent"),
            Line("Checks", [day.readings_came for day in coverage.days], "aside"),
            Line("Planned", [day.readings_due for day in coverage.days], "aside"),
        ],
    )
