"""Clients that load an HTTP server as fast as it answers, over persistent connections.

Each client waits for its answer before the next request. They speak minimal HTTP/1.1: on a small
machine a full client library would take processor time from the measured server.
"""

import asyncio
import http.client
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Load:
    """The rate and times of the answers to several clients."""

    clients: int
    answers: int
    """The total, including those before the measured time."""
    answers_a_second: float
    median_seconds: float
    slow_seconds: float
    """The 99th percentile."""


class Refused(Exception):  # noqa: N818 (reads as what happened)
    """An answer without success."""


class Endpoint:
    """One path, requested repeatedly over one connection."""

    def __init__(self, base_url: str, path: str, key: str = "") -> None:
        self._connection = http.client.HTTPConnection(urlsplit(base_url).netloc, timeout=60)
        self._path = path
        self._headers = {"Authorization": f"Bearer {key}"}
        self.seconds: list[float] = []

    def ask(self) -> None:
        """Send a request and record its seconds. Raises Refused without success."""
        began = perf_counter()
        self._connection.request("GET", self._path, headers=self._headers)
        response = self._connection.getresponse()
        body = response.read()
        self.seconds.append(perf_counter() - began)
        if response.status != 200:
            raise Refused(body.decode(errors="replace"))

    def close(self) -> None:
        self._connection.close()


def load(base_url: str, paths: list[str], key: str, *, clients: int, seconds: float) -> Load:
    """Request the paths in turn for this many seconds, after a second that does not count.

    The clients start at evenly spaced paths.
    """
    return asyncio.run(_load(base_url, paths, _head(base_url, key), clients, seconds))


def _head(base_url: str, key: str) -> str:
    host = f"Host: {urlsplit(base_url).netloc}\r\n"
    return f" HTTP/1.1\r\n{host}Authorization: Bearer {key}\r\n\r\n"


async def _load(base_url: str, paths: list[str], head: str, clients: int, seconds: float) -> Load:
    # In sequence, as clients connect: among processes that share a socket, the first to wake
    # accepts all pending connections (eight of eight, with uvloop 0.23).
    connections = [await _connect(base_url, paths[0] + head) for _ in range(clients)]
    warm_at = perf_counter() + 1
    until = warm_at + seconds
    starts = [len(paths) * client // clients for client in range(clients)]
    work = [
        _ask(connection, paths[start:] + paths[:start], head, until)
        for connection, start in zip(connections, starts, strict=True)
    ]
    answers = [answer for answers in await asyncio.gather(*work) for answer in answers]
    took = sorted(ended - began for began, ended in answers if warm_at <= began and ended <= until)
    slow = took[len(took) * 99 // 100]
    return Load(clients, clients + len(answers), len(took) / seconds, median(took), slow)


Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def _connect(base_url: str, request: str) -> Connection:
    address = urlsplit(base_url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    writer.write(f"GET {request}".encode())
    await answer(reader)
    return reader, writer


async def _ask(
    connection: Connection, paths: list[str], head: str, until: float
) -> list[tuple[float, float]]:
    """Return the start and end of each request of one client."""
    reader, writer = connection
    requests = [f"GET {path}{head}".encode() for path in paths]
    times: list[tuple[float, float]] = []
    while perf_counter() < until:
        began = perf_counter()
        writer.write(requests[len(times) % len(requests)])
        await answer(reader)
        times.append((began, perf_counter()))
    writer.close()
    return times


async def answer(reader: asyncio.StreamReader) -> None:
    """Read one answer to its end. Raises Refused without success."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = int(head.partition(b"content-length:")[2].split(b"\r\n", 1)[0])
    body = await reader.readexactly(length)
    if not head.startswith(b"http/1.1 2"):
        raise Refused(body.decode(errors="replace"))
