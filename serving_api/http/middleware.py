"""Request ids, logging and metrics of requests, security headers, and a logged 500 with the id."""

import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from uuid import uuid4

import structlog
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from serving_api.errors import InternalError
from serving_api.http.error_handlers import answer_of
from serving_api.http.log_fields import request_fields
from serving_api.process.traces import note_on_span

HEADER = "X-Request-Id"

_log = structlog.get_logger(__name__)


class RequestIds:
    """Outermost ASGI middleware: everything inside may fail and still gets a response.

    `request.state.at_end` closes after the response was sent. Adds the headers in
    `request.state.rate_limits`.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        state = scope.setdefault("state", {})
        request_id = state["request_id"] = uuid4().hex
        started = False

        async def send_with_id(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = {HEADER: request_id, **state.get("rate_limits", {})}
                MutableHeaders(scope=message).update(headers)
                note_on_span(scope)
            await send(message)

        with ExitStack() as state["at_end"]:
            try:
                await self._app(scope, receive, send_with_id)
            except Exception:
                _log.exception("request failed", **request_fields(scope))
                if started:
                    raise
                answer = answer_of(Request(scope), InternalError(request_id=request_id))
                await answer(scope, receive, send_with_id)


# Never logged: query, body, headers, and parts of the path other than ids, since they may be
# private or contain tokens.


def log_request(scope: Scope, status: int, seconds: float) -> None:
    _log.info("request", status=status, ms=round(seconds * 1000, 1), **request_fields(scope))


Observer = Callable[[Scope, int, float], None]
"""Receives the request's scope, the response status, and the seconds."""


class Observed:
    """ASGI middleware that reports requests to observers; runs inside RequestIds."""

    def __init__(self, app: ASGIApp, *observers: Observer) -> None:
        self._app = app
        self._observers = observers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = 500
        began = time.perf_counter()

        async def send_and_note(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, send_and_note)
        finally:
            seconds = time.perf_counter() - began
            for observe in self._observers:
                observe(scope, status, seconds)


# Defaults for JSON: nothing may be loaded, framed or cached. Pages set their own policy.

HEADERS: Mapping[str, str] = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
ONE_YEAR = "max-age=31536000"


class SecurityHeaders:
    """ASGI middleware. `https` adds HSTS."""

    def __init__(self, app: ASGIApp, *, https: bool) -> None:
        self._app = app
        self._headers = {**HEADERS, "Strict-Transport-Security": ONE_YEAR} if https else HEADERS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Add missing headers to the response."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_with_headers)
