"""Tells how each request went, once it is answered: the status and how long that took."""

import time
from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

Observer = Callable[[Scope, int, float], None]
"""Takes the request, the status of its answer and the seconds."""


class Observed:
    """ASGI middleware, inside the one that gives requests their ids."""

    def __init__(self, app: ASGIApp, *observers: Observer) -> None:
        self._app = app
        self._observers = observers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request and tell the observers."""
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
