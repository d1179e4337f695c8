"""Read request bodies, mostly JSON, up to the endpoint's limit.

Bodies above the limit fail while they arrive, with or without Content-Length. Slow bodies time
out.
"""

import asyncio
from collections.abc import Callable
from email.message import Message
from typing import Any, TypeVar

from fastapi import Request
from starlette.requests import ClientDisconnect

from serving_api.errors import InvalidBody, PayloadTooLarge, RequestTimeout

MAX_BYTES = 1_000_000
BATCH_BYTES = 5_000_000
"""Limit for endpoints that take many objects at once."""
BODY_SECONDS = 120
"""Time limit for a whole body: ten megabytes at 0.7 Mbit/s."""

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])
_ATTRIBUTE = "__takes_up_to__"


def takes_up_to(size: int) -> Callable[[Endpoint], Endpoint]:
    """Return a decorator that allows an endpoint bodies larger than MAX_BYTES."""

    def declare(endpoint: Endpoint) -> Endpoint:
        setattr(endpoint, _ATTRIBUTE, size)
        return endpoint

    return declare


def body_limit_of(endpoint: Callable[..., Any]) -> int:
    """Return an endpoint's body limit in bytes."""
    size: int = getattr(endpoint, _ATTRIBUTE, MAX_BYTES)
    return size


async def read_body(request: Request, most: int = MAX_BYTES) -> bytes:
    """Return the body and cache it on the request; `request.state.body_bytes` is its size.

    Raises PayloadTooLarge, InvalidBody, RequestTimeout.
    """
    body = await read_at_most(most, request, PayloadTooLarge.than(most))
    if body and not _is_json(request):
        raise InvalidBody.at("Content-Type", "send JSON as application/json")
    request.state.body_bytes = len(body)
    request._body = body  # noqa: SLF001 - where request.body() caches it
    return body


async def read_at_most(size: int, request: Request, refusal: PayloadTooLarge) -> bytes:
    """Return the body. Raises `refusal` above `size` bytes, else as `read_body`."""
    if _announced(request) > size:
        raise refusal
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for chunk in request.stream():
                if len(body) + len(chunk) > size:
                    raise refusal
                body += chunk
    except TimeoutError as late:
        raise RequestTimeout from late
    except ClientDisconnect as cut:
        raise InvalidBody.at("body", "ended early") from cut
    return bytes(body)


def _announced(request: Request) -> int:
    length = request.headers.get("Content-Length", "")
    return int(length) if length.isascii() and length.isdigit() else 0


def _is_json(request: Request) -> bool:
    header = Message()
    header["Content-Type"] = request.headers.get("Content-Type", "")
    subtype = header.get_content_subtype()
    is_application = header.get_content_maintype() == "application"
    return is_application and (subtype == "json" or subtype.endswith("+json"))
