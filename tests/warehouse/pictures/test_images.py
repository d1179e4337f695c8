"""Image types are detected by structure alone: no image is decoded, no type is guessed."""

import struct
import time
from collections.abc import Callable

import pytest

from tests.factories.pictures import extended_webp, jpeg, lossy_webp, png, webp
from warehouse.pictures.images import BrokenImageError, outline_of

Picture = Callable[[int, int], bytes]

FORMATS = pytest.mark.parametrize(
    ("picture", "media_type"),
    [
        (png, "image/png"),
        (jpeg, "image/jpeg"),
        (webp, "image/webp"),
        (lossy_webp, "image/webp"),
        (extended_webp, "image/webp"),
    ],
)


EMPTY_CHUNKS = b"WEBP" + b"JUNK\0\0\0\0" * 200_000
MANY_CHUNKS = b"RIFF" + struct.pack("<I", len(EMPTY_CHUNKS)) + EMPTY_CHUNKS


@FORMATS
def test_a_complete_image_has_a_size_and_an_end(picture: Picture, media_type: str) -> None:
    content = picture(640, 480)
    outline = outline_of(content, media_type)
    assert (outline.width, outline.height, outline.end) == (640, 480, len(content))


@FORMATS
def test_bytes_after_an_image_are_not_part_of_it(picture: Picture, media_type: str) -> None:
    content = picture(2, 3)
    assert outline_of(content + b"PK\x03\x04", media_type).end == len(content)


@FORMATS
def test_an_image_that_ends_early_is_broken_wherever_it_ends(
    picture: Picture, media_type: str
) -> None:
    content = picture(640, 480)
    for length in range(len(content)):
        with pytest.raises(BrokenImageError):
            outline_of(content[:length], media_type)


@FORMATS
def test_image_types_are_not_confused(picture: Picture, media_type: str) -> None:
    for other in {"image/png", "image/jpeg", "image/webp"} - {media_type}:
        with pytest.raises(BrokenImageError):
            outline_of(picture(1, 1), other)


@pytest.mark.parametrize("media_type", ["image/png", "image/jpeg", "image/webp"])
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"GIF89a",
        b"<svg onload='alert(1)'/>",
        b"<html>",
        b"\x89PNG\r\n\x1a\n",
        b"\x89PNG\r\n\x1a\n" + b"\xff" * 100,
        b"\xff\xd8\xff\xd9",
        b"\xff\xd8" + b"\xff" * 100,
        b"\xff\xd8\xff\xe0\x00\x00" * 10,
        b"RIFF\x04\0\0\0WEBP",
        b"RIFF\xff\xff\xff\xffWEBPVP8 ",
        b"RIFF\x10\0\0\0WEBPJUNK\x04\0\0\0junk",
        png(0, 5),
        png(5, 0),
        jpeg(0, 1),
    ],
)
def test_an_invalid_picture_is_broken(content: bytes, media_type: str) -> None:
    with pytest.raises(BrokenImageError):
        outline_of(content, media_type)


def test_a_changed_byte_of_a_png_is_noticed() -> None:
    content = bytearray(png(text=b"hello"))
    content[content.index(b"hello")] ^= 1
    with pytest.raises(BrokenImageError, match="damaged"):
        outline_of(bytes(content), "image/png")


def test_a_picture_that_would_fill_the_memory_is_only_read() -> None:
    outline = outline_of(png(2**31 - 1, 2**31 - 1), "image/png")
    assert outline.width == outline.height == 2**31 - 1


@pytest.mark.parametrize(
    ("content", "media_type"),
    [
        (b"\xff\xd8" + b"\xff\xe0\x00\x02" * 500_000, "image/jpeg"),
        (b"\xff\xd8" + b"\xff" * 2_000_000, "image/jpeg"),
        (jpeg()[:-2] + b"\xff" * 2_000_000 + b"\x00", "image/jpeg"),
        (MANY_CHUNKS, "image/webp"),
    ],
)
def test_malicious_bytes_are_read_quickly(content: bytes, media_type: str) -> None:
    began = time.process_time()
    with pytest.raises(BrokenImageError):
        outline_of(content, media_type)
    assert time.process_time() - began < 2
