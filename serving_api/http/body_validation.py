"""Validate large bodies in a thread, so that the event loop stays responsive.

FastAPI's own fields validate. It then finds the parsed value where it expects JSON, and reports
errors of path, query and body together as usual.
"""

from typing import Any, NamedTuple

from fastapi import Request
from fastapi._compat import ModelField
from fastapi.exceptions import RequestValidationError

from serving_api.errors import InvalidBody
from serving_api.kit.json_text import SMALL_BYTES, parsed_aside
from serving_api.kit.threads import one_by_one

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


async def validate_body(request: Request, field: ModelField) -> BodyErrors:
    """Parse the body, and validate a large one.

    Raises nothing yet: an invalid body with an Idempotency-Key is stored as its response.
    """
    body = await request.body()
    if not body:
        return BodyErrors([])
    try:
        value: Any = await parsed_aside(body)
    except InvalidBody as unread:
        request._json = WRONG  # noqa: SLF001 - where request.json() caches it
        return BodyErrors([], unread)
    errors: Errors = []
    if len(body) > SMALL_BYTES and value is not None:
        value, errors = await one_by_one(_validated, field, value)
    request._json = WRONG if errors else value  # noqa: SLF001 - where request.json() caches it
    return BodyErrors(errors)


def _validated(field: ModelField, value: Any) -> tuple[Any, Errors]:
    return field.validate(value, {}, loc=(_LOCATION,))
