"""Limits of connections before there is a request, as a uvicorn protocol.

Bounds connections per network, bytes and seconds of a head, the target, trailers and pipelined
requests. The HTTP parser has no limits of its own: an endless header would fill the memory.
`bodies` limits bodies, `transport` the time in which a client takes nothing of a response.
"""

import asyncio
import re
from collections import Counter
from functools import lru_cache
from ipaddress import ip_address, ip_network
from typing import Any
from uuid import uuid4

import httptools
import structlog
from uvicorn import Config
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from serving_api.errors import (
    ApiError,
    HeadTooLarge,
    InvalidRequest,
    RateLimitExceeded,
    RequestTimeout,
    UriTooLong,
)
from serving_api.http.error_handlers import respond
from serving_api.http.middleware import HEADER as REQUEST_ID
from serving_api.http.transport import JoinedWrites
from serving_api.rate_limit.allowances import network_of

MOST_OF_NETWORK = 500
"""Concurrent connections; browsers open six, and an office shares an address."""
MAX_TARGET_BYTES = 8 * 1024
MAX_HEAD_BYTES = 64 * 1024
MAX_HEADERS = 200
"""More than any client sends; headers are looked up many times."""
HEAD_SECONDS = 10
MAX_AHEAD = 16
"""Pipelined requests that may wait on a connection."""

PIECE_BYTES = 16 * 1024
"""Bytes fed to the parser at once, so that it stops soon after a limit."""
LINGER_SECONDS = 2
LINGER_BYTES = 1024 * 1024
"""How long and how much a refused client may keep sending, so that it can read the response."""
_NOT_HTTP = "This is not an HTTP/1.1 request"
_TARGET_HOST = re.compile(rb"[a-z][a-z0-9+.-]*://([^/?#]*)", re.IGNORECASE)

_log = structlog.get_logger(__name__)
_connected: Counter[str] = Counter()
"""Open connections of this process by network, without trusted proxies."""


@lru_cache(maxsize=4096)
def _is_trusted(proxies: str, host: str) -> bool:
    """Return whether uvicorn's `forwarded_allow_ips` names the host: `*`, addresses, networks."""
    names = [name.strip() for name in proxies.split(",")]
    return "*" in names or any(_is_in(name, host) for name in names)


def _is_in(network: str, host: str) -> bool:
    try:
        return ip_address(host) in ip_network(network)
    except ValueError:
        return network == host


def _is_proxy(config: Config, host: str) -> bool:
    allowed = config.forwarded_allow_ips or ""
    return _is_trusted(allowed if isinstance(allowed, str) else ",".join(allowed), host)


class BoundedProtocol(HttpToolsProtocol):
    """One connection. A request beyond a limit gets an error, and the connection closes."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._network = ""
        self._in_head = False
        self._in_message = False
        self._quiet_bytes = 0  # since the last start or end of a head, or body data
        self._deadline: asyncio.TimerHandle | None = None
        self._is_deaf = False
        self._thrown_away = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timer for the first head; refuse the connection if its network has too many."""
        self._writes = JoinedWrites(transport, self.loop)
        super().connection_made(self._writes)  # type: ignore[arg-type]
        host = self.client[0] if self.client else ""
        if host and not _is_proxy(self.config, host):
            self._network = network_of(host)
            _connected[self._network] += 1
        if _connected[self._network] > MOST_OF_NETWORK:
            self._refuse(RateLimitExceeded("connectionsAtOnce", retry_after=HEAD_SECONDS))
            self.transport.close()
        else:
            self._watch()

    def pause_writing(self) -> None:
        """Watch whether the client takes what waits for it."""
        super().pause_writing()
        self._writes.watch()

    def resume_writing(self) -> None:
        self._writes.stop_watching()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_watching()
        self._writes.stop_watching()
        if self._network:
            _connected[self._network] -= 1
            if not _connected[self._network]:
                del _connected[self._network]
        super().connection_lost(exc)

    def eof_received(self) -> None:
        """Flush after the client's EOF; the transport closes next."""
        self._writes.send()

    def data_received(self, data: bytes) -> None:
        """Parse received data within the limits."""
        if self._is_deaf:
            self._throw_away(data)
            return
        if self.timeout_keep_alive_task is not None:
            self.timeout_keep_alive_task.cancel()
            self.timeout_keep_alive_task = None
        pieces = (data[at : at + PIECE_BYTES] for at in range(0, len(data), PIECE_BYTES))
        if all(self._parse(piece) for piece in pieces):
            self._watch()

    def _parse(self, piece: bytes) -> bool:
        """Parse a piece; return whether to continue."""
        self._quiet_bytes += len(piece)
        try:
            self.parser.feed_data(piece)
        except httptools.HttpParserUpgrade:
            # Upgrades are not supported: answer the request and ignore what follows.
            self._is_deaf, self.cycle.keep_alive = True, False
        except httptools.HttpParserError as error:
            cause = error.__context__
            self._refuse(cause if isinstance(cause, ApiError) else InvalidRequest(_NOT_HTTP))
        else:
            if self._quiet_bytes > MAX_HEAD_BYTES:
                self._refuse(HeadTooLarge())
        return not self._is_deaf

    def on_message_begin(self) -> None:
        """Start a head. Too many pipelined requests are refused."""
        if len(self.pipeline) >= MAX_AHEAD:
            raise InvalidRequest("Too many requests at once on this connection")
        self._in_head = self._in_message = True
        self._quiet_bytes = 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Append to the target. Raises UriTooLong."""
        super().on_url(url)
        if len(self.url) > MAX_TARGET_BYTES:
            raise UriTooLong

    def on_header(self, name: bytes, value: bytes) -> None:
        """Add a header without trailing whitespace (RFC 9112), which llhttp keeps."""
        super().on_header(name, value.rstrip(b" \t"))

    def on_headers_complete(self) -> None:
        """Start the request. Raises HeadTooLarge, and InvalidRequest for two hosts."""
        size = len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
        if size > MAX_HEAD_BYTES or len(self.headers) > MAX_HEADERS:
            raise HeadTooLarge
        named = _TARGET_HOST.match(self.url)  # RFC 9112, section 3.2.2; llhttp compares nothing
        if named and [named[1].lower()] != [
            value.lower() for name, value in self.headers if name == b"host"
        ]:
            raise InvalidRequest("The target and the Host header must name the same host")
        self._in_head = False
        self._quiet_bytes = 0
        self._stop_watching()
        super().on_headers_complete()
        self.headers = []  # trailers are collected here, apart from the checked headers

    def on_body(self, body: bytes) -> None:
        """Pass on a piece of the body."""
        self._quiet_bytes = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._in_message = False
        self._quiet_bytes = 0
        super().on_message_complete()

    def _watch(self) -> None:
        """Start the timer for the next head, unless one runs or a response is in progress."""
        is_answered = self.cycle is None or self.cycle.response_complete
        if self._deadline is None and (self._in_head or is_answered):
            self._deadline = self.loop.call_later(HEAD_SECONDS, self._time_is_up)

    def _stop_watching(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _time_is_up(self) -> None:
        self._deadline = None
        if self._in_head:
            self._refuse(RequestTimeout())
        else:
            self.transport.close()

    def _refuse(self, error: ApiError) -> None:
        """Stop reading, and send the error if the client can tell it from a pending response."""
        self._is_deaf = True
        self._stop_watching()
        request_id = uuid4().hex
        client = self.client[0] if self.client else None
        _log.warning("refused", status=error.status, client=client, request_id=request_id)
        is_owed_answer = self.cycle is not None and not self.cycle.response_complete
        if not is_owed_answer:
            self._send_refusal(error, request_id)
        elif self._in_head or not self._in_message:
            self.cycle.keep_alive = False  # complete requests are answered first
        elif self.cycle.response_started or self.pipeline:
            self.transport.close()
        else:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
            self._send_refusal(error, request_id)

    def _send_refusal(self, error: ApiError, request_id: str) -> None:
        response = respond(error)
        response.headers.update({REQUEST_ID: request_id, "Connection": "close"})
        headers = [*self.server_state.default_headers, *response.raw_headers]
        lines = [name + b": " + value + b"\r\n" for name, value in headers]
        self.transport.write(b"".join([STATUS_LINE[error.status], *lines, b"\r\n", response.body]))
        if self.transport.can_write_eof():
            self.transport.write_eof()
            self.loop.call_later(LINGER_SECONDS, self.transport.close)
        else:
            self.transport.close()

    def _throw_away(self, data: bytes) -> None:
        self._thrown_away += len(data)
        if self._thrown_away > LINGER_BYTES:
            self.transport.abort()
