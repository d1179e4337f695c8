"""From the fields of a form to what a service takes."""

import re
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, TypeVar
from uuid import UUID

from pydantic import BaseModel, ValidationError, model_validator

from serving_api.errors import InvalidBody, InvalidRequest
from serving_api.http.error_handlers import issues_of
from serving_api.kit.schemas import EARLIEST_DAY, LATEST_DAY
from serving_api.resources.tracking.share_links.pins import is_pin
from warehouse.zones import start_of

MOST_DIGITS = 18
"""As many fit where whole numbers are kept."""
WRITE_NUMBER = "Write a whole number (1000 or 1,000)"

# Much of the world writes 1,50 for one and a half, and 1.000,00 for a thousand: a comma that is
# not between thousands is refused, never left out.
_WRITTEN = re.compile(r"([0-9]+|[1-9][0-9]{0,2}(?:,[0-9]{3})+)(?:\.([0-9]+))?")

Body = TypeVar("Body", bound=BaseModel)
Choice = TypeVar("Choice", bound=str)


class FormQuery(BaseModel):
    """The query of a page; forms send empty fields too, which are left out."""

    @model_validator(mode="before")
    @classmethod
    def _drop_empty_fields(cls, sent: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in sent.items() if value != ""}


def body_of(kind: type[Body], /, **fields: object) -> Body:
    """Return a body as an endpoint would have got it. Raises InvalidBody."""
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        errors = [{**detail, "loc": ("body", *detail["loc"])} for detail in error.errors()]
        raise InvalidBody(issues_of(errors)) from error


def search_of(sent: str) -> str | None:
    """Return what is searched for, None where there is nothing; no text has the NUL character."""
    return sent.replace("\x00", "").strip()[:200] or None


def text_of(sent: str) -> str | None:
    """Return a text that people wrote, None where there is none; browsers send CRLF."""
    return sent.replace("\r\n", "\n").strip() or None


def day_in(fields: Mapping[str, str], name: str) -> date | None:
    """Return the day in a field, None where it is empty. Raises InvalidBody."""
    sent = fields.get(name, "").strip()
    try:
        day = date.fromisoformat(sent) if sent else None
    except ValueError:
        raise InvalidBody.at(name, "Choose a day, or write it as YYYY-MM-DD") from None
    if day and not EARLIEST_DAY <= day <= LATEST_DAY:
        raise InvalidBody.at(name, "Choose a day of the years 2000 to 2099")
    return day


def decimal_in(
    fields: Mapping[str, str], name: str, write: str, *, digits: int, decimals: int
) -> Decimal | None:
    """Return the number in a field, None where it is empty; commas stand between thousands only.

    It has at most so many digits before the point, and `decimals` behind it. Raises InvalidBody,
    which says how to `write` it.
    """
    sent = fields.get(name, "").strip()
    if not sent:
        return None
    written = _WRITTEN.fullmatch(sent)
    if written is None or len(written[2] or "") > decimals:
        raise InvalidBody.at(name, write)
    whole = written[1].replace(",", "")
    if len(whole) > digits:
        raise InvalidBody.at(name, write)
    return Decimal(f"{whole}.{written[2] or 0}")


def number_in(fields: Mapping[str, str], name: str) -> int | None:
    """Return the whole number in a field, None where it is empty. Raises InvalidBody."""
    number = decimal_in(fields, name, WRITE_NUMBER, digits=MOST_DIGITS, decimals=0)
    return None if number is None else int(number)


def cents_in(fields: Mapping[str, str], name: str) -> int | str:
    """Return the cents that a page put in a field; what are none stays, for the body to refuse."""
    sent = fields.get(name, "")
    digits = sent.removeprefix("-")
    is_number = digits.isascii() and digits.isdecimal() and len(digits) <= MOST_DIGITS
    return int(sent) if is_number else sent


def end_of_day_in(fields: Mapping[str, str], name: str, zone: str) -> str | None:
    """Return when the day in a field ends in a zone, as bodies take instants; None where empty.

    Raises InvalidBody.
    """
    day = day_in(fields, name)
    return start_of(day + timedelta(days=1), zone).isoformat() if day else None


def pin_in(fields: Mapping[str, str], name: str) -> str | None:
    """Return the PIN in a field, None where it is empty. Raises InvalidBody."""
    pin = text_of(fields.get(name, ""))
    if pin is not None and not is_pin(pin):
        raise InvalidBody.at(name, "A PIN has exactly 4 digits")
    return pin


def chosen_in(fields: Mapping[str, str], choices: Iterable[Choice]) -> tuple[Choice, list[UUID]]:
    """Return which button was pressed, and the ids that it is about, each once and in one order.

    A button is called by what it decides, and its value has the ids with commas, or is SELECTED:
    those whose boxes are ticked. Raises InvalidRequest.
    """
    for choice in choices:
        if choice in fields:
            return choice, _ids(fields, fields[choice])
    raise InvalidRequest("Choose what becomes of which ones")


SELECTED = "selected"
"""The value of a button about the ticked boxes, and how their names begin: `selected.<id>`."""


def _ids(fields: Mapping[str, str], chosen: str) -> list[UUID]:
    sent = chosen.split(",")
    if chosen == SELECTED:
        sent = [name.partition(".")[2] for name in fields if name.startswith(f"{SELECTED}.")]
        if not sent:
            raise InvalidRequest("Select at least one first")
    try:
        return sorted({UUID(text) for text in sent})
    except ValueError:
        raise InvalidRequest("Choose from those on the page") from None
