"""Forms of pages: fields and files, accepted only from this origin."""

import hashlib
from collections.abc import AsyncGenerator, Callable
from typing import Annotated, Any, TypeVar
from urllib.parse import parse_qsl

from fastapi import Depends, Request
from python_multipart.multipart import parse_options_header
from starlette.formparsers import MultiPartException, MultiPartParser

from serving_api.errors import Forbidden, InvalidRequest, PayloadTooLarge
from serving_api.http.bodies import read_at_most

MAX_BYTES = 65_536
"""50 pasted creators, or the longest note and the one it replaces: 9 bytes a Chinese character."""
MAX_FIELDS = 260
"""A rule with the maximum number of tiers has two fields each, and 100 creators have one each."""
MEDIA_TYPE = "application/x-www-form-urlencoded"
WITH_FILE = "multipart/form-data"
MAX_FILE_BYTES = 4 << 20
"""Limit of a form with a file, above the file's own limit so that its field can show the error."""

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])
_TAKES_FILE = "__takes_file__"


def takes_file(endpoint: Endpoint) -> Endpoint:
    setattr(endpoint, _TAKES_FILE, True)
    return endpoint


async def sent_fields(request: Request) -> dict[str, str]:
    """Return a form's fields, the last of each name; of a file its digest (see `file_of`).

    Raises Forbidden for other origins, InvalidRequest, PayloadTooLarge, RequestTimeout.
    """
    _require_same_origin(request)
    media_type = request.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if media_type == WITH_FILE and hasattr(request.scope.get("endpoint"), _TAKES_FILE):
        return await _fields_and_file(request)
    if media_type != MEDIA_TYPE:
        raise InvalidRequest("Submit the form on the page")
    body = await read_at_most(MAX_BYTES, request, PayloadTooLarge(_TOO_LONG))
    try:
        text = body.decode("ascii")
        return dict(parse_qsl(text, keep_blank_values=True, max_num_fields=MAX_FIELDS))
    except ValueError as error:
        raise InvalidRequest("The form cannot be parsed") from error


_TOO_LONG = "This is too long. Submit it in parts."
_FILE_TOO_LARGE = "The file is too large. Choose a smaller one."


async def _fields_and_file(request: Request) -> dict[str, str]:
    body = await read_at_most(MAX_FILE_BYTES, request, PayloadTooLarge(_FILE_TOO_LARGE))
    if b"charset" in parse_options_header(request.headers["Content-Type"])[1]:
        # Browsers send none. Some codecs raise other errors, or return lone surrogates.
        raise InvalidRequest("The form cannot be parsed")
    parser = MultiPartParser(
        request.headers, _whole(body), max_files=1, max_fields=MAX_FIELDS, max_part_size=MAX_BYTES
    )
    try:
        form = await parser.parse()
    except MultiPartException as error:
        raise InvalidRequest("The form cannot be parsed") from error
    fields: dict[str, str] = {}
    request.state.files = {}
    for name, value in form.items():
        if isinstance(value, str):
            fields[name] = value
        else:
            content = await value.read()
            request.state.files[name] = content
            fields[name] = hashlib.sha256(content).hexdigest()
    await form.close()
    return fields


async def _whole(body: bytes) -> AsyncGenerator[bytes, None]:
    yield body


def file_of(request: Request, name: str) -> bytes:
    """Return a field's file, empty if none was chosen."""
    content: bytes = getattr(request.state, "files", {}).get(name, b"")
    return content


def _require_same_origin(request: Request) -> None:
    """Raise Forbidden for forms of other sites; non-browser clients send no such headers."""
    site = request.headers.get("Sec-Fetch-Site", "same-origin")
    origin = request.headers.get("Origin")
    is_own = origin is None or origin.partition("://")[2] == request.headers.get("Host")
    if site not in {"same-origin", "none"} or not is_own:
        raise Forbidden("The form was sent from another site")


Fields = Annotated[dict[str, str], Depends(sent_fields)]
