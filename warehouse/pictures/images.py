"""Reads the structure of images: their dimensions, and where they end.

Nothing is decompressed, whatever an image claims; time is linear in its bytes. A truncated or
inconsistent image is broken.
"""

import re
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

MAX_PARTS = 100_000
"""Chunks or segments, more than any program writes."""

SUFFIXES: Mapping[str, str] = {"image/png": "png", "image/jpeg": "jpg", "image/webp": "webp"}
"""The supported media types, and the suffixes of their files."""

_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG = b"\xff\xd8"
_RIFF = struct.Struct("<4sI4s")
_PNG_CHUNK = struct.Struct(">I4s")
_WEBP_CHUNK = struct.Struct("<4sI")
_MARKER_IN_SCAN = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
"""Ends the compressed data of a JPEG; stuffed bytes and restart markers do not."""
_MARKER, _END, _SCAN = 0xFF, 0xD9, 0xDA
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


class BrokenImageError(ValueError):
    """The bytes are not a complete image of the format."""


@dataclass(frozen=True, slots=True)
class Outline:
    """Dimensions in pixels, and the number of bytes of the image; others may follow."""

    width: int
    height: int
    end: int


def outline_of(content: bytes, media_type: str) -> Outline:
    """Return the outline of a PNG, JPEG or WebP image. Raises BrokenImageError."""
    try:
        outline = _READERS[media_type](content)
    except (struct.error, IndexError):
        raise BrokenImageError("ends early") from None
    if not outline.width or not outline.height:
        raise BrokenImageError("has no pixels")
    return outline


def _png(content: bytes) -> Outline:
    if not content.startswith(_PNG):
        raise BrokenImageError("is not a PNG")
    kinds = []
    for kind, end in _png_chunks(content):
        kinds.append(kind)
        if kind == b"IEND" and kinds[0] == b"IHDR" and b"IDAT" in kinds:
            width, height = struct.unpack_from(">II", content, len(_PNG) + _PNG_CHUNK.size)
            return Outline(width, height, end)
    raise BrokenImageError("is not a complete PNG")


def _png_chunks(content: bytes) -> Iterator[tuple[bytes, int]]:
    """Yield each chunk's kind and end. Checks its checksum."""
    at = len(_PNG)
    for _ in range(MAX_PARTS):
        if at == len(content):
            return
        length, kind = _PNG_CHUNK.unpack_from(content, at)
        end = at + _PNG_CHUNK.size + length
        (checksum,) = struct.unpack_from(">I", content, end)
        if zlib.crc32(memoryview(content)[at + 4 : end]) != checksum:
            raise BrokenImageError("is damaged")
        at = end + 4
        yield kind, at
    raise BrokenImageError("has too many parts")


def _jpeg(content: bytes) -> Outline:
    if not content.startswith(_JPEG):
        raise BrokenImageError("is not a JPEG")
    size, has_scan = None, False
    for marker, at in _jpeg_segments(content):
        if marker in _FRAMES:
            size = struct.unpack_from(">HH", content, at + 3)
        has_scan |= marker == _SCAN
        if marker == _END and size and has_scan:
            height, width = size
            return Outline(width, height, at)
    raise BrokenImageError("is not a complete JPEG")


def _jpeg_segments(content: bytes) -> Iterator[tuple[int, int]]:
    """Yield each segment's marker and the position of its length; the end marker has none."""
    at = len(_JPEG)
    for _ in range(MAX_PARTS):
        if content[at] != _MARKER:
            raise BrokenImageError("is damaged")
        while content[at] == _MARKER:  # any number of them may come before a marker
            at += 1
        marker, at = content[at], at + 1
        yield marker, at
        if marker == _END:
            return
        (length,) = struct.unpack_from(">H", content, at)
        at += length
        if marker == _SCAN:
            following = _MARKER_IN_SCAN.search(content, at)
            at = following.start() if following else len(content)
    raise BrokenImageError("has too many parts")


def _webp(content: bytes) -> Outline:
    riff, size, webp = _RIFF.unpack_from(content)
    end = size + 8
    if (riff, webp) != (b"RIFF", b"WEBP") or end > len(content):
        raise BrokenImageError("is not a complete WebP")
    chunks = dict(_webp_chunks(content, end))
    first = next(iter(chunks), b"")
    if first not in _CANVASES or chunks.keys().isdisjoint((b"VP8 ", b"VP8L", b"ANMF")):
        raise BrokenImageError("has no picture")
    return Outline(*_CANVASES[first](content, chunks[first]), end)


def _webp_chunks(content: bytes, end: int) -> Iterator[tuple[bytes, int]]:
    """Yield each chunk's kind and the start of its data. Chunks fill the file."""
    at = _RIFF.size
    for _ in range(MAX_PARTS):
        if at == end:
            return
        kind, length = _WEBP_CHUNK.unpack_from(content, at)
        at += _WEBP_CHUNK.size
        yield kind, at
        at += length + length % 2
        if at > end:
            raise BrokenImageError("ends early")
    raise BrokenImageError("has too many parts")


def _lossy_canvas(content: bytes, at: int) -> tuple[int, int]:
    start, width, height = struct.unpack_from("<3s2H", content, at + 3)
    if start != b"\x9d\x01\x2a":
        raise BrokenImageError("has no picture")
    return width & 0x3FFF, height & 0x3FFF


def _lossless_canvas(content: bytes, at: int) -> tuple[int, int]:
    signature, bits = struct.unpack_from("<BI", content, at)
    if signature != 0x2F:  # noqa: PLR2004 - the format's
        raise BrokenImageError("has no picture")
    return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1


def _extended_canvas(content: bytes, at: int) -> tuple[int, int]:
    width, height = content[at + 4 : at + 7], content[at + 7 : at + 10]
    return int.from_bytes(width, "little") + 1, int.from_bytes(height, "little") + 1


_CANVASES: Mapping[bytes, Callable[[bytes, int], tuple[int, int]]] = {
    b"VP8 ": _lossy_canvas,
    b"VP8L": _lossless_canvas,
    b"VP8X": _extended_canvas,
}
_READERS: Mapping[str, Callable[[bytes], Outline]] = {
    "image/png": _png,
    "image/jpeg": _jpeg,
    "image/webp": _webp,
}
