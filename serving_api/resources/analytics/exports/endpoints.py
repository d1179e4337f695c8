"""`/exports/analytics` and `/exports/{dataset}`."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Annotated, Any

from fastapi import Query, Request

from serving_api.auth.dependencies import Reader, ReadKey
from serving_api.errors import InvalidCursor, InvalidParams, NotFound, RetentionExceeded
from serving_api.http.keyed_route import keyed_router
from serving_api.http.sessions import ReadDbs
from serving_api.kit.computed import computed_page
from serving_api.kit.csv import MEDIA_TYPE, CsvResponse, csv_response
from serving_api.kit.cursor import RowKey
from serving_api.kit.request_context import RequestContext
from serving_api.kit.services import services_of
from serving_api.openapi import answers
from serving_api.resources.analytics.exports.dataset import Export, Source
from serving_api.resources.analytics.exports.registry import DATASETS, dataset_of
from serving_api.resources.analytics.exports.schemas import AnalyticsExportQuery, ExportQuery
from serving_api.resources.analytics.series import service
from serving_api.resources.analytics.series.endpoints import CSV, ParamsRoute
from serving_api.resources.analytics.series.presenter import COLUMNS, rows_of
from serving_api.resources.analytics.series.schemas import Analytics
from warehouse.csv_cells import Cell


def export_series(context: RequestContext, query: AnalyticsExportQuery) -> Export:
    """Return the page. Raises the errors of analytics, and InvalidCursor."""
    about = query.model_dump_json(exclude={"from_day", "to_day", "limit", "cursor"})
    zone = query.tz or context.caller.analytics_tz  # of the days: another one is another file
    listing = f"exports/analytics/{context.organization_id}/{zone}/{about}"
    with computed_page(context.session, context.marts, listing, query.cursor) as page:
        of_page = page.in_days(query).model_copy(update={"hide_auto": "1"})
        days = service.days_of(context, of_page)
        analytics = service.read_series(replace(context, marts=page.numbers), of_page).data
        rest = page.rest([*zip(_keys(analytics), rows_of(analytics), strict=True)], _key)
        following = page.next_cursor(rest, query.limit, _key, (days.from_day, days.to_day))
    return Export(COLUMNS, iter([row for _, row in rest[: query.limit]]), following)


def _keys(analytics: Analytics) -> Iterator[RowKey]:
    """Yield each row's key: the number of its series and its bucket."""
    all_series = (*analytics.series, *analytics.compare_series, *analytics.breakdown_series)
    for number, each_series in enumerate(all_series):
        for point in each_series["points"]:
            yield RowKey(number, point["bucket_start"])


def _key(row: tuple[RowKey, Sequence[Cell]]) -> RowKey:
    return row[0]


NEXT_CURSOR = "X-Next-Cursor"
_TEXT = {"schema": {"type": "string"}}

FILE: dict[str, Any] = {
    "headers": {
        "Content-Disposition": {"description": "A name for the file.", **_TEXT},
        NEXT_CURSOR: {"description": "Cursor of the next page. Absent on the last page.", **_TEXT},
    }
}
EXAMPLE_ROWS = (
    "rank,entity.id,entity.label,value,previous_value,change_pct,share_pct\r\n"
    "1,01976b2e-7c00-7c3a-9d7e-3f1c2b4a5d6e,Spring launch,1200,1000,20.0,60.0\r\n"
)
"""An example: a page of `campaign-leaderboard`."""

series = keyed_router("exports", ParamsRoute)
"""Registered before `router`, where `analytics` would be taken for a dataset."""

router = keyed_router("exports")


@series.get(
    "/exports/analytics",
    response_class=CsvResponse,
    responses={
        200: {**FILE, **CSV},
        **answers(InvalidCursor, InvalidParams, NotFound, RetentionExceeded),
    },
)
def export_analytics(
    *, context: Reader, query: Annotated[AnalyticsExportQuery, Query()]
) -> CsvResponse:
    """Return time series as CSV, by page. Rows are those of `/analytics` with `format=csv`."""
    return _file("analytics", export_series(context, query))


@router.get(
    "/exports/{dataset}",
    response_class=CsvResponse,
    responses={
        200: {**FILE, "content": {MEDIA_TYPE: {**_TEXT, "example": EXAMPLE_ROWS}}},
        **answers(InvalidCursor, InvalidParams, NotFound, RetentionExceeded),
    },
    description=f"Return a dataset as CSV, by page. Datasets: `{'`, `'.join(DATASETS)}`.",
)
def export_dataset(
    *,
    request: Request,
    caller: ReadKey,
    sessions: ReadDbs,
    dataset: str,
    query: Annotated[ExportQuery, Query()],
) -> CsvResponse:
    """Return a dataset as CSV, by page."""
    services = services_of(request)
    with ExitStack() as stack:
        numbers = stack.enter_context(services.published.pinned()).of(caller.organization_id)
        source = Source(caller, sessions, numbers, services)
        export = dataset_of(dataset).export(source, dataset, query)
        rows = _ending(export.rows, stack.pop_all())
    return _file(dataset, replace(export, rows=rows))


def _ending(rows: Iterator[Sequence[Cell]], stack: ExitStack) -> Iterator[Sequence[Cell]]:
    """Yield the rows, then close what they are read from."""
    with stack:
        yield from rows


def _file(name: str, export: Export) -> CsvResponse:
    following = {NEXT_CURSOR: export.next_cursor} if export.next_cursor else {}
    return csv_response(name, export.columns, export.rows, following)
