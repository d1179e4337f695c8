"""Clients that ask an HTTP server as fast as it answers, over connections kept open.

Each client waits for its answer before it asks again. They speak just enough HTTP/1.1, because on
a small machine a full client library would take the processor away from the server it measures.
"""

import asyncio
import http.client
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Load:
    """What so many clients got: answers a second, and the seconds that one took."""

    clients: int
    answers: int
    """In all, those before the time that counts too."""
    answers_a_second: float
    median_seconds: float
    slow_seconds: float
    """Of a hundred answers, 99 took no longer."""


class Refused(Exception):  # noqa: N818 (reads as what happened)
    """An answer that was no success."""


class Asked:
    """One path, asked again and again over one connection."""

    def __init__(self, base_url: str, path: str, key: str = "") -> None:
        self._connection = http.client.HTTPConnection(urlsplit(base_url).netloc, timeout=60)
        self._path = path
        self._headers = {"Authorization": f"Bearer {key}"}
        self.seconds: list[float] = []

    def ask(self) -> None:
        """Ask once more, and keep how long it took. Raises Refused where it is no success."""
        began = perf_counter()
        self._connection.request("GET", self._path, headers=self._headers)
        response = self._connection.getresponse()
        body = response.read()
        self.seconds.append(perf_counter() - began)
        if response.status != 200:
            raise Refused(body.decode(errors="replace"))

    def close(self) -> None:
        """End the connection."""
        self._connection.close()


def load(base_url: str, paths: list[str], key: str, *, clients: int, seconds: float) -> Load:
    """Ask for the paths in turn for so many seconds, after a second that does not count.

    Each client begins elsewhere in them, as far from the others as can be.
    """
    return asyncio.run(_load(base_url, paths, _head(base_url, key), clients, seconds))


def _head(base_url: str, key: str) -> str:
    host = f"Host: {urlsplit(base_url).netloc}\r\n"
    return f" HTTP/1.1\r\n{host}Authorization: Bearer {key}\r\n\r\n"


async def _load(base_url: str, paths: list[str], head: str, clients: int, seconds: float) -> Load:
    # One after the other, as clients come: of processes that share a socket, the one that wakes
    # first takes all connections that wait (eight of eight, with uvloop 0.23).
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
    """Open a connection, and ask once."""
    address = urlsplit(base_url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    writer.write(f"GET {request}".encode())
    await answer(reader)
    return reader, writer


async def _ask(
    connection: Connection, paths: list[str], head: str, until: float
) -> list[tuple[float, float]]:
    """Return when each request of one client was sent, and when its answer had come."""
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
    """Read one answer to its end. Raises Refused where it is no success."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = int(head.partition(b"content-length:")[2].split(b"\r\n", 1)[0])
    body = await reader.readexactly(length)
    if not head.startswith(b"http/1.1 2"):
        raise Refused(body.decode(errors="replace"))
