"""`/analytics`. Its route class gives invalid parameters this endpoint's error code."""

import json
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Query, Request, Response

from serving_api.auth.dependencies import Reader, ReadKey
from serving_api.errors import InvalidParams, NamesFields, NotFound, RetentionExceeded
from serving_api.http.error_handlers import BY_LOCATION
from serving_api.http.keyed_route import JSON, KeyedRoute, keyed_router
from serving_api.kit.csv import MEDIA_TYPE
from serving_api.kit.repeatable import repeatable
from serving_api.openapi import answers
from serving_api.openapi.part import part_of
from serving_api.resources.analytics.series import schemas, service
from serving_api.resources.analytics.series.presenter import COLUMNS, sheet_of

CSV = {
    "content": {
        MEDIA_TYPE: {
            "schema": {"type": "string"},
            "example": f"{','.join(COLUMNS)}\r\n"
            "main,2026-05-20,01976b2e-7c00-7c3a-9d7e-3f1c2b4a5d6e,Demo Creator,"
            "views,count,new,1200,true\r\n",
        }
    }
}


REFUSED_BY_LOCATION: Mapping[str, type[NamesFields]] = {**BY_LOCATION, "query": InvalidParams}


class ParamsRoute(KeyedRoute):
    """A route whose invalid query parameters are `invalid_params` (contract, Analytics, Errors)."""

    refused_by_location = REFUSED_BY_LOCATION


router = keyed_router("analytics", ParamsRoute)


def cached(body: bytes) -> bytes:
    """Return a repeated answer, marked as cached.

    Quotes within JSON strings are escaped, so only the field matches.
    """
    return body.replace(b'"cached":false', b'"cached":true')


@router.get(
    "/analytics",
    response_model=schemas.AnalyticsAnswer,
    responses={200: CSV, **answers(InvalidParams, NotFound, RetentionExceeded)},
)
@repeatable(restate=cached)
def get_analytics(
    *, context: Reader, query: Annotated[schemas.AnalyticsQuery, Query()]
) -> schemas.AnalyticsAnswer | Response:
    """Return bucketed time series of videos, creators or campaigns."""
    answer = service.read_series(context, query)
    return sheet_of(query, answer.data) if query.format == "csv" else answer


@router.get("/analytics/schema", response_model=dict[str, Any])
def get_analytics_schema(request: Request, _caller: ReadKey) -> Response:
    """Return the part of the OpenAPI document about analytics."""
    part = part_of(request.app.openapi(), request.url.path.removesuffix("/schema"))
    return Response(json.dumps(part, separators=(",", ":")), media_type=JSON)
