"""Routes that answer people: whatever is refused is told on a page."""

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute

from serving_api.errors import ApiError
from serving_api.http.error_handlers import refusal_of
from serving_api.pages.rendering import page


class PageRoute(APIRoute):
    """A route whose refusals are pages."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the endpoint's handler, refusals told on a page."""
        handle = super().get_route_handler()

        async def handle_or_tell(request: Request) -> Response:
            try:
                return await handle(request)
            except Exception as error:
                refusal = refusal_of(request, error)
                if refusal is None:
                    raise
                return _told(refusal)

        return handle_or_tell


def _told(error: ApiError) -> Response:
    headers = error.headers
    told = page(
        "refused.html",
        status=error.status,
        message=error.message,
        wait=headers.get("Retry-After"),
    )
    told.headers.update(headers)
    return told


def page_router() -> APIRouter:
    """Return a router of pages, which are no part of the API's document."""
    return APIRouter(route_class=PageRoute, include_in_schema=False)
