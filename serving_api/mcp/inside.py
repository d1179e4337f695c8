"""A request to this application from within it: what a tool call becomes.

It goes through everything that a request from outside goes through, so that checks, errors, limits,
the audit log and idempotency are REST's own. What says that it came by MCP is in the ASGI scope,
which no client can write.
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
    """What is asked of the REST API. `segments` are the parts of the path, not yet quoted."""

    method: str
    segments: tuple[str, ...]
    query: Values = field(default_factory=dict)
    headers: Values = field(default_factory=dict)
    body: bytes = b""


@dataclass(slots=True)
class Answer:
    """What the REST API answered."""

    status: int = InternalError.status
    headers: Headers = field(default_factory=Headers)
    body: bytearray = field(default_factory=bytearray)

    @property
    def is_success(self) -> bool:
        """Whether it did what was asked."""
        return self.status < 400  # noqa: PLR2004 - where errors begin (RFC 9110)

    @property
    def is_csv(self) -> bool:
        """Whether the answer is a table and not an envelope."""
        return self.headers.get("Content-Type", "").startswith("text/csv")

    def envelope(self) -> dict[str, Any]:
        """Return `{data, error, meta}`."""
        envelope: dict[str, Any] = json.loads(self.body)
        return envelope


async def ask(call: RestRequest) -> Answer:
    """Return the answer to a request on behalf of whoever sent the message being answered."""
    outside = get_http_request()
    answer = Answer()
    unread = [{"type": "http.request", "body": call.body, "more_body": False}]

    async def receive() -> Message:
        if unread:
            return unread.pop()
        await asyncio.Event().wait()  # never: this client stays until it has its answer
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
    """Return the headers: of the request from outside only its host and its credentials."""
    passed_on = {name: outside.headers.get(name, "") for name in ("host", "authorization")}
    content_headers = {"content-type": "application/json", "content-length": str(len(call.body))}
    all_of_them = {**passed_on, **content_headers, **call.headers}
    return [(name.lower().encode(), value.encode("latin-1")) for name, value in all_of_them.items()]
