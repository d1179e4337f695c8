"""Headers that tell browsers what an answer may not be used for.

The defaults fit JSON: nothing is loaded, framed or kept. A page sets its own policy and keeps it.
"""

from collections.abc import Mapping

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
