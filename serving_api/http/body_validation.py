"""Validate large bodies in a thread, so that the event loop goes on answering.

FastAPI's own fields validate it. It finds what was made of the body where it looks for
JSON, takes that as it is, and tells what is wrong with path, query and body together as ever.
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
"""Stands for a body that was found wrong: it is wrong for every endpoint, and soon found so."""

_LOCATION = "body"


class BodyErrors(NamedTuple):
    """What is wrong with a body: its fields, or that it is no JSON that is taken."""

    errors: Errors
    unread: InvalidBody | None = None

    def refusal(self, error: RequestValidationError) -> Exception:
        """Return what is wrong with a request, with what is known to be wrong with its body."""
        if self.unread or not self.errors:
            return self.unread or error
        others = [each for each in error.errors() if each["loc"][0] != _LOCATION]
        return RequestValidationError([*others, *self.errors])


async def validate_body(request: Request, field: ModelField) -> BodyErrors:
    """Parse the body, and validate a large one.

    Nothing is refused yet: who sent a wrong body with an Idempotency-Key is to have that kept.
    """
    body = await request.body()
    if not body:
        return BodyErrors([])
    try:
        value: Any = await parsed_aside(body)
    except InvalidBody as unread:
        request._json = WRONG  # noqa: SLF001 - where request.json() keeps it
        return BodyErrors([], unread)
    errors: Errors = []
    if len(body) > SMALL_BYTES and value is not None:
        value, errors = await one_by_one(_validated, field, value)
    request._json = WRONG if errors else value  # noqa: SLF001 - where request.json() keeps it
    return BodyErrors(errors)


def _validated(field: ModelField, value: Any) -> tuple[Any, Errors]:
    return field.validate(value, {}, loc=(_LOCATION,))
