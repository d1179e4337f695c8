"""One line in the log for each request: what was asked by whom, how it was answered, how fast.

No query, body or header, and of the path only ids: the rest may be private, or even a token.
"""

import time

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from serving_api.log_fields import told_of

_log = structlog.get_logger(__name__)


class AccessLog:
    """ASGI middleware, inside the one that gives requests their ids."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request and note it."""
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
            _log.info("request", status=status, ms=round(seconds * 1000, 1), **told_of(scope))
