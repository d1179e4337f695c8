"""Refusals in the words of the protocol: `{error, error_description}` and no envelope.

What belongs here: their shape. Errors of the REST API are `serving_api.errors`'.
"""

from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from fastapi import Request, Response
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute

from serving_api.pages import in_a_slot

UNAUTHORIZED = 401
BAD_REQUEST = 400
CHALLENGE = 'Basic realm="OAuth"'


class Refusal(Exception):  # noqa: N818 - not every refusal is an error of the program
    """A request that is refused; `code` is one of RFC 6749, 7591 or 8707."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        self.message = message
        super().__init__(message)

    @property
    def status(self) -> int:
        """RFC 6749 section 5.2: 401 where it is not known who asks."""
        return UNAUTHORIZED if self.code == "invalid_client" else BAD_REQUEST

    @property
    def as_fields(self) -> Mapping[str, str]:
        """What the program is told, in a body or in the query of its address."""
        return {"error": self.code, "error_description": self.message}

    @property
    def headers(self) -> Mapping[str, str]:
        """RFC 9110 asks every 401 to name a scheme; RFC 6749 knows this one for programs."""
        return {"WWW-Authenticate": CHALLENGE} if self.status == UNAUTHORIZED else {}


def required(form: Mapping[str, str], name: str) -> str:
    """Return a field of a form. Raises Refusal where it is missing."""
    if name not in form:
        raise Refusal("invalid_request", f"{name} is missing")
    return form[name]


class ProtocolRoute(APIRoute):
    """A route that programs ask; its refusals are the protocol's."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **declared: Any) -> None:
        super().__init__(path, in_a_slot(endpoint), **declared)

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the endpoint's handler, refusals told as the protocol has it."""
        handle = super().get_route_handler()

        async def handle_or_refuse(request: Request) -> Response:
            try:
                return await handle(request)
            except Refusal as refusal:
                return JSONResponse(refusal.as_fields, refusal.status, refusal.headers)

        return handle_or_refuse
