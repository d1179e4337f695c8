"""Which host names are answered: those of TRACKER_BASE_URL, and this machine's own.

A request for another name is refused, because links in answers and pages are made for these. Where
people reach the service at `www`, the name without it leads there (contract, Interface). Probes of
the process ask by address, so `/healthz`, `/readyz` and `/metrics` answer any name. No request may
name two hosts, none or what is no host: whoever is on the way here could have read another one.
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
"""Unlike 301, it keeps the method and the body."""

_HOST = re.compile(r"([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]{0,5})?", re.IGNORECASE | re.ASCII)
"""A name or address, and its port (RFC 3986, section 3.2.2, without what no host of ours has)."""


class Hosts:
    """ASGI middleware."""

    def __init__(self, app: ASGIApp, base_url: str) -> None:
        self._app = app
        self._base_url = base_url.rstrip("/")
        self._host = (urlsplit(base_url).hostname or "").lower()
        self._apex = self._host.removeprefix("www.") if self._host.startswith("www.") else None
        self._answered = LOOPBACK | {self._host, f"[{self._host}]"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, redirect or refuse a request by its Host."""
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
            f"This host is not served here: ask at {self._base_url}, or let whoever runs the "
            "service set TRACKER_BASE_URL to the address that people use"
        )

    def _at_www(self, scope: Scope) -> str:
        path: str = scope["raw_path"].decode("latin-1")
        query: str = scope["query_string"].decode("latin-1")
        return self._base_url + path + (f"?{query}" if query else "")


_ONE_HOST = "Send exactly one Host header, with the name of this service"


def _named(scope: Scope) -> str | None:
    """Return which host a request names, without its port; None where that is not one host."""
    named = Headers(scope=scope).getlist("Host")
    match = _HOST.fullmatch(named[0]) if len(named) == 1 else None
    return match[1].lower() if match else None
