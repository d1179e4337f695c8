"""Reading a request's body, mostly JSON, and never more of it than the API takes.

A body that is too large is refused while it comes in, whether or not its length was announced.
"""

from email.message import Message

from fastapi import Request
from starlette.requests import ClientDisconnect

from serving_api.errors import InvalidBody, PayloadTooLarge

MAX_BYTES = 5_000_000


async def read_body(request: Request) -> bytes:
    """Return the body, kept for whoever reads it next. Raises PayloadTooLarge and InvalidBody."""
    body = await read_at_most(MAX_BYTES, request, PayloadTooLarge())
    if body and not _is_json(request):
        raise InvalidBody.at("Content-Type", "send JSON as application/json")
    request._body = body  # noqa: SLF001 - where request.body() itself keeps it
    return body


async def read_at_most(size: int, request: Request, refusal: PayloadTooLarge) -> bytes:
    """Return the bytes of a body. Raises `refusal` for more than `size`, InvalidBody."""
    if _announced(request) > size:
        raise refusal
    body = bytearray()
    try:
        async for chunk in request.stream():
            if len(body) + len(chunk) > size:
                raise refusal
            body += chunk
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
