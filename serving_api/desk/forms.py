"""From the fields of a form to what a service takes."""

from typing import TypeVar

from pydantic import BaseModel, ValidationError

from serving_api.errors import InvalidBody
from serving_api.http.error_handlers import issues_of

Body = TypeVar("Body", bound=BaseModel)


def body_of(kind: type[Body], /, **fields: object) -> Body:
    """Return a body as an endpoint would have got it. Raises InvalidBody."""
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        found = [{**one, "loc": ("body", *one["loc"])} for one in error.errors()]
        raise InvalidBody(issues_of(found)) from error


def text_of(sent: str) -> str | None:
    """Return a text that people wrote, None where there is none; browsers send CRLF."""
    return sent.replace("\r\n", "\n").strip() or None
