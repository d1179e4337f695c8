"""`/analytics`. Its own route class gives bad parameters the code that this endpoint has."""

from typing import Annotated

from fastapi import Query

from serving_api.auth.dependencies import Reader
from serving_api.error_handlers import BY_PLACE
from serving_api.errors import InvalidParams, NotFound, RetentionExceeded
from serving_api.keyed_route import KeyedRoute, keyed_router
from serving_api.kit.published import Numbers
from serving_api.kit.sessions import ReadDb
from serving_api.openapi import answers
from serving_api.resources.analytics import schemas, service


class ParamsRoute(KeyedRoute):
    """A route whose bad query parameters are `invalid_params` (contract, Analytics, Errors)."""

    refused_by_place = {**BY_PLACE, "query": InvalidParams}


router = keyed_router("analytics", ParamsRoute)


@router.get("/analytics", responses=answers(InvalidParams, NotFound, RetentionExceeded))
def get_analytics(
    *,
    caller: Reader,
    session: ReadDb,
    numbers: Numbers,
    query: Annotated[schemas.AnalyticsQuery, Query()],
) -> schemas.AnalyticsAnswer:
    """Return a bucketed time series of a video, creator or campaign."""
    return service.read_series(caller, session, numbers, query)
