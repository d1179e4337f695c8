"""Asking a public address for a picture: whole, of a size to be shown, and nothing else.

Nothing is followed, no proxy of the environment is used, and all of it has one deadline.
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
"""Pixels: a small file can claim so many that whoever shows it runs out of memory."""
OK = 200
_HEADERS = {"accept": ", ".join(SUFFIXES), "user-agent": "creator-tracker-pictures/1"}


class NoPictureError(Exception):
    """There is no picture to be had at an address; the text says why."""


class Fetcher:
    """Fetches pictures; threads may share it.

    `resolve` looks names up; `loopback` lets this machine be asked, for development.
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
            raise NoPictureError(f"no whole answer within {self._seconds:g} seconds") from slow
        except (httpcore.NetworkError, httpcore.ProtocolError, RefusedCertificateError) as failed:
            raise NoPictureError(f"no answer: {failed}") from failed

    def _content_of(self, url: str) -> bytes:
        backend = PublicBackend(loopback=self._loopback, resolve=self._resolve)
        timed = InTime(backend, time.monotonic() + self._seconds)
        with (
            httpcore.ConnectionPool(ssl_context=self._ssl, network_backend=timed) as pool,
            pool.stream("GET", url, headers=list(_HEADERS.items())) as response,
        ):
            if response.status != OK:
                raise NoPictureError(f"the answer is {response.status}")
            return _body(response)


def _body(response: httpcore.Response) -> bytes:
    """Return a body, no more of which is read than a picture may have. Raises NoPictureError."""
    body = bytearray()
    for chunk in response.iter_stream():
        body += chunk
        if len(body) > MAX_BYTES:
            raise NoPictureError(f"it has more than {MAX_BYTES:,} bytes")
    return bytes(body)


def picture_in(content: bytes) -> tuple[bytes, str]:
    """Return the picture that bytes begin with, and its media type. Raises NoPictureError.

    What platforms say of the type is not gone by, and what follows the picture is left out.
    """
    for media_type in SUFFIXES:
        try:
            outline = outline_of(content, media_type)
        except BrokenImageError:
            continue
        _require_size(outline)
        return content[: outline.end], media_type
    raise NoPictureError("it is no whole picture")


def _require_size(outline: Outline) -> None:
    if max(outline.width, outline.height) > MAX_SIDE:
        raise NoPictureError(f"it has {outline.width} x {outline.height} pixels")
