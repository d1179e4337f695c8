"""`/api/v2/openapi.json`, for programs with a key, and `/docs`, for people, without one.

The page carries the document inside itself and loads nothing but its own script and style.
"""

from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Depends, Request, Response

from serving_api.auth.dependencies import AnyKey
from serving_api.http.keyed_route import keyed_router
from serving_api.openapi.answers import JSON
from serving_api.rate_limit.allowances import allowance_by_address
from serving_api.services import services_of

router = keyed_router("service")
allowance = Depends(allowance_by_address("docs"))
pages = APIRouter(include_in_schema=False, dependencies=[allowance])

_FOLDER = Path(__file__).with_name("page")
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@router.get("/openapi.json", response_model=dict[str, Any])
async def get_openapi_document(request: Request, _caller: AnyKey) -> Response:
    """Return this document."""
    return Response(services_of(request).openapi_json, media_type=JSON)


@pages.get("/docs")
async def read_docs(request: Request) -> Response:
    """Show the document as a page from which every endpoint can be tried."""
    html = _page(services_of(request).openapi_json)
    return Response(html, media_type="text/html", headers={"Content-Security-Policy": _POLICY})


@pages.get("/docs/docs.js")
async def read_docs_script() -> Response:
    """Return the page's script."""
    return Response(_asset("docs.js"), media_type="text/javascript")


@pages.get("/docs/docs.css")
async def read_docs_style() -> Response:
    """Return the page's style."""
    return Response(_asset("docs.css"), media_type="text/css")


@lru_cache(maxsize=1)
def _page(document: bytes) -> bytes:
    # No `<` of the document can end the element that holds it.
    inside = document.decode().replace("<", "\\u003c")
    return _asset("docs.html").replace("{document}", inside).encode()


@cache
def _asset(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
