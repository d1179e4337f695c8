"""Field types and base classes of request bodies and responses, and bodies of several kinds.

JSON is strict: "5" is not a number and 1 not a boolean. Values that PostgreSQL cannot store (NUL,
lone surrogates, non-finite numbers) are rejected. Kinds are distinguished by one field; their tags
are in parentheses in unions and error locations, so that they cannot be field names.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from typing import Annotated, Any, Literal, Self, TypeVar
from unicodedata import category

from fastapi import Query
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
    Tag,
    WithJsonSchema,
    model_validator,
)

from warehouse.platforms import TrackedPlatform

MAX_METADATA_BYTES = 16_384
LONGEST_REMARK = 1000
COLUMNS: Mapping[str, str] = {"org_id": "organization_id", "metadata": "details"}
"""Columns of fields with another name."""
EARLIEST_DAY, LATEST_DAY = date(2000, 1, 1), date(2099, 12, 31)

Model = TypeVar("Model", bound=BaseModel)

Params = Annotated[Model, Query()]
"""The query parameters of an endpoint, as fields of a model."""

Platform = Literal[TrackedPlatform, "youtube"]
"""`youtube` is reserved: filters accept it and find nothing, writes reject it."""


def _storable_text(text: str) -> str:
    if "\x00" in text:
        raise ValueError("must not contain the NUL character")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("must not contain a lone surrogate")
    return text


def is_blank(text: str) -> bool:
    """Return whether nothing of a text is visible, such as zero-width characters alone."""
    return all(category(character) in {"Cc", "Cf", "Zl", "Zp", "Zs"} for character in text)


def _visible_text(text: str) -> str:
    if is_blank(text):
        raise ValueError("must have a visible character")
    return _storable_text(text)


def _strict_day(value: object) -> object:
    is_text = isinstance(value, str) and re.fullmatch(r"\d{4}-\d{2}-\d{2}", value, re.ASCII)
    if not is_text and not isinstance(value, date | None):
        raise ValueError("must be a date as YYYY-MM-DD")
    return value


def _on_a_supported_day(at: datetime) -> datetime:
    _supported_day(at.date())
    return at


def _supported_day(day: date) -> date:
    if not EARLIEST_DAY <= day <= LATEST_DAY:
        raise ValueError(f"must be between {EARLIEST_DAY} and {LATEST_DAY}")
    return day


def _strict_instant(value: object) -> object:
    if not isinstance(value, str) or not re.match(r"\d{4}-\d{2}-\d{2}[Tt ]\d", value, re.ASCII):
        raise ValueError("must be an ISO 8601 timestamp with its offset")
    # pydantic 2 requires minutes in offsets; ISO 8601, PostgreSQL and DuckDB do not.
    return re.sub(r"(:[0-9.]+[+-][0-9]{2})$", r"\1:00", value)


def _in_utc(instant: datetime) -> datetime:
    try:
        return instant.astimezone(UTC)
    except OverflowError:
        raise ValueError("must be in the years 1 to 9999 in UTC") from None


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


def _trimmed(longest: int) -> StringConstraints:
    return StringConstraints(strip_whitespace=True, min_length=1, max_length=longest)


Text = Annotated[str, AfterValidator(_storable_text)]
Name = Annotated[str, _trimmed(200), AfterValidator(_visible_text)]
Label = Annotated[str, _trimmed(100), AfterValidator(_visible_text)]
Remark = Annotated[str, _trimmed(LONGEST_REMARK), AfterValidator(_visible_text)]
"""A few sentences. Forms have the same limit in characters of any script."""
Search = Annotated[str, _trimmed(200), AfterValidator(_storable_text)]
CalendarDay = Annotated[
    date, BeforeValidator(_strict_day), WithJsonSchema({"type": "string", "format": "date"})
]
"""A calendar day, `YYYY-MM-DD`, of any year."""
Day = Annotated[CalendarDay, AfterValidator(_supported_day)]
"""A calendar day, `YYYY-MM-DD`, in the years 2000 to 2099."""
Instant = Annotated[AwareDatetime, BeforeValidator(_strict_instant), AfterValidator(_in_utc)]
"""A timestamp with an explicit offset, converted to UTC."""
SupportedInstant = Annotated[Instant, AfterValidator(_on_a_supported_day)]
Flag = StrictBool
Metadata = Annotated[dict[str, JsonValue], AfterValidator(_storable)]
"""Custom data: an object of at most 16 KiB as JSON."""


def unsent() -> Any:
    """Return the default of a field in Changes: absent, which differs from null."""
    return Field(default_factory=lambda: None)


class Body(BaseModel):
    """A request body; unknown fields are rejected."""

    model_config = ConfigDict(extra="forbid")


Version = Annotated[str, StringConstraints(max_length=64)]
"""The version of a resource that a PATCH expects."""
EXPECTED = Field(
    default=None, description="The version that the change is based on. 409 if it is not current"
)


class Changes(Body):
    """The body of a PATCH: omitted fields stay unchanged, and at least one is required.

    Check `sends` before reading a field.
    """

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    @model_validator(mode="before")
    @classmethod
    def _something(cls, sent: Any) -> Any:
        if sent == {}:
            raise ValueError("send at least one field")
        return sent

    def sends(self, field: str) -> bool:
        """Return whether the field was sent, even as null."""
        return field in self.model_fields_set

    def apply_to(self, row: object, *fields: str) -> None:
        """Set those of the `fields` that were sent."""
        for field in fields:
            if self.sends(field):
                setattr(row, COLUMNS.get(field, field), getattr(self, field))


class ReadmeChanges(Changes):
    """Changes with `readme`, and the `expected_readme_version` that it replaces."""

    @model_validator(mode="after")
    def _version_of_what_is_replaced(self) -> Self:
        version = getattr(self, "expected_readme_version", None)
        if version is not None and not self.sends("readme"):
            raise ValueError("expected_readme_version needs readme")
        return self


ONE, MANY = "(one)", "(many)"
"""Tags of bodies that are one object or a batch."""


def one_or_many(batch_field: str) -> Discriminator:
    """Return the discriminator of one object and `{batch_field: [...]}`."""

    def tag_of(body: object) -> str:
        is_batch = isinstance(body, dict) and batch_field in body
        return MANY if is_batch or isinstance(body, Batch) else ONE

    return Discriminator(tag_of)


class Batch(Body):
    """A body with several objects in one field."""


Readme = Annotated[Text, Field(description="Markdown, at most 50,000 characters")]


UNKNOWN_KIND = "unknown_kind:"
"""Prefix of the error type for an unknown kind; the field name follows."""

_TAG = re.compile(r"\(\w+\)")


def tag(kind: str) -> Tag:
    """Return the tag of a kind, for its type in a union."""
    return Tag(f"({kind})")


def discriminated_by(field: str, *kinds: str) -> Discriminator:
    """Return the discriminator of bodies whose `field` names the kind."""

    def tag_of(body: object) -> str | None:
        kind = body.get(field) if isinstance(body, dict) else getattr(body, field, None)
        return f"({kind})" if kind in kinds else None

    return Discriminator(
        tag_of,
        custom_error_type=UNKNOWN_KIND + field,
        custom_error_message="must be one of " + ", ".join(kinds),
    )


def is_tag(part: int | str) -> bool:
    return isinstance(part, str) and _TAG.fullmatch(part) is not None
