"""`/exports/{dataset}`."""

from typing import Annotated, Any

from fastapi import Query

from serving_api.auth.dependencies import Reader
from serving_api.errors import InvalidCursor, InvalidParams, NotFound, RetentionExceeded
from serving_api.keyed_route import keyed_router
from serving_api.kit.csv import MEDIA_TYPE, CsvResponse, csv_response
from serving_api.kit.published import Numbers
from serving_api.kit.sessions import ReadDbs
from serving_api.openapi import answers
from serving_api.resources.exports.dataset import Source
from serving_api.resources.exports.registry import DATASETS, dataset_of
from serving_api.resources.exports.schemas import ExportQuery

NEXT_CURSOR = "X-Next-Cursor"

router = keyed_router("exports")

FILE: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {MEDIA_TYPE: {"schema": {"type": "string"}}},
        "headers": {
            "Content-Disposition": {
                "description": "A name for the file.",
                "schema": {"type": "string"},
            },
            NEXT_CURSOR: {
                "description": "Where the next page begins; absent on the last.",
                "schema": {"type": "string"},
            },
        },
    }
}


@router.get(
    "/exports/{dataset}",
    response_class=CsvResponse,
    responses={**FILE, **answers(InvalidCursor, InvalidParams, NotFound, RetentionExceeded)},
    description=f"Return a dataset as CSV, page by page. Datasets: `{'`, `'.join(DATASETS)}`.",
)
def export_dataset(
    *,
    caller: Reader,
    sessions: ReadDbs,
    numbers: Numbers,
    dataset: str,
    query: Annotated[ExportQuery, Query()],
) -> CsvResponse:
    """Return a dataset as CSV, page by page."""
    source = Source(caller, sessions, numbers)
    export = dataset_of(dataset).export(source, dataset, query)
    following = {NEXT_CURSOR: export.next_cursor} if export.next_cursor else {}
    return csv_response(dataset, export.columns, export.rows, following)
