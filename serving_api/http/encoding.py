"""Compressed answers, where a client takes them.

Only the API's: a page has forms with secrets, which their compressed length would give away
(BREACH), and answers of the API are for callers that send a key on purpose.
"""

import gzip
import re

from starlette.datastructures import Headers
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

GZIP = {"Content-Encoding": "gzip"}
LEVEL = 1
"""1.8 MB take 11 ms, with 4 19 ms, for a tenth less."""
LARGE = 128 * 1024
"""Bytes: more are compressed outside of the event loop, as Starlette 1.10 does."""
SMALLEST = 1_000
"""Bytes: less is one packet anyway."""

_TAKEN = re.compile(r"\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))", re.IGNORECASE)


def accepts_gzip(scope: Scope) -> bool:
    """Tell whether a client names gzip, and does not refuse it."""
    return _TAKEN.search(Headers(scope=scope).get("Accept-Encoding", "")) is not None


def gzipped(body: bytes) -> bytes:
    """Return a body as it is sent; equal ones are equal."""
    return gzip.compress(body, LEVEL, mtime=0)


class Compressed:
    """ASGI middleware: answers below a prefix are sent compressed, unless they are already."""

    def __init__(self, app: ASGIApp, prefix: str) -> None:
        self._app, self._prefix = app, prefix
        self._compressing = GZipMiddleware(app, SMALLEST, LEVEL)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        is_taken = scope["type"] == "http" and scope["path"].startswith(self._prefix)
        app = self._compressing if is_taken and accepts_gzip(scope) else self._app
        await app(scope, receive, send)
