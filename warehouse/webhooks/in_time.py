"""Connections with a deadline, however slow the other side is."""

import ssl
import time
from collections.abc import Iterable
from typing import Any

import httpcore


class RefusedCertificateError(Exception):
    """The server's certificate is not valid for its name; the text says why."""


class InTime(httpcore.NetworkBackend):
    """A backend whose connections have a deadline on the monotonic clock."""

    def __init__(self, backend: httpcore.NetworkBackend, until: float) -> None:
        self._backend = backend
        self._until = until

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002  what is left counts
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect in the time left."""
        stream = self._backend.connect_tcp(
            host, port, _left(self._until), local_address, socket_options
        )
        return _StreamInTime(stream, self._until)


class _StreamInTime(httpcore.NetworkStream):
    """A stream that gives each step the time left, ignoring its own timeout."""

    def __init__(self, stream: httpcore.NetworkStream, until: float) -> None:
        self._stream = stream
        self._until = until

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002
        return self._stream.read(max_bytes, _left(self._until))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002
        self._stream.write(buffer, _left(self._until))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002
    ) -> httpcore.NetworkStream:
        try:
            stream = self._stream.start_tls(ssl_context, server_hostname, _left(self._until))
        except httpcore.ConnectError as failed:
            if isinstance(failed.__cause__, ssl.SSLCertVerificationError):
                raise RefusedCertificateError(failed.__cause__.verify_message) from failed
            raise
        return _StreamInTime(stream, self._until)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def _left(until: float) -> float:
    """Return the seconds left. Raises httpcore.ReadTimeout after the deadline."""
    left = until - time.monotonic()
    if left <= 0:
        raise httpcore.ReadTimeout
    return left
