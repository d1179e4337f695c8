"""`/api/mcp`: authentication, and the MCP server, which starts on the first request.

Serving processes load it before they are ready; others save the second.
"""

import asyncio
from collections.abc import AsyncIterator, Container, Iterable
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from fastapi import FastAPI, Request, Response
from fastapi.concurrency import run_in_threadpool
from pydantic import JsonValue
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from serving_api.auth.authentication import count, identify
from serving_api.errors import Forbidden, PayloadTooLarge, RateLimitExceeded, Unauthorized
from serving_api.http.bodies import MAX_BYTES, read_at_most
from serving_api.http.error_handlers import respond
from serving_api.kit.json_text import parsed_aside
from serving_api.kit.threads import in_entry_threads
from serving_api.mcp.toolsets import PARAMETER, tools_of
from serving_api.oauth.metadata import RESOURCE_PATH, challenge_of
from serving_api.rate_limit.allowances import consume_refusal

# Browsers send the page's `Origin`, agents send none. Without this check, a page could send
# messages although it cannot read the responses (MCP, Transports, Security).

ANY = "*"
_PORTS = {"http": 80, "https": 443}


def accepted_origins(base_url: str, cors_origins: Iterable[str]) -> frozenset[str]:
    """Return the accepted origins in the form that browsers send."""
    return frozenset({_origin_of(base_url), *cors_origins})


def require_origin(request: Request, accepted: Container[str]) -> None:
    """Raise Forbidden for a message from another origin's page."""
    origins = request.headers.getlist("Origin")
    if ANY not in accepted and any(origin not in accepted for origin in origins):
        raise Forbidden("Pages of this origin are not allowed. Add it to TRACKER_CORS_ORIGINS")


def _origin_of(url: str) -> str:
    parts = urlsplit(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    port = "" if parts.port in (None, _PORTS.get(parts.scheme)) else f":{parts.port}"
    return f"{parts.scheme}://{host}{port}"


ANSWERED_BY_REST = ("tools/call", "resources/read")


class McpMount:
    """Holds an application's MCP server from the first request to the end."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app
        self._stopping = asyncio.Event()
        self._served: asyncio.Future[ASGIApp] | None = None
        self._serving: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Stop the server, if started, at the end of the block."""
        try:
            yield
        finally:
            self._stopping.set()
            if self._serving:
                await self._serving

    async def behind(self) -> ASGIApp:
        """Return the server, starting it if needed."""
        if self._served is None or (self._served.done() and self._served.exception()):
            self._served = asyncio.get_running_loop().create_future()
            self._serving = asyncio.create_task(self._serve(self._served))
        return await asyncio.shield(self._served)

    async def _serve(self, served: asyncio.Future[ASGIApp]) -> None:
        """Run the server in its own task: its context must exit in the task that entered it."""
        from serving_api.mcp.server import mcp_application  # noqa: PLC0415 - see the module's docstring

        try:
            application = await run_in_threadpool(mcp_application, self._app)
            async with application.router.lifespan_context(application):
                served.set_result(application)
                await self._stopping.wait()
        except Exception as error:
            if served.done():
                raise
            served.set_exception(error)


def mount_mcp(app: FastAPI, origins: Container[str]) -> McpMount:
    """Add `/api/mcp` to an application, for agents and pages of these origins.

    The caller opens the returned mount.
    """
    mount = McpMount(app)

    async def mcp(request: Request) -> Response:
        """Authenticate the caller and pass on the message."""
        require_origin(request, origins)
        try:
            await in_entry_threads(identify, request)
        except Unauthorized as refusal:
            await in_entry_threads(consume_refusal, request)
            return _sign_in_refusal(request, refusal)
        request.state.refusal = await in_entry_threads(_refusal_of_one_too_many, request)
        tools_of(request.query_params.get(PARAMETER))
        body = await read_at_most(MAX_BYTES, request, PayloadTooLarge.than(MAX_BYTES))
        message = await parsed_aside(body)
        if request.state.refusal is not None and not _is_answered_by_rest(message):
            raise request.state.refusal
        request.state.application = app
        return _HandedOn(await mount.behind(), body)

    app.add_route(RESOURCE_PATH, mcp, methods=["POST"], include_in_schema=False)
    return mount


def _sign_in_refusal(request: Request, refusal: Unauthorized) -> Response:
    """Return a 401 that points to the OAuth metadata (RFC 9728)."""
    answer = respond(refusal)
    answer.headers["WWW-Authenticate"] = challenge_of(request)
    return answer


def _refusal_of_one_too_many(request: Request) -> RateLimitExceeded | None:
    """Count a message; return the error, which HTTP or the tool's response reports."""
    try:
        count(request)
    except RateLimitExceeded as refusal:
        return refusal
    return None


def _is_answered_by_rest(message: JsonValue) -> bool:
    return isinstance(message, dict) and message.get("method") in ANSWERED_BY_REST


class _HandedOn(Response):
    """A response by another application to a request whose body was already read."""

    def __init__(self, application: ASGIApp, body: bytes) -> None:
        super().__init__()
        self._application = application
        self._unread: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def receive_again() -> Message:
            return self._unread.pop() if self._unread else await receive()

        # A copy, since the application's changes would hide the endpoint from the log.
        await self._application({**scope}, receive_again, send)
