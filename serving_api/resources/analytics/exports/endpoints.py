"""`/exports/analytics` and `/exports/{dataset}`."""

from itertools import islice
from typing import Annotated, Any

from fastapi import Query, Request

from serving_api.auth.dependencies import Reader, ReadKey
from serving_api.errors import InvalidCursor, InvalidParams, NotFound, RetentionExceeded
from serving_api.http.keyed_route import keyed_router
from serving_api.kit.csv import MEDIA_TYPE, CsvResponse, csv_response
from serving_api.kit.cursor import SEAL, Offset
from serving_api.kit.errand import Errand
from serving_api.kit.sessions import ReadDbs
from serving_api.openapi import answers
from serving_api.resources.analytics.exports.dataset import Export, Source
from serving_api.resources.analytics.exports.registry import DATASETS, dataset_of
from serving_api.resources.analytics.exports.schemas import AnalyticsExportQuery, ExportQuery
from serving_api.resources.analytics.series import service
from serving_api.resources.analytics.series.endpoints import CSV, ParamsRoute
from serving_api.resources.analytics.series.figures import FiguresKept, KeptFigures
from serving_api.resources.analytics.series.presenter import COLUMNS, rows_of
from serving_api.services import services_of


def export_series(
    errand: Errand,
    kept: KeptFigures,
    query: AnalyticsExportQuery,
) -> Export:
    """Return the page. Raises as analytics do, and InvalidCursor."""
    seal, listing = errand.session.info[SEAL], f"exports/analytics/{errand.organization_id}"
    start = Offset.decode(query.cursor, listing, seal).rows if query.cursor is not None else 0
    asked = query.model_copy(update={"hide_auto": "1"})
    rows = list(rows_of(service.read_series(errand, kept, asked).data))
    end = start + query.limit
    return Export(
        COLUMNS,
        islice(rows, start, end),
        Offset(end).encode(listing, seal) if end < len(rows) else None,
    )


NEXT_CURSOR = "X-Next-Cursor"
_TEXT = {"schema": {"type": "string"}}

FILE: dict[str, Any] = {
    "headers": {
        "Content-Disposition": {"description": "A name for the file.", **_TEXT},
        NEXT_CURSOR: {"description": "Where the next page begins; absent on the last.", **_TEXT},
    },
}
PLACES = (
    "rank,entity.id,entity.label,value,previous_value,change_pct,share_pct\r\n"
    "1,01976b2e-7c00-7c3a-9d7e-3f1c2b4a5d6e,Spring launch,1200,1000,20.0,60.0\r\n"
)
"""An example: a page of `campaign-leaderboard`."""

series = keyed_router("exports", ParamsRoute)
"""Stands before `router`: `analytics` would be a dataset's name there."""

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
    *,
    errand: Reader,
    kept: FiguresKept,
    query: Annotated[AnalyticsExportQuery, Query()],
) -> CsvResponse:
    """Return time series as CSV, page by page: the rows of `/analytics` with `format=csv`."""
    return _file("analytics", export_series(errand, kept, query))


@router.get(
    "/exports/{dataset}",
    response_class=CsvResponse,
    responses={
        200: {**FILE, "content": {MEDIA_TYPE: {**_TEXT, "example": PLACES}}},
        **answers(InvalidCursor, InvalidParams, NotFound, RetentionExceeded),
    },
    description=f"Return a dataset as CSV, page by page. Datasets: `{'`, `'.join(DATASETS)}`.",
)
def export_dataset(
    *,
    request: Request,
    caller: ReadKey,
    sessions: ReadDbs,
    dataset: str,
    query: Annotated[ExportQuery, Query()],
) -> CsvResponse:
    """Return a dataset as CSV, page by page."""
    source = Source(caller, sessions, services_of(request))
    return _file(dataset, dataset_of(dataset).export(source, dataset, query))


def _file(name: str, export: Export) -> CsvResponse:
    following = {NEXT_CURSOR: export.next_cursor} if export.next_cursor else {}
    return csv_response(name, export.columns, export.rows, following)
