"""Pages: rendering, security headers, routes and error pages."""

import base64
import hashlib
import re
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
from serving_api.errors import ApiError, InternalError
from serving_api.kit.services import services_of
from serving_api.rate_limit.allowances import network_behind
from serving_api.resources.payouts.accruals.summary import on_page, page_dollars
from warehouse.reading.comments.scope import FLAGGED
from warehouse.zones import in_zone

# No frames, no other sites, no inline content: the policy allows the style sheet by its hash, and
# forms to this origin. Pages may also allow own scripts, style sheets, pictures or requests. URLs
# of pages may be secret, so they are neither sent as referrer nor cached.


@cache
def _templates() -> Environment:
    # A server that runs while another release is installed keeps its own templates.
    environment = Environment(
        loader=PackageLoader("serving_api"),
        autoescape=True,
        auto_reload=False,
        undefined=StrictUndefined,
    )
    get_source = environment.loader.get_source  # type: ignore[union-attr]
    sheets = [get_source(environment, name)[0] for name in ("values.css", "page.css")]
    environment.globals["style"] = re.sub(
        r"(?s)/\*.*?\*/|(?<=[{};:,>~])\s+|;?\s+(?=[{}])|\s+(?=[>~])", "", "".join(sheets)
    )
    environment.globals["chart_file"] = CHART_FILES.address_of
    environment.globals["in_zone"] = in_zone
    environment.globals["dollars"] = page_dollars
    environment.globals["flagged_signals"] = FLAGGED
    environment.filters["on_page"] = on_page
    return environment


def compile_templates() -> None:
    """Compile all templates, which takes 0.7 s, so that no first visit of a page does."""
    for name in _templates().list_templates(extensions=["html"]):
        _templates().get_template(name)


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
        # Not `no-referrer`, because browsers would then send forms with the origin `null`.
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
    """Return a page; values are escaped.

    `loads_files`: loads own style sheets.
    `has_scripts`: loads own scripts that send no requests.
    `draws_charts`: loads the chart scripts.
    `asks_us`: loads an own script that sends requests to this origin.
    `shows_pictures`: shows stored pictures.
    `form_leads_to`: other origins, space-separated, that responses to forms may redirect to.
    """
    content = (
        _templates()
        .get_template(template)
        .render(values, draws_charts=draws_charts, shows_pictures=shows_pictures)
    )
    source = f" {form_leads_to}" if form_leads_to else ""
    headers = _headers(
        has_sheets=loads_files,
        has_scripts=has_scripts or draws_charts or asks_us,
        asks_us=asks_us,
        shows_pictures=shows_pictures,
        leads_to=source,
    )
    return HTMLResponse(content, status, headers)


def in_a_slot(endpoint: Callable[..., Any]) -> Callable[..., Any]:
    """Run an endpoint without an organization in one of its network's slots (`shares.pages`).

    It acquires the slot after the body was read, so that slow clients hold none. Pages of an
    organization use the slot of their session.
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
    """A route with error pages.

    The error handlers render them after the request's writes are rolled back: an error handled
    here would let its session commit.
    """

    def __init__(self, path: str, endpoint: Callable[..., Any], **declared: Any) -> None:
        super().__init__(path, in_a_slot(endpoint), **declared)

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handle_for_people(request: Request) -> Response:
            request.state.error_page = partial(self.error_page, request)
            return await handle(request)

        return handle_for_people

    def error_page(self, request: Request, error: ApiError) -> Response:  # noqa: ARG002 - subclasses use it
        return refusal_page(error)


def refusal_page(
    error: ApiError, template: str = "refused.html", *, home: str = "", **values: Any
) -> Response:
    """Return an error page; `home` is a link to start again."""
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
    """Return whether a browser requests a page; /api/ is never a page."""
    is_program = request.url.path.startswith("/api/")
    return not is_program and "text/html" in request.headers.get("Accept", "")


def page_router() -> APIRouter:
    """Return a router of pages, which are not part of the OpenAPI document."""
    return APIRouter(route_class=PageRoute, include_in_schema=False)
