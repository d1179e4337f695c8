"""Internal requests to this application, one per tool call.

They pass the same checks, errors, limits, audit log and idempotency as external ones. The ASGI
scope marks them as MCP, since clients cannot write it.
"""

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote, urlencode

from fastmcp.server.dependencies import get_http_request
from httpx import ASGITransport, Request, Response

from serving_api.errors import UriTooLong
from serving_api.http.connection import MAX_TARGET_BYTES
from serving_api.http.error_handlers import respond
from serving_api.kit.services import services_of

_HERE = "http://mcp"
"""Only its path and query are used; all else is the external request's."""


def request_to(
    method: str,
    segments: Iterable[str],
    query: Mapping[str, str],
    headers: Mapping[str, str] | None = None,
    body: bytes = b"",
) -> Request:
    """Return a REST request. `segments` are unquoted parts of the path. Raises UriTooLong."""
    path = "/".join(_quoted(each) for each in segments)
    text = urlencode(query, errors="surrogatepass")
    target = f"{path}?{text}" if text else path
    if len(target) > MAX_TARGET_BYTES:
        raise UriTooLong
    content = {"Content-Type": "application/json", "Content-Length": str(len(body))}
    return Request(method, _HERE + target, headers={**content, **(headers or {})}, content=body)


def _quoted(segment: str) -> str:
    """Quote a part of the path, dots too, since httpx removes dot segments (0.28)."""
    return quote(segment, safe="", errors="surrogatepass").replace(".", "%2E")


async def ask(call: Request) -> Response:
    """Return the response to a request on behalf of the current caller."""
    outside = get_http_request()
    refusal = outside.state.refusal
    application = respond(refusal) if refusal else outside.state.application
    shared = {each: outside.scope.get(each) for each in ("asgi", "scheme", "client", "server")}
    state = {"channel": "mcp", "services": services_of(outside)}
    passed_on = (b"host", b"authorization")
    call.headers.update([each for each in outside.headers.raw if each[0] in passed_on])

    async def for_caller(scope: Any, receive: Any, send: Any) -> None:
        await application({**scope, **shared, "state": state}, receive, send)

    response = await ASGITransport(for_caller).handle_async_request(call)
    await response.aread()
    return response
