"""OAuth errors: `{error, error_description}` without envelope.

`serving_api.errors` has the errors of the REST API.
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


class Refusal(Exception):  # noqa: N818 - not every refusal is the client's error
    """An OAuth error; `code` is from RFC 6749, 7591 or 8707."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        self.message = message
        super().__init__(message)

    @property
    def status(self) -> int:
        """401 for an unknown client (RFC 6749 section 5.2), otherwise 400."""
        return UNAUTHORIZED if self.code == "invalid_client" else BAD_REQUEST

    @property
    def as_fields(self) -> Mapping[str, str]:
        """The error's fields, for a body or a redirect URI."""
        return {"error": self.code, "error_description": self.message}

    @property
    def headers(self) -> Mapping[str, str]:
        """RFC 9110 requires a scheme in every 401; RFC 6749 defines this one for clients."""
        return {"WWW-Authenticate": CHALLENGE} if self.status == UNAUTHORIZED else {}


def required(form: Mapping[str, str], name: str) -> str:
    """Return a form field. Raises Refusal if it is missing."""
    if name not in form:
        raise Refusal("invalid_request", f"{name} is missing")
    return form[name]


class ProtocolRoute(APIRoute):
    """A route for apps, with OAuth errors."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **declared: Any) -> None:
        super().__init__(path, in_a_slot(endpoint), **declared)

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler with OAuth errors."""
        handle = super().get_route_handler()

        async def handle_or_refuse(request: Request) -> Response:
            try:
                return await handle(request)
            except Refusal as refusal:
                return JSONResponse(refusal.as_fields, refusal.status, refusal.headers)

        return handle_or_refuse
