"""Limits of a connection before it has sent a request, over real sockets."""

import asyncio
import json
import re
import select
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from typing import Any
from urllib.parse import urlsplit

import psutil
import pytest
import uvicorn
import uvloop
from uvicorn.server import ServerState

from serving_api.http import connection
from serving_api.http.connection import (
    MAX_AHEAD,
    MAX_HEAD_BYTES,
    MAX_HEADERS,
    MAX_TARGET_BYTES,
    BoundedProtocol,
)
from serving_api.http.transport import JoinedWrites
from tests.doses import dose
from tests.fixtures.api import Api, Tenant
from tests.fixtures.processes import Worker, workers

LENGTH = (b"content-length", b"2")
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
CHUNKED = (
    b"POST /api/v2/creators HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Transfer-Encoding: chunked\r\n"
)
BEGUN = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
MUCH = 32_000_000
"""Bytes to send of endless input: far beyond every limit, and quick to send."""
SLOW = 60
"""Seconds after which a test stops waiting for a response that should be immediate."""


@contextmanager
def connected(base_url: str, source: str = "127.0.0.1") -> Iterator[socket.socket]:
    address = urlsplit(base_url)
    host = str(address.hostname), address.port or 80
    with closing(socket.create_connection(host, source_address=(source, 0))) as opened:
        opened.settimeout(SLOW)
        yield opened


def send_until_refused(opened: socket.socket, pieces: Iterator[bytes], most: int = MUCH) -> int:
    """Send up to `most` bytes, or until the connection fails; return how many were sent."""
    sent = 0
    try:
        for piece in pieces:
            if sent >= most:
                break
            opened.sendall(piece)
            sent += len(piece)
    except OSError:
        pass
    return sent


def all_that_comes(opened: socket.socket) -> bytes:
    """Read until the server closes the connection."""
    reply = b""
    try:
        while heard := opened.recv(65_536):
            reply += heard
    except ConnectionResetError:
        pass
    return reply


def statuses(reply: bytes) -> list[int]:
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3})", reply)]


def is_answered(opened: socket.socket) -> bool:
    opened.sendall(HEALTH)
    return statuses(opened.recv(65_536)) == [200]


def without_end(first: bytes, then: bytes) -> Iterator[bytes]:
    yield first
    while True:
        yield then


def refusal(reply: bytes) -> tuple[int, str]:
    [status] = statuses(reply)
    head, _, body = reply.partition(b"\r\n\r\n")
    assert b"connection: close" in head.lower()
    assert b"x-request-id: " in head.lower()
    envelope = json.loads(body)
    assert envelope["data"] is None
    return status, envelope["meta"]["code"]


LINE = b"X-Padding: " + b"x" * 4000 + b"\r\n"
ENDLESS = {
    "one value": (BEGUN + b"X: ", b"x" * 4096, 431),
    "one name": (BEGUN, b"x" * 4096, 431),
    "many headers": (BEGUN, LINE, 431),
    "tiny headers": (BEGUN, b"a:\r\n" * 100, 431),
    "the path": (b"GET /", b"x" * 4096, 414),
    "the query": (b"GET /healthz?", b"x" * 4096, 414),
    "a folded value": (BEGUN + b"X: ", b"x" * 1000 + b"\r\n ", 400),
    "the method": (b"", b"G" * 4096, 400),
}


@pytest.mark.parametrize(("first", "then", "status"), ENDLESS.values(), ids=ENDLESS)
@pytest.mark.parametrize("before", [b"", HEALTH], ids=["first", "second"])
def test_endless_heads(api: Api, before: bytes, first: bytes, then: bytes, status: int) -> None:
    with connected(api.base_url) as opened:
        if before:
            opened.sendall(before)
            assert statuses(opened.recv(65_536)) == [200]
        send_until_refused(opened, without_end(first, then))
        reply = all_that_comes(opened)
    if reply:  # a client that keeps sending may be cut off without a response
        assert refusal(reply)[0] == status


@pytest.mark.parametrize(
    ("head", "status", "code"),
    [
        (BEGUN + b"X: " + b"x" * MAX_HEAD_BYTES, 431, "headers_too_large"),
        (BEGUN + b"X: " + b"x" * MAX_HEAD_BYTES + b"\r\n\r\n", 431, "headers_too_large"),
        (BEGUN + b"a:\r\n" * MAX_HEADERS + b"\r\n", 431, "headers_too_large"),
        (b"GET /" + b"x" * MAX_TARGET_BYTES, 414, "uri_too_long"),
        (b"GET /?" + b"x" * MAX_TARGET_BYTES + b" HTTP/1.1\r\n\r\n", 414, "uri_too_long"),
        (b"nonsense\r\n\r\n", 400, "invalid_request"),
        (b"GET http://other.example" + BEGUN[4:] + b"\r\n", 400, "invalid_request"),
        (b"GET HTTP://localhost:1" + BEGUN[4:] + b"\r\n", 400, "invalid_request"),
        (b"GET http://a@localhost" + BEGUN[4:] + b"\r\n", 400, "invalid_request"),
        (BEGUN + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400, "invalid_request"),
    ],
)
def test_a_refused_request_gets_the_reason(api: Api, head: bytes, status: int, code: str) -> None:
    with connected(api.base_url) as opened:
        opened.sendall(head + b"x" * connection.PIECE_BYTES * (b"\r\n\r\n" not in head))
        assert refusal(all_that_comes(opened)) == (status, code)


def test_a_target_may_name_the_host_of_the_header(api: Api) -> None:
    with connected(api.base_url) as opened:
        opened.sendall(b"GET http://LocalHost" + BEGUN[4:] + b"\r\n")
        assert statuses(opened.recv(65_536)) == [200]


@pytest.fixture(scope="module")
def worker(api: Api) -> Iterator[Worker]:
    with workers(api, 1) as [started]:
        yield started


def test_head_and_body_come_together(worker: Worker) -> None:
    """A client that reads once gets all of a small response, and wakes up once."""
    with connected(worker.base_url) as opened:
        for _ in range(200):
            opened.sendall(HEALTH)
            head, _, body = opened.recv(65_536).partition(b"\r\n\r\n")
            [length] = re.findall(rb"content-length: (\d+)", head.lower())
            assert len(body) == int(length)


def test_a_client_that_closes_its_sending_side_is_answered() -> None:
    """If the response is immediate, as with plain uvicorn."""

    async def at_once(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [LENGTH]})
        await send({"type": "http.response.body", "body": b"ok"})

    async def answer() -> bytes:
        loop = asyncio.get_running_loop()
        config = uvicorn.Config(at_once, log_config=None)
        ours, theirs = socket.socketpair()
        with closing(theirs):
            theirs.sendall(HEALTH)
            theirs.shutdown(socket.SHUT_WR)
            state = ServerState()
            await loop.connect_accepted_socket(lambda: BoundedProtocol(config, state, {}), ours)
            return await loop.run_in_executor(None, all_that_comes, theirs)

    assert uvloop.run(answer()).endswith(b"ok")


@pytest.mark.parametrize("pieces", [1, 20])
def test_a_client_that_reads_nothing_is_dropped(
    monkeypatch: pytest.MonkeyPatch, pieces: int
) -> None:
    """Whether the response is written at once or streamed. Slow readers get all of it."""
    bodies = [b"x" * (10_000_000 // pieces)] * pieces
    head = {"type": "http.response.start", "status": 200}

    async def much(_scope: Any, _receive: Any, send: Any) -> None:
        await send({**head, "headers": [(b"content-length", b"10000000")]})
        for number, body in enumerate(bodies, start=1):
            more = number < len(bodies)
            await send({"type": "http.response.body", "body": body, "more_body": more})

    def read(theirs: socket.socket, is_late: bool) -> int:
        if is_late:
            hung_up = select.poll()
            hung_up.register(theirs, 0)
            assert hung_up.poll(SLOW * 1000)
        came = 0
        while heard := theirs.recv(400_000):
            came += len(heard)
            time.sleep(0 if is_late else 0.05)
        return came

    async def what_comes(stalled: float, is_late: bool) -> int:
        monkeypatch.setattr("serving_api.http.transport.STALLED_SECONDS", stalled)
        loop = asyncio.get_running_loop()
        config = uvicorn.Config(much, log_config=None)
        ours, theirs = socket.socketpair()
        with closing(theirs):
            theirs.sendall(HEALTH.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
            state = ServerState()
            await loop.connect_accepted_socket(lambda: BoundedProtocol(config, state, {}), ours)
            return await loop.run_in_executor(None, read, theirs, is_late)

    assert uvloop.run(what_comes(0.2, is_late=True)) < 10_000_000
    assert uvloop.run(what_comes(2.0, is_late=False)) > 10_000_000  # reading takes longer than that


def test_writes_to_a_broken_connection_are_dropped() -> None:
    """uvloop raises when a closed transport is written to, in a callback that is not awaited."""
    errors: list[dict[str, Any]] = []

    async def break_off() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: errors.append(context))
        ours, theirs = socket.socketpair()
        with closing(theirs):
            transport, _ = await loop.create_connection(asyncio.Protocol, sock=ours)
            joined = JoinedWrites(transport, loop)
            transport.abort()
            assert await loop.run_in_executor(None, theirs.recv, 100) == b""
            joined.write(b"too late")
            await asyncio.sleep(0)  # let the callback run

    uvloop.run(break_off())
    assert errors == []


@pytest.mark.parametrize(
    "head",
    [
        BEGUN + b"X: " + b"x" * (MAX_HEAD_BYTES - 1000) + b"\r\n\r\n",
        BEGUN + b"a:\r\n" * (MAX_HEADERS - 1) + b"\r\n",
        b"GET /healthz?" + b"x" * (MAX_TARGET_BYTES - 9) + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ],
)
def test_a_large_head_within_the_bounds_is_answered(api: Api, head: bytes) -> None:
    with connected(api.base_url) as opened:
        opened.sendall(head)
        assert statuses(opened.recv(65_536)) == [200]


@pytest.mark.skipif(sys.platform != "linux", reason="Linux answers at all of 127.0.0.0/8")
class TestTooMany:
    """Of these addresses only 127.0.0.1 counts as a reverse proxy."""

    def test_a_network_has_a_limit(self, api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(connection, "MOST_OF_NETWORK", 2)
        with ExitStack() as stack:
            first, second = (
                stack.enter_context(connected(api.base_url, "127.0.0.2")) for _ in "ab"
            )
            for opened in (first, second):
                assert is_answered(opened)
            with connected(api.base_url, "127.0.0.2") as third:
                assert refusal(all_that_comes(third)) == (429, "rate_limit_exceeded")
            with connected(api.base_url, "127.0.0.3") as other:
                assert is_answered(other)
            first.shutdown(socket.SHUT_RDWR)
            assert all_that_comes(first) == b""
            assert is_answered(second)
            with connected(api.base_url, "127.0.0.2") as again:
                assert is_answered(again)

    def test_proxies_are_not_limited(self, api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(connection, "MOST_OF_NETWORK", 0)
        with connected(api.base_url) as opened:
            assert is_answered(opened)


class TestTrailers:
    @pytest.mark.parametrize(
        "first", [b"0\r\nX: ", b"0\r\n", b"1;x="], ids=["value", "name", "extension"]
    )
    def test_endless_ones_are_refused(self, tenant: Tenant, first: bytes) -> None:
        key = f"Authorization: Bearer {tenant.made.api_key}\r\n\r\n".encode()
        with connected(tenant.api.base_url) as opened:
            pieces = without_end(CHUNKED + key + b"1\r\n{\r\n" + first, b"x" * 4096)
            sent = send_until_refused(opened, pieces)
            reply = all_that_comes(opened)
        assert sent < MUCH
        assert not reply or refusal(reply) == (431, "headers_too_large")

    def test_they_are_no_headers(self, tenant: Tenant) -> None:
        """A key after the body does not authenticate, however late the key is checked."""
        key = f"Authorization: Bearer {tenant.made.api_key}".encode()
        with connected(tenant.api.base_url) as opened:
            opened.sendall(CHUNKED + b"\r\n2\r\n{}\r\n0\r\n" + key + b"\r\n\r\n")
            assert statuses(opened.recv(65_536)) == [401]


class TestTime:
    @pytest.fixture(autouse=True)
    def soon(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(connection, "HEAD_SECONDS", 1.0)

    @pytest.mark.parametrize("before", [b"", HEALTH], ids=["first", "second"])
    @pytest.mark.parametrize("half", [b"G", b"GET /heal", BEGUN, BEGUN + b"X: y"])
    def test_half_a_head_is_not_waited_for(self, api: Api, before: bytes, half: bytes) -> None:
        with connected(api.base_url) as opened:
            if before:
                opened.sendall(before)
                assert statuses(opened.recv(65_536)) == [200]
            opened.sendall(half)
            assert refusal(all_that_comes(opened)) == (408, "request_timeout")

    @pytest.mark.parametrize("nothing", [b"", b"\r\n"])
    def test_a_silent_client_is_not_waited_for(self, api: Api, nothing: bytes) -> None:
        with connected(api.base_url) as opened:
            opened.sendall(nothing)
            assert all_that_comes(opened) == b""

    def test_dripping_wins_no_time(self, api: Api) -> None:
        with connected(api.base_url) as opened:
            opened.settimeout(0.01)
            opened.sendall(BEGUN)
            reply = b""
            for _ in range(SLOW * 100):
                try:
                    opened.sendall(b"a:\r\n" if _ % 50 == 0 else b"")
                    reply = opened.recv(65_536)
                    break
                except TimeoutError:
                    continue
        assert refusal(reply) == (408, "request_timeout")

    def test_nor_does_a_body_after_its_answer(self, api: Api) -> None:
        head = CHUNKED.replace(b"Transfer-Encoding: chunked", b"Content-Length: 1000000000")
        with connected(api.base_url) as opened:
            opened.sendall(head + b"\r\n")
            assert statuses(opened.recv(65_536)) == [401]
            opened.sendall(b"x")
            assert all_that_comes(opened) == b""


class TestAhead:
    @pytest.mark.slow
    def test_requests_sent_ahead_are_answered_in_turn(self, api: Api) -> None:
        requests = BEGUN.replace(b"healthz", b"nope") + b"\r\n" + HEALTH * 3
        with connected(api.base_url) as opened:
            opened.sendall(requests + BEGUN + b"Connection: close\r\n\r\n")
            assert statuses(all_that_comes(opened)) == [404, 200, 200, 200, 200]

    @pytest.mark.slow
    def test_too_many_are_answered_in_part(self, api: Api) -> None:
        with connected(api.base_url) as opened:
            opened.sendall(HEALTH * 500)
            answered = statuses(all_that_comes(opened))
        assert set(answered) == {200}
        assert len(answered) <= MAX_AHEAD + 1

    @pytest.mark.slow
    def test_another_protocol_is_refused(self, api: Api) -> None:
        upgrade = b"Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
        with connected(api.base_url) as opened:
            opened.sendall(BEGUN + upgrade + HEALTH)
            assert statuses(all_that_comes(opened)) == [200]


CONNECTIONS = dose(40, 200)


@pytest.mark.slow
def test_endless_heads_take_no_memory(worker: Worker) -> None:
    """A serving process does not grow while 200 clients send endless heads."""
    begun = [BEGUN + b"X: ", BEGUN, b"GET /", CHUNKED + b"\r\n0\r\nX: "]
    with ExitStack() as all_of_them:
        process = psutil.Process(worker.process.pid)
        before = process.memory_info().rss
        for number in range(CONNECTIONS):
            opened = all_of_them.enter_context(connected(worker.base_url))
            first = begun[number % len(begun)]
            send_until_refused(opened, without_end(first, b"x" * 65_536), 1_000_000)
        grown = process.memory_info().rss - before
    assert grown < 64_000_000, f"{grown:,} bytes"
