"""Read request bodies, mostly JSON, up to the endpoint's limit; validate large ones in a thread.

Bodies above the limit fail while they arrive, with or without Content-Length. Slow bodies time
out. FastAPI's own fields validate. It then finds the parsed value where it expects JSON, and
reports errors of path, query and body together as usual.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from email.message import Message
from typing import Any, NamedTuple, TypeVar

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from starlette.requests import ClientDisconnect

from serving_api.errors import (
    Busy,
    InvalidBody,
    PayloadTooLarge,
    RateLimitExceeded,
    RequestTimeout,
)
from serving_api.kit.json_text import SMALL_BYTES, parsed_aside
from serving_api.kit.threads import one_by_one
from serving_api.rate_limit.allowances import network_behind

MAX_BYTES = 1_000_000
BATCH_BYTES = 5_000_000
"""Limit for endpoints that take many objects at once."""
BODY_SECONDS = 120
"""Time limit for a whole body: ten megabytes at 0.7 Mbit/s."""
SLOW_SECONDS = 1.0
"""After a body that took longer, the caller is authenticated again: its key may have been revoked,
or its member removed, meanwhile."""
MOST_OF_NETWORK = 128 << 20
"""Bytes of bodies of a network's requests under way in a process: a dozen receipts."""
MOST_OF_CREDENTIAL = 32 << 20
"""The same of a key, grant or member: half a dozen batches."""
MOST_OF_CUSTOMER = 128 << 20
"""The same of all keys of an organization, and of all callers without a key together."""
MOST_OF_PROCESS = 256 << 20
AGAIN_SECONDS = 10
_in_memory: Counter[Hashable] = Counter()
"""These bytes by network, credential and organization, of KEYLESS callers, and of the PROCESS."""
KEYLESS, PROCESS = "keyless", "process"

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


class ReadRequest(Request):
    """A request whose body was read, and parsed by `validate_body`."""

    read: bytes

    async def body(self) -> bytes:
        return self.read

    async def json(self) -> Any:
        return self.state.json


async def read_body(request: Request, most: int = MAX_BYTES) -> ReadRequest:
    """Return the request with its body; `request.state.body_bytes` is its size.

    Raises PayloadTooLarge, InvalidBody, RequestTimeout, RateLimitExceeded.
    """
    body = await read_at_most(most, request, PayloadTooLarge.than(most))
    if body and not _is_json(request):
        raise InvalidBody.at("Content-Type", "send JSON as application/json")
    request.state.body_bytes = len(body)
    read = ReadRequest(request.scope, request.receive)
    read.read = body
    return read


async def read_at_most(size: int, request: Request, refusal: PayloadTooLarge) -> bytes:
    """Return the body. Raises `refusal` above `size` bytes, Busy, else as `read_body`."""
    if _announced(request) > size:
        raise refusal
    body = bytearray()
    count = request.state.at_end.enter_context(_counting(request))
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for chunk in request.stream():
                if len(body) + len(chunk) > size:
                    raise refusal
                count(len(chunk))
                body += chunk
    except TimeoutError as late:
        raise RequestTimeout from late
    except ClientDisconnect as cut:
        raise InvalidBody.at("body", "ended early") from cut
    return bytes(body)


@contextmanager
def _counting(request: Request) -> Iterator[Callable[[int], None]]:
    """Yield a function that counts bytes in memory until the block ends.

    It raises RateLimitExceeded and Busy.
    """
    most_of: dict[Hashable, int] = {network_behind(request): MOST_OF_NETWORK}
    caller = getattr(request.state, "caller", None)
    if caller:
        most_of[caller.credential_id or caller.user_id] = MOST_OF_CREDENTIAL
    most_of[caller.organization_id if caller else KEYLESS] = MOST_OF_CUSTOMER
    most_of[PROCESS] = MOST_OF_PROCESS
    counted: Counter[Hashable] = Counter()

    def count(size: int) -> None:
        for whose, most in most_of.items():
            if _in_memory[whose] + size > most:
                too_many = RateLimitExceeded("bodiesAtOnce", retry_after=AGAIN_SECONDS)
                raise Busy if whose in {KEYLESS, PROCESS} else too_many
        _in_memory.update(dict.fromkeys(most_of, size))
        counted.update(dict.fromkeys(most_of, size))

    try:
        yield count
    finally:
        _in_memory.subtract(counted)
        for whose in most_of:
            if not _in_memory[whose]:
                del _in_memory[whose]


def _announced(request: Request) -> int:
    length = request.headers.get("Content-Length", "")
    return int(length) if length.isascii() and length.isdigit() else 0


def _is_json(request: Request) -> bool:
    header = Message()
    header["Content-Type"] = request.headers.get("Content-Type", "")
    subtype = header.get_content_subtype()
    is_application = header.get_content_maintype() == "application"
    return is_application and (subtype == "json" or subtype.endswith("+json"))


Errors = list[dict[str, Any]]

WRONG = ""
"""A placeholder for an invalid body: it fails validation of every endpoint quickly."""

_LOCATION = "body"


class BodyErrors(NamedTuple):
    """Errors of a body: invalid fields, or not valid JSON."""

    errors: Errors
    unread: InvalidBody | None = None

    def refusal(self, error: RequestValidationError) -> Exception:
        """Return the request's error, including the errors of its body."""
        if self.unread or not self.errors:
            return self.unread or error
        others = [each for each in error.errors() if each["loc"][0] != _LOCATION]
        return RequestValidationError([*others, *self.errors])


Validate = Callable[..., tuple[Any, Any]]
"""FastAPI's validation of a route's body: the value or None, and the errors."""


async def validate_body(request: Request, validate: Validate) -> BodyErrors:
    """Parse the body into `request.state.json`, and validate a large one.

    Raises nothing yet: an invalid body with an Idempotency-Key is stored as its response.
    """
    body = await request.body()
    if not body:
        return BodyErrors([])
    try:
        value: Any = await parsed_aside(body)
    except InvalidBody as unread:
        request.state.json = WRONG
        return BodyErrors([], unread)
    errors: Errors = []
    if len(body) > SMALL_BYTES and value is not None:
        value, errors = await one_by_one(_validated, validate, value)
    request.state.json = WRONG if errors else value
    return BodyErrors(errors)


def _validated(validate: Validate, value: Any) -> tuple[Any, Errors]:
    return validate(value, {}, loc=(_LOCATION,))
