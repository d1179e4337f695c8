"""Bodies, filters and answers of payout methods (contract, Payout method)."""

import base64
from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, BeforeValidator, Field, StringConstraints, WithJsonSchema

from serving_api.files.kinds import ICON
from serving_api.files.signed_urls import EXAMPLE_PATH
from serving_api.kit.pagination import PageQuery
from serving_api.kit.schemas import Body, Changes, Flag, Label, Metadata, Readme, Text, unsent

IconType = Literal["image/png", "image/jpeg", "image/webp"]
ICON_BODY_BYTES = 2 * ICON.max_bytes
"""Room for the largest icon as base64, which takes a third more."""
IconPath = Annotated[Text, StringConstraints(max_length=200)]

ONE_PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9"
    "awAAAABJRU5ErkJggg=="
)
"""A PNG."""


def _decoded(text: object) -> object:
    if not isinstance(text, str):
        raise ValueError("must be a string")  # noqa: TRY004 - pydantic's way
    try:
        content = base64.b64decode(text, validate=True)
    except ValueError:
        raise ValueError("must be base64 (RFC 4648, padded), without a `data:` prefix") from None
    if len(content) > ICON.max_bytes:
        raise ValueError(f"must have at most {ICON.max_bytes:,} bytes when decoded")
    return content


IconContent = Annotated[
    bytes,
    BeforeValidator(_decoded),
    WithJsonSchema({"type": "string", "contentEncoding": "base64"}),
]


class PayoutMethodQuery(PageQuery):
    """Filters of the list of payout methods."""

    include_disabled: bool = Field(
        default=False, description="Those out of use too; for org admins alone"
    )


class NewPayoutMethod(Body):
    """A way of paying creators."""

    name: Label = Field(examples=["Bank transfer"])
    icon_path: IconPath | None = Field(
        default=None, description="An icon of another method of the organization, to be copied"
    )
    metadata: Metadata | None = None
    readme: Readme | None = None


class PayoutMethodChanges(Changes):
    """What a PATCH may change."""

    name: Label = unsent()
    is_active: Flag = unsent()
    icon_path: IconPath | None = unsent()
    metadata: Metadata = unsent()
    readme: Readme | None = unsent()


class Icon(Body):
    """An icon: PNG, JPEG or WebP, up to 1 MB, at most 4,096 pixels a side."""

    content_type: IconType
    content_base64: IconContent = Field(examples=[ONE_PIXEL])


class IconUpload(Body):
    """What is to be uploaded."""

    content_type: IconType


class PayoutMethod(BaseModel):
    """A way of paying creators. The default ones come with the organization."""

    id: UUID
    org_id: UUID
    name: str = Field(examples=["Bank transfer"])
    icon_url: str | None = Field(
        description="Needs no key", examples=[f"https://tracker.example/files/{EXAMPLE_PATH}"]
    )
    is_default: bool
    is_active: bool
    metadata: Metadata
    readme: str | None
    created_at: datetime
