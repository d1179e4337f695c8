"""`/api/v2/openapi.json` with a key, and without one `/openapi.json` and the page `/docs`.

The page is Swagger UI from the package `fastapi-swagger`, with the document inside: it loads
nothing from other hosts.
"""

from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Template
from typing import Any

from fastapi import APIRouter, Depends, Request, Response

from serving_api.auth.dependencies import AnyKey
from serving_api.http.keyed_route import keyed_router
from serving_api.kit.services import services_of
from serving_api.openapi.answers import JSON
from serving_api.page_files import PageFiles
from serving_api.rate_limit.allowances import allowance_by_address

router = keyed_router("service")
allowance = Depends(allowance_by_address("docs"))
pages = APIRouter(include_in_schema=False, dependencies=[allowance])

_FOLDER = Path(__file__).with_name("page")
_VALUES = Path(__file__).parents[1] / "templates" / "values.css"
"""Styles shared by all pages."""
_ICON, _STYLE, _REFERENCE = "favicon-32x32.png", "swagger-ui.css", "swagger-ui-bundle.js"
_START, _CLOTHES = "docs.js", "docs.css"
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def _list_files() -> list[Traversable]:
    swagger_ui = files("fastapi_swagger") / "resources"
    own = (_VALUES, _FOLDER / _CLOTHES, _FOLDER / _START)
    return [*own, *(swagger_ui / name for name in (_ICON, _STYLE, _REFERENCE))]


_FILES = PageFiles("/docs", _list_files)


@router.get("/openapi.json", response_model=dict[str, Any])
def get_openapi_document(request: Request, _caller: AnyKey) -> Response:
    """Return this document.

    Generators create clients from it for most languages.
    """
    return Response(services_of(request).openapi_json(), media_type=JSON)


@pages.get("/openapi.json")
def read_document(request: Request) -> Response:
    """Return the document without a key, as `/docs` shows it."""
    return Response(services_of(request).openapi_json(), media_type=JSON)


@pages.get("/docs")
def read_docs(request: Request) -> Response:
    """Show the document as a page that can send requests."""
    html = _page(services_of(request).openapi_json())
    return Response(html, media_type="text/html", headers={"Content-Security-Policy": _POLICY})


@pages.get("/docs/{name}")
async def read_docs_file(name: str) -> Response:
    return _FILES.answer(name)


@lru_cache(maxsize=1)
def _page(document: bytes) -> bytes:
    # Escape `<`, so that nothing in the document can end its element.
    inside = document.decode().replace("<", "\\u003c")
    page = Template((_FOLDER / "docs.html").read_text(encoding="utf-8"))
    loaded = {
        "icon": _ICON,
        "style": _STYLE,
        "values": _VALUES.name,
        "clothes": _CLOTHES,
        "reference": _REFERENCE,
        "start": _START,
    }
    addresses = {each: _FILES.address_of(name) for each, name in loaded.items()}
    return page.substitute(addresses, document=inside).encode()
