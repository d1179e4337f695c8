"""Field types and base classes of request bodies and answers; knows no noun.

JSON is taken literally: "5" is no number and 1 no truth value. What PostgreSQL cannot store (NUL,
half characters, numbers that are not finite) is refused here, so that none of it gets there.
"""

import json
import math
import re
from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    JsonValue,
    StrictBool,
    StringConstraints,
    WithJsonSchema,
    model_validator,
)

from warehouse.platforms import TrackedPlatform

MAX_METADATA_BYTES = 16_384
LONGEST_REMARK = 1000
EARLIEST_DAY, LATEST_DAY = date(2000, 1, 1), date(2099, 12, 31)

Platform = Literal[TrackedPlatform, "youtube"]
"""`youtube` is reserved: filters know it and find nothing, writes refuse it."""


def _storable_text(text: str) -> str:
    if "\x00" in text:
        raise ValueError("must not contain the NUL character")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("must not contain half of a surrogate pair")
    return text


def _strict_day(value: object) -> object:
    if isinstance(value, str) and not re.fullmatch(r"\d{4}-\d{2}-\d{2}", value, re.ASCII):
        raise ValueError("must be a date as YYYY-MM-DD")
    if not isinstance(value, str | date | None):
        raise ValueError("must be a date as YYYY-MM-DD")  # noqa: TRY004 - pydantic's way
    return value


def _on_a_supported_day(at: datetime) -> datetime:
    _supported_day(at.date())
    return at


def _supported_day(day: date) -> date:
    if not EARLIEST_DAY <= day <= LATEST_DAY:
        raise ValueError(f"must lie between {EARLIEST_DAY} and {LATEST_DAY}")
    return day


def _strict_instant(value: object) -> object:
    if not isinstance(value, str) or not re.match(r"\d{4}-\d{2}-\d{2}[Tt ]\d", value, re.ASCII):
        raise ValueError("must be an ISO 8601 timestamp with its offset")
    return value


def _in_utc(instant: datetime) -> datetime:
    try:
        return instant.astimezone(UTC)
    except OverflowError:
        raise ValueError("lies outside the years 1 to 9999 in UTC") from None


def _leaves(value: JsonValue) -> Iterator[JsonValue]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner)
    else:
        yield value


def _storable(metadata: dict[str, JsonValue]) -> dict[str, JsonValue]:
    for leaf in _leaves(metadata):
        if isinstance(leaf, float) and not math.isfinite(leaf):
            raise ValueError("must not contain NaN or infinite numbers")
        if isinstance(leaf, str):
            _storable_text(leaf)
    if len(json.dumps(metadata, ensure_ascii=False).encode()) > MAX_METADATA_BYTES:
        raise ValueError(f"must have at most {MAX_METADATA_BYTES} bytes as JSON")
    return metadata


_Trimmed = StringConstraints(strip_whitespace=True, min_length=1, max_length=200)

Text = Annotated[str, AfterValidator(_storable_text)]
Name = Annotated[str, _Trimmed, AfterValidator(_storable_text)]
Label = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=100),
    AfterValidator(_storable_text),
]
Remark = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_REMARK),
    AfterValidator(_storable_text),
]
"""Some sentences. A form of a page takes as many characters, whatever their script."""
Search = Annotated[str, _Trimmed, AfterValidator(_storable_text)]
Day = Annotated[
    date,
    AfterValidator(_supported_day),
    BeforeValidator(_strict_day),
    WithJsonSchema({"type": "string", "format": "date"}),
]
"""A calendar day, `YYYY-MM-DD`, in the years 2000 to 2099."""
Instant = Annotated[AwareDatetime, BeforeValidator(_strict_instant), AfterValidator(_in_utc)]
"""A timestamp with an explicit offset, kept in UTC."""
SupportedInstant = Annotated[Instant, AfterValidator(_on_a_supported_day)]
Flag = StrictBool
Metadata = Annotated[dict[str, JsonValue], AfterValidator(_storable)]
"""An object of the caller's own, at most 16 KiB as JSON."""


def unsent() -> Any:
    """Return the default of a field of Changes: absent, which is not the same as null."""
    return Field(default_factory=lambda: None)


class Body(BaseModel):
    """A request body: unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


Version = Annotated[str, StringConstraints(max_length=64)]
"""A version of what a PATCH may change, as it was answered."""
EXPECTED = Field(
    default=None, description="The version that the change is made of; another one is 409"
)


class Changes(Body):
    """The body of a PATCH: what is not sent stays as it is, and something has to be sent.

    Fields are read only where `sends` tells that they are there.
    """

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    @model_validator(mode="before")
    @classmethod
    def _something(cls, sent: Any) -> Any:
        if sent == {}:
            raise ValueError("send at least one field")
        return sent

    def sends(self, field: str) -> bool:
        """Tell whether the field was sent, be it as null."""
        return field in self.model_fields_set


class ReadmeChanges(Changes):
    """Changes with `readme`, and `expected_readme_version` to replace it by."""

    @model_validator(mode="after")
    def _version_of_what_is_replaced(self) -> Self:
        version = getattr(self, "expected_readme_version", None)
        if version is not None and not self.sends("readme"):
            raise ValueError("expected_readme_version needs readme")
        return self


ONE, MANY = "(one)", "(many)"
"""Tags of bodies that are one object or a batch (see kit.kinds)."""


def one_or_many(batch_field: str) -> Discriminator:
    """Return how to tell one object from `{batch_field: [...]}`."""

    def tag_of(body: object) -> str:
        is_batch = isinstance(body, dict) and batch_field in body
        return MANY if is_batch or isinstance(body, Batch) else ONE

    return Discriminator(tag_of)


class Batch(Body):
    """A body that holds several objects of a kind in one field."""


Readme = Annotated[Text, Field(description="Markdown, at most 50,000 characters")]
