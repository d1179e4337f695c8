"""Accepted host names: the one of TRACKER_BASE_URL, and this machine's own.

Other names get an error, because links in responses and pages use TRACKER_BASE_URL. If that starts
with `www`, the name without it redirects there (contract, Interface). `/healthz`, `/readyz` and
`/metrics` accept any name, since probes use addresses. A request must have exactly one valid Host,
because proxies may have read a different one.
"""

import re
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from serving_api.errors import InvalidRequest
from serving_api.http.error_handlers import respond

LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
PROBES = frozenset({"/healthz", "/readyz", "/metrics"})
PERMANENT = 308
"""Unlike 301, it preserves method and body."""

_HOST = re.compile(r"([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]{0,5})?", re.IGNORECASE | re.ASCII)
"""A name or address with an optional port (RFC 3986, section 3.2.2, without characters that hosts
here cannot have).
"""


class Hosts:
    """ASGI middleware that checks the Host header."""

    def __init__(self, app: ASGIApp, base_url: str) -> None:
        self._app = app
        self._base_url = base_url.rstrip("/")
        self._host = (urlsplit(base_url).hostname or "").lower()
        self._apex = self._host.removeprefix("www.") if self._host.startswith("www.") else None
        self._answered = LOOPBACK | {self._host, f"[{self._host}]"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle, redirect or refuse a request by its Host."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        host = _named(scope)
        if host is None:
            await respond(InvalidRequest(_ONE_HOST))(scope, receive, send)
        elif host in self._answered or scope["path"] in PROBES:
            await self._app(scope, receive, send)
        elif host == self._apex:
            await RedirectResponse(self._at_www(scope), PERMANENT)(scope, receive, send)
        else:
            await respond(InvalidRequest(self._where_instead()))(scope, receive, send)

    def _where_instead(self) -> str:
        return (
            f"This host is not served here. Use {self._base_url}, or ask your administrator to "
            "set TRACKER_BASE_URL to the public address"
        )

    def _at_www(self, scope: Scope) -> str:
        path: str = scope["raw_path"].decode("latin-1")
        query: str = scope["query_string"].decode("latin-1")
        return self._base_url + path + (f"?{query}" if query else "")


_ONE_HOST = "Send exactly one Host header, with the name of this service"


def _named(scope: Scope) -> str | None:
    """Return the requested host without port, or None unless there is exactly one valid Host."""
    named = Headers(scope=scope).getlist("Host")
    match = _HOST.fullmatch(named[0]) if len(named) == 1 else None
    return match[1].lower() if match else None
