"""Pictures of simulated posts, each in its own colors, and their URLs.

A running simulator serves them; without one, documents name hosts that do not exist.
"""

import hashlib
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

WIDTH, HEIGHT = 72, 128

_served_at: ContextVar[str | None] = ContextVar("served_at", default=None)


@contextmanager
def served_at(origin: str) -> Iterator[None]:
    """Let documents made within the block name pictures at an origin."""
    token = _served_at.set(origin)
    try:
        yield
    finally:
        _served_at.reset(token)


def picture_url(host: str, path: str) -> str:
    """Return the URL of a picture, on the simulator if it runs."""
    origin = _served_at.get()
    return f"{origin}/pictures/{path}" if origin else f"https://{host}/{path}"


def picture_routes() -> list[Route]:
    return [Route("/{owner}/{name}", show_picture), Route("/{owner}", show_picture)]


async def show_picture(request: Request) -> Response:
    """Return the picture of an account or a post, for any size."""
    owner = request.path_params["owner"].partition(".")[0]
    return Response(_picture(owner), media_type="image/png")


def _picture(owner: str) -> bytes:
    """Return a PNG of two colors derived from the owner's id."""
    upper, lower = (hashlib.sha256(f"{half} {owner}".encode()).digest()[:3] for half in "ab")
    rows = ((upper if row < HEIGHT // 2 else lower) * WIDTH for row in range(HEIGHT))
    pixels = b"".join(b"\0" + row for row in rows)
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(pixels)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*chunk) for chunk in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
