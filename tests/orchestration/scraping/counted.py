"""Counts the requests that reach a platform."""

from collections import Counter

import httpx


class Counted(httpx.AsyncHTTPTransport):
    """Sends requests over loopback and counts them by kind."""

    def __init__(self) -> None:
        super().__init__()
        self.requests: Counter[str] = Counter()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        kind = "list" if "/api/" in path else "post" if "/video/" in path else "profile"
        self.requests[kind] += 1
        return await super().handle_async_request(request)
