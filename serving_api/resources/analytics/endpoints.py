"""`/analytics`. Its own route class gives bad parameters the code that this endpoint has."""

from collections.abc import Callable, Coroutine
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute

from serving_api.auth.dependencies import Reader
from serving_api.error_handlers import issues_of
from serving_api.errors import InvalidParams, NotFound, RetentionExceeded
from serving_api.kit.published import Numbers
from serving_api.kit.sessions import ReadDb
from serving_api.openapi import answers
from serving_api.resources.analytics import schemas, service


class ParamsRoute(APIRoute):
    """A route whose bad parameters are `invalid_params` (contract, Analytics, Errors)."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler, its validation errors renamed."""
        handle = super().get_route_handler()

        async def handle_with_invalid_params(request: Request) -> Response:
            try:
                return await handle(request)
            except RequestValidationError as error:
                raise InvalidParams(issues_of(error.errors())) from error

        return handle_with_invalid_params


router = APIRouter(tags=["analytics"], route_class=ParamsRoute)


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
