"""Small images of every format, written by hand: headers with the given size and hardly a pixel."""

import struct
import zlib


def png(width: int = 1, height: int = 1, *, text: bytes = b"") -> bytes:
    chunks = [
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)),
        *([(b"tEXt", text)] if text else []),
        (b"IDAT", zlib.compress(b"\0\0")),
        (b"IEND", b""),
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*chunk) for chunk in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    checksum = struct.pack(">I", zlib.crc32(kind + data))
    return struct.pack(">I", len(data)) + kind + data + checksum


def jpeg(width: int = 1, height: int = 1) -> bytes:
    """Return a JPEG with restart markers and stuffed bytes, as large pictures have."""
    frame = struct.pack(">BHHB", 8, height, width, 1) + b"\x01\x11\x00"
    segments = _segment(0xE0, b"JFIF\0\x01\x01\0\0\x01\0\x01\0\0") + b"\xff" + _segment(0xC0, frame)
    scan = _segment(0xDA, b"\x01\x01\x00\x00\x3f\x00") + b"ab\xff\x00cd\xff\xd0ef"
    return b"\xff\xd8" + segments + scan + b"\xff\xd9"


def _segment(marker: int, data: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, len(data) + 2) + data


def webp(width: int = 1, height: int = 1) -> bytes:
    """Return a lossless WebP."""
    return _riff((b"VP8L", _lossless(width, height)))


def lossy_webp(width: int = 1, height: int = 1) -> bytes:
    return _riff((b"VP8 ", b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", width, height) + b"data"))


def extended_webp(width: int = 1, height: int = 1) -> bytes:
    """Return a WebP with a canvas of this size."""
    sides = [(side - 1).to_bytes(3, "little") for side in (width, height)]
    return _riff((b"VP8X", b"\0\0\0\0" + b"".join(sides)), (b"VP8L", _lossless(1, 1)))


def _lossless(width: int, height: int) -> bytes:
    return b"\x2f" + struct.pack("<I", (width - 1) | (height - 1) << 14) + b"data"


def _riff(*chunks: tuple[bytes, bytes]) -> bytes:
    body = b"WEBP"
    for kind, data in chunks:
        body += kind + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def pdf(size: int = 64) -> bytes:
    return b"%PDF-1.7\n" + b" " * (size - 15) + b"%%EOF\n"


def padded(size: int) -> bytes:
    """Return a PNG of `size` bytes."""
    room = size - len(png(text=b"x")) + 1
    return png(text=b"x" * room)


PICTURES = {"image/png": png, "image/jpeg": jpeg, "image/webp": webp}
