"""Internal requests to this application, one per tool call.

They pass the same checks, errors, limits, audit log and idempotency as external ones. The ASGI
scope marks them as MCP, since clients cannot write it.
"""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, unquote, urlencode

from fastmcp.server.dependencies import get_http_request
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import Message, Scope

from serving_api.errors import ApiError, InternalError
from serving_api.http.error_handlers import respond
from serving_api.kit.services import services_of

Values = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class RestRequest:
    """An internal REST request. `segments` are unquoted parts of the path."""

    method: str
    segments: tuple[str, ...]
    query: Values = field(default_factory=dict)
    headers: Values = field(default_factory=dict)
    body: bytes = b""


@dataclass(slots=True)
class Answer:
    """A REST response."""

    status: int = InternalError.status
    headers: Headers = field(default_factory=Headers)
    body: bytearray = field(default_factory=bytearray)

    @property
    def is_success(self) -> bool:
        return self.status < 400  # noqa: PLR2004 - where errors begin (RFC 9110)

    @property
    def is_csv(self) -> bool:
        """Whether the response is CSV instead of an envelope."""
        return self.headers.get("Content-Type", "").startswith("text/csv")

    def envelope(self) -> dict[str, Any]:
        envelope: dict[str, Any] = json.loads(self.body)
        return envelope


async def ask(call: RestRequest) -> Answer:
    """Return the response to a request on behalf of the current caller."""
    outside = get_http_request()
    answer = Answer()
    unread = [{"type": "http.request", "body": call.body, "more_body": False}]

    async def receive() -> Message:
        if unread:
            return unread.pop()
        await asyncio.Event().wait()  # never returns: this client never disconnects
        raise AssertionError

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            answer.status = message["status"]
            answer.headers = Headers(raw=message["headers"])
        else:
            answer.body += message.get("body", b"")

    refusal: ApiError | None = outside.state.refusal
    application = respond(refusal) if refusal else outside.state.application
    await application(_scope(outside, call), receive, send)
    return answer


def _scope(outside: Request, call: RestRequest) -> Scope:
    path = "/".join(quote(each, safe="", errors="surrogatepass") for each in call.segments)
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": call.method,
        "scheme": outside.scope["scheme"],
        "path": unquote(path),
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": urlencode(call.query, errors="surrogatepass").encode(),
        "headers": _headers(outside, call),
        "client": outside.scope.get("client"),
        "server": outside.scope.get("server"),
        "state": {"channel": "mcp", "services": services_of(outside)},
    }


def _headers(outside: Request, call: RestRequest) -> list[tuple[bytes, bytes]]:
    """Return the headers; only host and credentials are copied from the external request."""
    passed_on = {name: outside.headers.get(name, "") for name in ("host", "authorization")}
    content_headers = {"content-type": "application/json", "content-length": str(len(call.body))}
    all_of_them = {**passed_on, **content_headers, **call.headers}
    return [(name.lower().encode(), value.encode("latin-1")) for name, value in all_of_them.items()]
