"""Fetches a picture from a public URL, with limits on size and time.

Redirects are not followed, proxies of the environment are not used, and all of it has one
deadline.
"""

import time

import httpcore

from warehouse.pictures.images import SUFFIXES, BrokenImageError, Outline, outline_of
from warehouse.webhooks.addresses import (
    PublicBackend,
    RefusedAddressError,
    Resolve,
    addresses_of,
    checked_url,
)
from warehouse.webhooks.in_time import InTime, RefusedCertificateError

SECONDS = 15.0
MAX_BYTES = 4 << 20
MAX_SIDE = 4_096
"""Pixels. A small file can claim so many that a viewer runs out of memory."""
OK = 200
_HEADERS = {"accept": ", ".join(SUFFIXES), "user-agent": "creator-tracker-pictures/1"}


class NoPictureError(Exception):
    """A URL has no usable picture. The message says why."""


class Fetcher:
    """Fetches pictures; threads may share it.

    `resolve` resolves names. `loopback` allows requests to this machine, for development.
    """

    def __init__(
        self, *, loopback: bool, resolve: Resolve = addresses_of, seconds: float = SECONDS
    ) -> None:
        self._loopback = loopback
        self._resolve = resolve
        self._seconds = seconds
        self._ssl = httpcore.default_ssl_context()

    def fetch(self, url: str) -> tuple[bytes, str]:
        """Return a picture and its media type. Raises NoPictureError."""
        try:
            return picture_in(self._content_of(checked_url(url, loopback=self._loopback)))
        except RefusedAddressError as refused:
            raise NoPictureError(f"the address {refused}") from refused
        except httpcore.TimeoutException as slow:
            raise NoPictureError(f"no complete response within {self._seconds:g} seconds") from slow
        except (httpcore.NetworkError, httpcore.ProtocolError, RefusedCertificateError) as failed:
            raise NoPictureError(f"no response: {failed}") from failed

    def _content_of(self, url: str) -> bytes:
        backend = PublicBackend(loopback=self._loopback, resolve=self._resolve)
        timed = InTime(backend, time.monotonic() + self._seconds)
        with (
            httpcore.ConnectionPool(ssl_context=self._ssl, network_backend=timed) as pool,
            pool.stream("GET", url, headers=list(_HEADERS.items())) as response,
        ):
            if response.status != OK:
                raise NoPictureError(f"the response is {response.status}")
            return _body(response)


def _body(response: httpcore.Response) -> bytes:
    """Return a response's body, at most MAX_BYTES. Raises NoPictureError."""
    body = bytearray()
    for chunk in response.iter_stream():
        body += chunk
        if len(body) > MAX_BYTES:
            raise NoPictureError(f"it has more than {MAX_BYTES:,} bytes")
    return bytes(body)


def picture_in(content: bytes) -> tuple[bytes, str]:
    """Return the picture at the start of the bytes, and its media type. Raises NoPictureError.

    The platform's media type is ignored, and bytes after the picture are dropped.
    """
    for media_type in SUFFIXES:
        try:
            outline = outline_of(content, media_type)
        except BrokenImageError:
            continue
        _require_size(outline)
        return content[: outline.end], media_type
    raise NoPictureError("it is not a complete picture")


def _require_size(outline: Outline) -> None:
    if max(outline.width, outline.height) > MAX_SIDE:
        raise NoPictureError(f"it has {outline.width} x {outline.height} pixels")
