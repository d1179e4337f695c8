"""What surrounds every request: how it went is told, and browsers are told what not to do."""

import time
from collections.abc import Callable, Mapping

import structlog
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from serving_api.http.log_fields import request_fields

# No query, body or header, and of the path only ids: the rest may be private, or even a token.

_log = structlog.get_logger(__name__)


def log_request(scope: Scope, status: int, seconds: float) -> None:
    """Note a request that was answered."""
    _log.info("request", status=status, ms=round(seconds * 1000, 1), **request_fields(scope))


Observer = Callable[[Scope, int, float], None]
"""Takes the request, the status of its answer and the seconds."""


class Observed:
    """ASGI middleware, inside the one that gives requests their ids.

    Forwarded requests are observed where they came from.
    """

    def __init__(self, app: ASGIApp, *observers: Observer) -> None:
        self._app = app
        self._observers = observers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request and tell the observers."""
        if scope["type"] != "http" or "is_observed" in scope["state"]:
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


# The defaults fit JSON: nothing is loaded, framed or kept. A page sets its own policy and keeps it.

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
    """ASGI middleware. `https` says that people reach the service by TLS, and shall go on to."""

    def __init__(self, app: ASGIApp, *, https: bool) -> None:
        self._app = app
        self._headers = {**HEADERS, "Strict-Transport-Security": ONE_YEAR} if https else HEADERS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request and add the headers that the answer lacks."""
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
