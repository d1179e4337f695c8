"""Pages for people: rendering, forms and what a browser is told. Knows no noun."""

import base64
import hashlib
from collections.abc import Callable, Coroutine
from contextlib import nullcontext
from functools import cache, lru_cache, partial, wraps
from inspect import iscoroutinefunction, signature
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse
from fastapi.routing import APIRoute
from jinja2 import Environment, PackageLoader, StrictUndefined

from serving_api.charts.files import FILES as CHART_FILES
from serving_api.error_messages import refused
from serving_api.errors import (
    ApiError,
    InternalError,
)
from serving_api.kit.services import services_of
from serving_api.rate_limit.allowances import network_behind

# No frame, no other site, nothing written into the page: the policy allows the one style sheet by
# its hash, forms to ourselves, and to a page that says so scripts and style sheets, or pictures, of
# ours, or a script that asks us.
# Addresses of pages may be secrets, so none is handed on or kept.


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=PackageLoader("serving_api"), autoescape=True, undefined=StrictUndefined
    )
    get_source = environment.loader.get_source  # type: ignore[union-attr]
    sheets = [get_source(environment, name)[0] for name in ("values.css", "page.css")]
    environment.globals["style"] = "".join(sheets)
    environment.globals["chart_file"] = CHART_FILES.address_of
    return environment


@lru_cache(maxsize=100)
def _headers(
    *, has_sheets: bool, has_scripts: bool, asks_us: bool, shows_pictures: bool, leads_to: str
) -> dict[str, str]:
    style = str(_templates().globals["style"]).encode()
    digest = base64.b64encode(hashlib.sha256(style).digest()).decode()
    scripts = "script-src 'self'; " if has_scripts else ""
    asking = "connect-src 'self'; " if asks_us else ""
    sheets = "'self' " if has_sheets else ""
    pictures = "img-src 'self' data:; " if shows_pictures else ""
    return {
        "Content-Security-Policy": (
            f"default-src 'none'; {scripts}{asking}{pictures}style-src {sheets}'sha256-{digest}'; "
            f"form-action 'self'{leads_to}; base-uri 'none'; frame-ancestors 'none'"
        ),
        "Cache-Control": "no-store",
        # Not `no-referrer`: browsers would send forms with the origin `null`.
        "Referrer-Policy": "same-origin",
        "X-Content-Type-Options": "nosniff",
        "X-Robots-Tag": "noindex",
    }


def page(
    template: str,
    *,
    status: int = 200,
    loads_files: bool = False,
    has_scripts: bool = False,
    draws_charts: bool = False,
    asks_us: bool = False,
    shows_pictures: bool = False,
    form_leads_to: str = "",
    **values: Any,
) -> HTMLResponse:
    """Return a page; values are escaped. `loads_files`: it has style sheets of its own.

    `has_scripts`: it has scripts of ours that ask nobody.
    `draws_charts`: it has charts, and loads what draws them.
    `asks_us`: it has a script of ours that asks ourselves.
    `shows_pictures`: it has pictures that we keep.
    `form_leads_to` are the other origins, with spaces between, to which answers to forms may lead.
    """
    content = (
        _templates()
        .get_template(template)
        .render(values, draws_charts=draws_charts, shows_pictures=shows_pictures)
    )
    source = f" {form_leads_to}" if form_leads_to else ""
    headers = _headers(
        has_sheets=loads_files or draws_charts,
        has_scripts=has_scripts or draws_charts or asks_us,
        asks_us=asks_us,
        shows_pictures=shows_pictures,
        leads_to=source,
    )
    return HTMLResponse(content, status, headers)


def in_a_slot(endpoint: Callable[..., Any]) -> Callable[..., Any]:
    """Let an endpoint without an organization run in one of its network's places (`shares.pages`).

    It takes the place after the body was read: a slow client holds none. A page of an organization
    has the place of its session.
    """
    if "request" not in signature(endpoint).parameters:
        return endpoint

    @wraps(endpoint)
    async def run(**arguments: Any) -> Any:
        request: Request = arguments["request"]
        pages = services_of(request).shares.pages
        has_slot = hasattr(request.state, "caller")
        async with nullcontext() if has_slot else pages.slot_aside(network_behind(request)):
            if iscoroutinefunction(endpoint):
                return await endpoint(**arguments)
            return await run_in_threadpool(lambda: endpoint(**arguments))

    return run


class PageRoute(APIRoute):
    """A route whose refusals are pages.

    They are made where all errors become answers, when what the request wrote has been taken back:
    an error that ended in this handler would let its session commit.
    """

    def __init__(self, path: str, endpoint: Callable[..., Any], **declared: Any) -> None:
        super().__init__(path, in_a_slot(endpoint), **declared)

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the endpoint's handler, refusals told on a page."""
        handle = super().get_route_handler()

        async def handle_for_people(request: Request) -> Response:
            request.state.error_page = partial(self.error_page, request)
            return await handle(request)

        return handle_for_people

    def error_page(self, request: Request, error: ApiError) -> Response:  # noqa: ARG002 - pages may ask
        """Return the page of a refusal."""
        return refusal_page(error)


def refusal_page(
    error: ApiError, template: str = "refused.html", *, home: str = "", **values: Any
) -> Response:
    """Return a page that tells a refusal; `home` is where the reader may start again."""
    wait = error.headers.get("Retry-After")
    answer = page(
        template,
        status=error.status,
        title="Please wait" if wait else _title_of(error),
        messages=refused(error),
        wait=wait,
        home=home,
        **values,
    )
    answer.headers.update(error.headers)
    return answer


def _title_of(error: ApiError) -> str:
    if error.status in _TITLES:
        return _TITLES[error.status]
    return "Something went wrong" if error.status >= InternalError.status else "Not possible"


_TITLES = {402: "Not in your plan", 403: "Not allowed", 404: "Not found", 410: "Not found"}


def is_for_people(request: Request) -> bool:
    """Tell whether a browser will show the answer; below /api/ it is for programs all the same."""
    is_program = request.url.path.startswith("/api/")
    return not is_program and "text/html" in request.headers.get("Accept", "")


def page_router() -> APIRouter:
    """Return a router of pages, which are no part of the API's document."""
    return APIRouter(route_class=PageRoute, include_in_schema=False)
