"""`/openapi.json`, for programs with a key, and `/docs`, for people, without one."""

from typing import Any

from fastapi import APIRouter, Request, Response

from serving_api.auth.dependencies import AnyKey
from serving_api.keyed_route import keyed_router
from serving_api.openapi.answers import JSON

router = keyed_router("service")
pages = APIRouter(include_in_schema=False)


@router.get("/openapi.json", response_model=dict[str, Any])
async def get_openapi_document(request: Request, _caller: AnyKey) -> Response:
    """Return this document."""
    return Response(request.app.state.openapi_json, media_type=JSON)
