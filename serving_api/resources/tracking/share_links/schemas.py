"""Bodies and answers of share links (contract, Share link and Share links)."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, Field

from serving_api.kit.schemas import Body, Changes, Flag, unsent
from serving_api.resources.tracking.share_links.pins import Pin

MAX_BULK = 200

Section = Literal["analytics", "payouts"]

_URL = "https://www.example.com/share/creator/01976b2e-7c00-7c3a-9d7e-3f1c2b4a5d6e"


class Sections(Body):
    """What the page shows; at least one of the two."""

    show_analytics: Flag = True
    show_payouts: Flag = False


class NewShareLink(Sections):
    """The settings of a creator's page; those of an earlier link are replaced."""

    pin: Pin | None = Field(default=None, description="Exactly 4 digits. Default: random")


class ShareLinkChanges(Changes):
    """What a PATCH may change. `pin` and `regenerate_pin` exclude each other."""

    enabled: Flag = unsent()
    show_analytics: Flag = unsent()
    show_payouts: Flag = unsent()
    pin: Pin = unsent()
    regenerate_pin: Flag = unsent()


class BulkShare(Sections):
    """Creators to make pages for, all with the same sections."""

    creator_ids: list[UUID] = Field(min_length=1, max_length=MAX_BULK)
    pin_mode: Literal["unique", "shared"] = Field(
        default="unique", description="A random PIN for each, or one for all"
    )
    pin: Pin | None = Field(default=None, description="With `shared` only. Default: random")


class ShareLink(BaseModel):
    """A creator's public page. While it is not enabled, the page says 'not available'."""

    url: str = Field(examples=[_URL])
    enabled: bool
    sections: list[Section]
    created_at: datetime


class OpenShareLink(ShareLink):
    """A share link with the PIN that opens it."""

    pin: str | None = Field(description="Null in a replayed answer", examples=["4821"])


AnyShareLink = OpenShareLink | ShareLink
"""With the PIN where it may be seen and was asked for, or just made."""


class Shared(BaseModel):
    """A creator whose page was made, or whose settings were replaced."""

    creator_id: UUID
    url: str = Field(examples=[_URL])
    pin: str | None = Field(description="Null in a replayed answer", examples=["4821"])
    sections: list[Section]
    status: Literal["created", "updated"]


class Skipped(BaseModel):
    """An id that is no creator of the organization, or a removed one's."""

    creator_id: UUID
    url: None = None
    pin: None = None
    sections: None = None
    status: Literal["skipped"] = "skipped"
    error: str


class BulkMeta(BaseModel):
    """How many creators ended how."""

    created: int
    updated: int
    skipped: int
    pin_mode: Literal["unique", "shared"]


class SharedMany(BaseModel):
    """One item for each creator named, in the order of the request."""

    data: list[Shared | Skipped]
    error: None = None
    meta: BulkMeta
