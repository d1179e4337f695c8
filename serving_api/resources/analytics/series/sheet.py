"""Series as CSV (contract, Analytics, CSV): a row for each bucket of each series."""

from collections.abc import Iterator

from serving_api.kit.csv import Cell, CsvResponse, csv_response
from serving_api.resources.analytics.series.schemas import Analytics, AnalyticsQuery, Series

COLUMNS = (
    "series_kind",
    "bucket_start",
    "entity_id",
    "entity_label",
    "metric",
    "unit",
    "mode",
    "value",
    "is_partial",
)


def sheet_of(query: AnalyticsQuery, shown: Analytics) -> CsvResponse:
    """Return the answer as a file, named after what was asked and the days that it covers."""
    points = shown.series[0]["points"]
    days = f"{points[0]['bucket_start']}-{points[-1]['bucket_start']}"
    name = f"analytics-{query.entity}-{query.metric}-{days}"
    return csv_response(name, COLUMNS, rows_of(shown), headers={})


def rows_of(shown: Analytics) -> Iterator[tuple[Cell, ...]]:
    """Yield the rows: main series, then those of the prior period, then the breakdown."""
    for series in shown.series:
        yield from _rows(shown, "main", series)
    for series in shown.compare_series:
        yield from _rows(shown, "compare", series)
    for series in shown.breakdown_series:
        yield from _rows(shown, "breakdown", series)


def _rows(shown: Analytics, kind: str, series: Series) -> Iterator[tuple[Cell, ...]]:
    """Yield a series' rows. What is compared with is over, and none of it in progress."""
    entity = series["entity_ref"]
    in_progress = None if kind == "compare" else shown.partial_bucket
    for point in series["points"]:
        start = point["bucket_start"]
        yield (
            kind,
            start,
            entity["id"],
            entity["label"],
            series["metric"],
            series["unit"],
            series["mode"],
            point["value"],
            in_progress is not None and start == in_progress.bucket_start,
        )
