"""Convert form fields to service arguments."""

import re
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, TypeVar
from uuid import UUID

from pydantic import BaseModel, ValidationError, model_validator

from serving_api.errors import InvalidBody, InvalidRequest
from serving_api.http.issues import issues_of
from serving_api.kit.schemas import EARLIEST_DAY, LATEST_DAY
from serving_api.resources.tracking.share_links.schemas import is_pin
from warehouse.zones import start_of

MOST_DIGITS = 18
"""Digits that fit into a bigint."""
WRITE_NUMBER = "Enter a whole number (1000 or 1,000)"

# Many locales write 1,50 for 1.5 and 1.000,00 for 1,000.00: a comma that does not separate
# thousands is an error, never dropped.
_WRITTEN = re.compile(r"([0-9]+|[1-9][0-9]{0,2}(?:,[0-9]{3})+)(?:\.([0-9]+))?")

Body = TypeVar("Body", bound=BaseModel)
Choice = TypeVar("Choice", bound=str)


class FormQuery(BaseModel):
    """A page's query; forms send empty fields, which are removed."""

    @model_validator(mode="before")
    @classmethod
    def _drop_empty_fields(cls, sent: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in sent.items() if str(value).strip()}


def body_of(kind: type[Body], /, **fields: object) -> Body:
    """Validate a body as its endpoint does. Raises InvalidBody."""
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        errors = [{**detail, "loc": ("body", *detail["loc"])} for detail in error.errors()]
        raise InvalidBody(issues_of(errors)) from error


def search_of(sent: str) -> str | None:
    """Return the search text, or None if empty. PostgreSQL texts cannot contain NUL."""
    return sent.replace("\x00", "").strip()[:200] or None


def text_of(sent: str) -> str | None:
    """Return the text, or None if empty. Browsers send CRLF."""
    return sent.replace("\r\n", "\n").strip() or None


def day_in(fields: Mapping[str, str], name: str) -> date | None:
    """Return the field's date, or None if empty. Raises InvalidBody."""
    sent = fields.get(name, "").strip()
    try:
        day = date.fromisoformat(sent) if sent else None
    except ValueError:
        raise InvalidBody.at(name, "Enter a date as YYYY-MM-DD") from None
    if day and not EARLIEST_DAY <= day <= LATEST_DAY:
        raise InvalidBody.at(name, "Enter a date from 2000 to 2099")
    return day


def decimal_in(
    fields: Mapping[str, str], name: str, write: str, *, digits: int, decimals: int
) -> Decimal | None:
    """Return the field's number, or None if empty; commas may separate thousands only.

    At most `digits` before and `decimals` after the point. Raises InvalidBody with the message
    `write`.
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
    """Return the field's integer, or None if empty. Raises InvalidBody."""
    number = decimal_in(fields, name, WRITE_NUMBER, digits=MOST_DIGITS, decimals=0)
    return None if number is None else int(number)


def cents_in(fields: Mapping[str, str], name: str) -> int | str:
    """Return the hidden field's cents; other text stays unchanged and fails body validation."""
    sent = fields.get(name, "")
    digits = sent.removeprefix("-")
    is_number = digits.isascii() and digits.isdecimal() and len(digits) <= MOST_DIGITS
    return int(sent) if is_number else sent


def end_of_day_in(fields: Mapping[str, str], name: str, zone: str) -> str | None:
    """Return the last second of the field's day in the time zone, or None if empty.

    As ISO 8601: the end itself would be listed as the next day. Raises InvalidBody.
    """
    if (day := day_in(fields, name)) is None:
        return None
    return (start_of(day + timedelta(days=1), zone) - timedelta(seconds=1)).isoformat()


def pin_in(fields: Mapping[str, str], name: str) -> str | None:
    """Return the field's PIN, or None if empty. Raises InvalidBody."""
    pin = text_of(fields.get(name, ""))
    if pin is not None and not is_pin(pin):
        raise InvalidBody.at(name, "A PIN has exactly 4 digits")
    return pin


def chosen_in(fields: Mapping[str, str], choices: Iterable[Choice]) -> tuple[Choice, list[UUID]]:
    """Return the pressed button's name and its ids, sorted and unique.

    The button's value is a comma-separated list of ids, or SELECTED for the ticked boxes. Raises
    InvalidRequest.
    """
    for choice in choices:
        if choice in fields:
            return choice, _ids(fields, fields[choice])
    raise InvalidRequest("Choose an action and at least one item")


SELECTED = "selected"
"""The value of a button for ticked boxes, which are named `selected.<id>`."""


def _ids(fields: Mapping[str, str], chosen: str) -> list[UUID]:
    sent = chosen.split(",")
    if chosen == SELECTED:
        sent = [name.partition(".")[2] for name in fields if name.startswith(f"{SELECTED}.")]
        if not sent:
            raise InvalidRequest("Select at least one item first")
    try:
        return sorted({UUID(text) for text in sent})
    except ValueError:
        raise InvalidRequest("Choose items on this page") from None
