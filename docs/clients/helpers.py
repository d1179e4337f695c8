"""Connect with an API key, send requests again, and read all pages of a list."""

import time
from uuid import uuid4

import httpx

from .client import AuthenticatedClient


class Patient(httpx.HTTPTransport):
    """Sends a request again, three times at most, if the service asks to wait.

    A POST has an `Idempotency-Key`, so that it is done once.
    """

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the first answer that does not ask to wait, else the fourth."""
        if request.method == "POST":
            request.headers.setdefault("Idempotency-Key", str(uuid4()))
        for _ in range(3):
            response = super().handle_request(request)
            if response.status_code not in (429, 503):
                return response
            response.close()
            time.sleep(float(response.headers.get("Retry-After", 1)))
        return super().handle_request(request)


def connect(url: str, key: str) -> AuthenticatedClient:
    """Return a client of the service at this address."""
    return AuthenticatedClient(url, key, httpx_args={"transport": Patient()})


def every(operation, client: AuthenticatedClient, **query):
    """Yield the items of all pages of a list, whose module is `operation`."""
    while True:
        page = operation.sync(client=client, **query)
        if not hasattr(page, "data") or page.data is None:
            raise RuntimeError(page)
        yield from page.data
        if not page.meta.has_more:
            return
        query["cursor"] = page.meta.next_cursor
