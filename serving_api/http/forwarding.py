"""Forward expensive requests to another process (see `process.compute_worker`).

Decides which requests, sends them, and receives them there. The server authenticates, counts and
logs them.
"""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import structlog
from fastapi import Request, Response
from fastapi.responses import StreamingResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from serving_api.idempotency.declaration import HEADER as IDEMPOTENCY_KEY
from serving_api.idempotency.declaration import declared_by
from serving_api.kit.json_text import SMALL_BYTES
from serving_api.kit.services import services_of
from serving_api.kit.shares import Shares

LARGE_BYTES = 16 * 1024
"""Body bytes from which a write computes for about 50 ms, such as 300 accounts."""
TIMEOUT = httpx.Timeout(120.0, connect=1.0, pool=None)
"""Longer than waiting for a slot plus all statement timeouts."""

_ORIGIN = b"x-forwarded-request"
"""Header of forwarded requests with the server's knowledge about them."""
_NOT_SENT = {
    b"connection",
    b"content-length",
    b"expect",
    b"origin",
    b"transfer-encoding",
    b"upgrade",
    _ORIGIN,
}
_NOT_RETURNED = {b"connection", b"date", b"transfer-encoding"}

_log = structlog.get_logger(__name__)


class ComputeWorker:
    """The connection to the compute worker, a new one per request.

    Without a socket, nothing is forwarded, as in the worker itself.
    """

    def __init__(self, socket_path: Path | None) -> None:
        self.is_used = socket_path is not None
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
        # A transport instead of a client, since httpx clients log URLs with their queries.
        self._transport = httpx.AsyncHTTPTransport(
            verify=False, uds=str(socket_path), limits=limits
        )

    async def respond(self, request: Request) -> Response | None:
        """Return the response, or None to answer the request here.

        Raises httpx.TransportError if a write may have been executed.
        """
        try:
            response = await self._transport.handle_async_request(await _message(request))
        except (httpx.ConnectError, httpx.ConnectTimeout):
            return None
        except httpx.TransportError:
            _log.warning("the compute worker ended during a request", exc_info=True)
            if _is_repeatable(request):
                return None
            raise
        answer = StreamingResponse(_content(response), response.status_code)
        answer.raw_headers = [
            (name.lower(), value)
            for name, value in response.headers.raw
            if name.lower() not in _NOT_RETURNED
        ]
        return answer


async def answered_by_worker(request: Request) -> Response | None:
    """Return the compute worker's response, or None to answer the request here.

    Forwards large bodies, and reads and larger writes of an organization that computes more than
    all others together. Raises RateLimitExceeded, Busy and httpx.TransportError.
    """
    services, caller = services_of(request), request.state.caller
    worker, computing = services[ComputeWorker], services.shares.computing
    if not worker.is_used or caller.channel != "api" or not _computes_much(request, computing):
        return None
    async with computing.slot_aside(caller.organization_id):
        return await worker.respond(request)


def _computes_much(request: Request, computing: Shares) -> bool:
    body_bytes: int = getattr(request.state, "body_bytes", 0)
    if body_bytes > LARGE_BYTES:
        return True
    computes = request.method == "GET" or body_bytes > SMALL_BYTES
    return computes and computing.is_heavy(request.state.caller.organization_id)


def _is_repeatable(request: Request) -> bool:
    is_idempotent = declared_by(request.scope["endpoint"]) and IDEMPOTENCY_KEY in request.headers
    return request.method == "GET" or bool(is_idempotent)


async def _message(request: Request) -> httpx.Request:
    scope = request.scope
    target = scope["raw_path"] + (b"?" + scope["query_string"] if scope["query_string"] else b"")
    origin = {
        "client": scope["client"],
        "scheme": scope["scheme"],
        "request_id": request.state.request_id,
    }
    headers = [each for each in request.headers.raw if each[0] not in _NOT_SENT]
    return httpx.Request(
        request.method,
        httpx.URL("http://worker").copy_with(raw_path=target),
        headers=[*headers, (_ORIGIN, json.dumps(origin).encode())],
        content=await request.body() if hasattr(request.state, "body_bytes") else b"",
        extensions={"timeout": TIMEOUT.as_dict()},
    )


async def _content(response: httpx.Response) -> AsyncIterator[bytes]:
    try:
        async for chunk in response.aiter_raw():
            yield chunk
    finally:
        await response.aclose()


class Forwarded:
    """Outermost ASGI middleware of the compute worker: restores the original request."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            origin = json.loads(dict(scope["headers"])[_ORIGIN])
            client = origin["client"]
            scope["client"] = tuple(client) if client else None
            scope["scheme"] = origin["scheme"]
            scope["state"] |= {"request_id": origin["request_id"], "is_observed": True}
        await self._app(scope, receive, send)
