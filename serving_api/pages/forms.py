"""What a browser sends from a form, and whether it was ours."""

from typing import Annotated
from urllib.parse import parse_qsl

from fastapi import Depends, Request

from serving_api.errors import Forbidden, InvalidRequest, PayloadTooLarge
from serving_api.http.bodies import read_at_most

MAX_BYTES = 16_384
MAX_FIELDS = 20
MEDIA_TYPE = "application/x-www-form-urlencoded"


async def sent_fields(request: Request) -> dict[str, str]:
    """Return the fields of a form, the last of each name.

    Raises Forbidden where another site sent it, InvalidRequest, PayloadTooLarge, RequestTimeout.
    """
    _require_same_origin(request)
    if request.headers.get("Content-Type", "").partition(";")[0].strip().lower() != MEDIA_TYPE:
        raise InvalidRequest("Send the form of the page")
    body = await read_at_most(MAX_BYTES, request, PayloadTooLarge.than(MAX_BYTES))
    try:
        text = body.decode("ascii")
        return dict(parse_qsl(text, keep_blank_values=True, max_num_fields=MAX_FIELDS))
    except ValueError as error:
        raise InvalidRequest("The form cannot be read") from error


def _require_same_origin(request: Request) -> None:
    """Raise Forbidden for a form on another site; what is no browser says nothing of it."""
    site = request.headers.get("Sec-Fetch-Site", "same-origin")
    origin = request.headers.get("Origin")
    is_own = origin is None or origin.partition("://")[2] == request.headers.get("Host")
    if site not in {"same-origin", "none"} or not is_own:
        raise Forbidden("The form was sent from another site")


Fields = Annotated[dict[str, str], Depends(sent_fields)]
