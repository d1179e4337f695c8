"""Answers of analytics: series with labels, points with buckets."""

from collections.abc import Iterator, Mapping
from datetime import date
from uuid import UUID

from serving_api.kit.csv import CsvResponse, csv_response
from serving_api.resources.analytics.series.figures import Figures
from serving_api.resources.analytics.series.schemas import (
    OTHER_LABEL,
    Analytics,
    AnalyticsQuery,
    EntityRef,
    PartialBucket,
    Series,
)
from serving_api.resources.analytics.series.window import Window
from warehouse.csv_cells import Cell
from warehouse.publication.info import PublicationInfo
from warehouse.reading.series.beginnings import FirstReading, day_in
from warehouse.reading.series.metrics import METRICS, Mode
from warehouse.reading.series.query import Breakdown, Member, SeriesQuery, Values
from warehouse.reading.series.query import Series as ValuesOf

Labels = Mapping[UUID, str | None]


class Presenter:
    """Presents the figures of one query; all series have the same buckets."""

    def __init__(self, query: SeriesQuery) -> None:
        self._query = query
        self._starts = [bucket.start for bucket in query.buckets]

    def series(self, values: ValuesOf, labels: Labels) -> list[Series]:
        return [
            self._series(
                {"type": self._query.entity, "id": entity_id, "label": labels[entity_id]},
                values[entity_id],
            )
            for entity_id in self._query.entity_ids
        ]

    def breakdown(self, parts: Breakdown, kind: Member, labels: Labels) -> list[Series]:
        """Return the series of members, and last that of the others."""
        series = [
            self._series(
                {"type": kind, "id": member.member_id, "label": labels.get(member.member_id)},
                member.values,
            )
            for member in parts.top
        ]
        if parts.others is not None:
            other: EntityRef = {"type": kind, "id": "__other__", "label": OTHER_LABEL}
            series.append(self._series(other, parts.others))
        return series

    def _series(self, entity: EntityRef, values: Values) -> Series:
        query = self._query
        return {
            "entity_ref": entity,
            "metric": query.metric,
            "unit": METRICS[query.metric].unit,
            "mode": mode_of(query),
            "granularity": query.granularity,
            "timezone": query.zone,
            "points": [
                {"bucket_start": start, "value": value}
                for start, value in zip(self._starts, values, strict=True)
            ],
        }


def mode_of(query: SeriesQuery) -> Mode:
    return "rate" if METRICS[query.metric].is_rate else query.mode


def baselines(query: SeriesQuery, figures: Figures, window: Window) -> list[FirstReading]:
    """Return the first readings in the range from which the metric continues, in order."""
    start, until = window.instants()
    firsts_of = [
        firsts.between(start, until)
        for began in figures.known.beginnings.values()
        for firsts in began.counted_by(query.counters)
    ]
    if len(firsts_of) == 1:
        return firsts_of[0]
    each = {_when(reading): reading for some in firsts_of for reading in some}
    return [each[when] for when in sorted(each)]


def _when(first: FirstReading) -> tuple[str, str, str]:
    """Return the sort key of a first reading.

    Without `Z`, a timestamp with fewer decimals sorts first.
    """
    return first["snapshot_at"].removesuffix("Z"), first["entity_id"], first["reason"]


def first_data_date(query: SeriesQuery, figures: Figures) -> date | None:
    """Return the day of the entities' first snapshot in the query's timezone, or None."""
    instants = (began.first_snapshot_at for began in figures.known.beginnings.values())
    earliest = min(filter(None, instants), default=None)
    return day_in(query.zone, earliest) if earliest else None


def partial_bucket(
    query: SeriesQuery, window: Window, publication: PublicationInfo | None
) -> PartialBucket | None:
    """Return the full extent of the bucket in progress, or None if the range is over."""
    if not window.includes_today:
        return None
    start, end = query.whole_range.extent(window.today)
    as_of = publication.as_of if publication else None
    return PartialBucket(bucket_start=start, bucket_end=end, as_of=as_of)


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


def sheet_of(query: AnalyticsQuery, analytics: Analytics) -> CsvResponse:
    """Return the answer as a CSV file, named after the metric and the covered days."""
    points = analytics.series[0]["points"]
    days = f"{points[0]['bucket_start']}-{points[-1]['bucket_start']}"
    name = f"analytics-{query.entity}-{query.metric}-{days}"
    return csv_response(name, COLUMNS, csv_rows(analytics), headers={})


def csv_rows(analytics: Analytics) -> Iterator[tuple[Cell, ...]]:
    """Yield the rows: main series, then the prior period, then the breakdown."""
    for series in analytics.series:
        yield from _rows(analytics, "main", series)
    for series in analytics.compare_series:
        yield from _rows(analytics, "compare", series)
    for series in analytics.breakdown_series:
        yield from _rows(analytics, "breakdown", series)


def _rows(analytics: Analytics, kind: str, series: Series) -> Iterator[tuple[Cell, ...]]:
    """Yield a series' rows. Buckets of the prior period are over, so none is partial."""
    entity = series["entity_ref"]
    in_progress = None if kind == "compare" else analytics.partial_bucket
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
