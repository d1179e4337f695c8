"""Sends one message: a POST to a public address, and returns its result.

It follows no redirects and uses no proxy of the environment. Everything has one deadline, however
slow the other side is.
"""

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

import httpcore

from warehouse.webhooks.addresses import PublicBackend, RefusedAddressError, Resolve, addresses_of
from warehouse.webhooks.in_time import InTime, RefusedCertificateError

SECONDS = 15.0
MOST_OF_ANSWER = 500
"""The most characters of a response body to read."""
_HEADERS = {"content-type": "application/json", "user-agent": "creator-tracker-webhooks/1"}
_GONE = 410


@dataclass(frozen=True, slots=True)
class Answer:
    """The response: a status with the beginning of the body, or why there was none."""

    status: int | None = None
    text: str | None = None
    error: str | None = None

    @property
    def was_accepted(self) -> bool:
        return self.status is not None and self.status // 100 == 2  # noqa: PLR2004  2xx

    @property
    def is_gone(self) -> bool:
        """Whether the endpoint accepts no more messages."""
        return self.status == _GONE


class Sender:
    """Posts messages; safe to share between threads.

    `resolve` resolves names; `loopback` permits sending to this machine, for development.
    """

    def __init__(
        self, *, loopback: bool, resolve: Resolve = addresses_of, seconds: float = SECONDS
    ) -> None:
        self._loopback = loopback
        self._resolve = resolve
        self._seconds = seconds
        self._ssl = httpcore.default_ssl_context()

    def post(self, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
        try:
            return self._posted(url, {**_HEADERS, **headers}, body)
        except RefusedAddressError as refused:
            return Answer(error=f"the address {refused}")
        except httpcore.TimeoutException:
            return Answer(error=f"no complete response within {self._seconds:g} seconds")
        except httpcore.NetworkError as failed:
            return Answer(error=f"no connection: {failed}"[:MOST_OF_ANSWER])
        except RefusedCertificateError as refused:
            return Answer(error=f"its certificate is refused: {refused}"[:MOST_OF_ANSWER])
        except httpcore.ProtocolError:
            return Answer(error="the response was not HTTP")

    def _posted(self, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
        backend = PublicBackend(loopback=self._loopback, resolve=self._resolve)
        timed = InTime(backend, time.monotonic() + self._seconds)
        with (
            httpcore.ConnectionPool(ssl_context=self._ssl, network_backend=timed) as pool,
            pool.stream("POST", url, headers=list(headers.items()), content=body) as response,
        ):
            return Answer(response.status, _beginning(response))


def _beginning(response: httpcore.Response) -> str:
    """Return the beginning of a body, as text that PostgreSQL can store.

    A body that breaks off or does not end changes nothing: the status has arrived.
    """
    beginning = b""
    with suppress(httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException):
        for chunk in response.iter_stream():
            beginning += chunk
            if len(beginning) >= MOST_OF_ANSWER:
                break
    return beginning[:MOST_OF_ANSWER].decode(errors="replace").replace("\0", "�")
