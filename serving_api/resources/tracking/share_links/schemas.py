"""Bodies and answers of share links (contract, Share link and Share links), and their PINs.

A PIN has four digits, random unless given, and is stored encrypted.
"""

import re
import secrets
from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID, uuid4

from pydantic import BaseModel, BeforeValidator, Field, WithJsonSchema

from serving_api.errors import InvalidPin
from serving_api.kit.envelope import Answer
from serving_api.kit.schemas import Body, Changes, Flag, unsent
from warehouse.encryption import PIN, Encryption
from warehouse.operational import models

Pinned = models.ShareLink | models.ReportLink
"""What a PIN opens."""

_DIGITS = re.compile("[0-9]{4}")


def is_pin(text: str) -> bool:
    return _DIGITS.fullmatch(text) is not None


def checked_pin(sent: object) -> str:
    """Return the PIN that was sent. Raises InvalidPin for any other value or type."""
    if not isinstance(sent, str) or not is_pin(sent):
        raise InvalidPin
    return sent


Pin = Annotated[
    str,
    BeforeValidator(checked_pin),
    WithJsonSchema({"type": "string", "pattern": "^[0-9]{4}$", "examples": ["4821"]}),
]


def random_pin() -> str:
    return f"{secrets.randbelow(10_000):04d}"


def set_pin(link: Pinned, pin: str, encryption: Encryption) -> None:
    """Set the link's PIN: visitors have to enter it again, and failed attempts are reset."""
    link.pin_encrypted = encryption.encrypt(pin, PIN)
    link.pin_id = uuid4()
    link.failed_unlocks = 0
    link.locked_until = None


def read_pin(link: Pinned, encryption: Encryption) -> str | None:
    """Return the link's PIN, or None if the secret key has changed since it was set."""
    return encryption.decrypt_or_none(link.pin_encrypted, PIN)


MAX_BULK = 200

Section = Literal["analytics", "payouts"]

_URL = "https://www.example.com/share/creator/01976b2e-7c00-7c3a-9d7e-3f1c2b4a5d6e"


class Sections(Body):
    """The sections of the page. At least one is required."""

    show_analytics: Flag = True
    show_payouts: Flag = False


class NewShareLink(Sections):
    """Settings of a creator's page. They replace earlier settings."""

    pin: Pin | None = Field(default=None, description="Exactly 4 digits. Random by default")


class ShareLinkChanges(Changes):
    """Changes to a share link. Send `pin` or `regenerate_pin`, not both."""

    enabled: Flag = unsent()
    show_analytics: Flag = unsent()
    show_payouts: Flag = unsent()
    pin: Pin = unsent()
    regenerate_pin: Flag = unsent()


class BulkShare(Sections):
    """Creators to create pages for, all with the same sections."""

    creator_ids: list[UUID] = Field(min_length=1, max_length=MAX_BULK)
    pin_mode: Literal["unique", "shared"] = Field(
        default="unique",
        description="A random PIN for each, or one for all. Tries are counted for each page:"
        " of a `shared` PIN, a person with several links can guess ten times on each",
    )
    pin: Pin | None = Field(default=None, description="Only with `shared`. Random by default")


class ShareLink(BaseModel):
    """A creator's public page. While not enabled, it shows "not available"."""

    url: str = Field(examples=[_URL])
    enabled: bool
    sections: list[Section]
    created_at: datetime


class OpenShareLink(ShareLink):
    """A share link with its PIN."""

    pin: str | None = Field(
        description="Null in a replayed answer, and if it cannot be read: set another",
        examples=["4821"],
    )


AnyShareLink = OpenShareLink | ShareLink
"""With the PIN if it is new, or if it was requested and may be seen."""


class Shared(BaseModel):
    """A creator whose page was created or changed."""

    creator_id: UUID
    url: str = Field(examples=[_URL])
    pin: str | None = Field(description="Null in a replayed answer", examples=["4821"])
    sections: list[Section]
    status: Literal["created", "updated"]


class Skipped(BaseModel):
    """An id that is not a creator of the organization, or of a removed one."""

    creator_id: UUID
    url: None = None
    pin: None = None
    sections: None = None
    status: Literal["skipped"] = "skipped"
    error: str


class BulkMeta(BaseModel):
    """Number of creators by status."""

    created: int
    updated: int
    skipped: int
    pin_mode: Literal["unique", "shared"]


class SharedMany(Answer[list[Shared | Skipped], BulkMeta]):
    """One item for each creator, in the order of the request."""
