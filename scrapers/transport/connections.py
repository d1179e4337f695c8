"""A pool of connections to one host.

Each is an httpx client for a single connection: httpx's own pool compares every request with every
connection, and collapses at some dozens of them. The pacer limits their number.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.cookiejar import CookieJar

import httpx

_TIMEOUT = httpx.Timeout(connect=10.0, read=20.0, write=10.0, pool=10.0)
_ONE = httpx.Limits(max_connections=1, max_keepalive_connections=1, keepalive_expiry=30.0)


class Connections:
    """Clients for the maximum number of concurrent requests so far; they share cookies."""

    def __init__(
        self, headers: Mapping[str, str], transport: httpx.AsyncBaseTransport | None
    ) -> None:
        self._headers = headers
        self._transport = transport
        self._verify = httpx.create_ssl_context() if transport is None else True
        self._cookies = CookieJar()
        self._free: list[httpx.AsyncClient] = []

    @contextmanager
    def free(self) -> Iterator[httpx.AsyncClient]:
        """Hold the most recently used free client, or a new one."""
        client = self._free.pop() if self._free else self._opened()
        try:
            yield client
        finally:
            self._free.append(client)

    def cookie(self, name: str) -> str | None:
        return next((cookie.value for cookie in self._cookies if cookie.name == name), None)

    async def aclose(self) -> None:
        """Close all connections. Call it when no request is in flight."""
        for client in self._free:
            await client.aclose()

    def _opened(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            headers=self._headers,
            cookies=self._cookies,
            timeout=_TIMEOUT,
            limits=_ONE,
            verify=self._verify,
            transport=self._transport,
        )
