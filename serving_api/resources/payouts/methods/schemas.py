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
"""Room for the largest icon as base64, which is a third larger."""
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
        raise ValueError(f"must be at most {ICON.max_bytes:,} bytes when decoded")
    return content


IconContent = Annotated[
    bytes,
    BeforeValidator(_decoded),
    WithJsonSchema({"type": "string", "contentEncoding": "base64"}),
]


class PayoutMethodQuery(PageQuery):
    include_disabled: bool = Field(
        default=False, description="Include inactive methods. Requires an org admin"
    )


class NewPayoutMethod(Body):
    """A new payout method."""

    name: Label = Field(examples=["Bank transfer"])
    icon_path: IconPath | None = Field(
        default=None, description="Icon of another method of the organization, to copy"
    )
    metadata: Metadata | None = None
    readme: Readme | None = None


class PayoutMethodChanges(Changes):
    """Changes to a payout method."""

    name: Label = unsent()
    is_active: Flag = unsent()
    icon_path: IconPath | None = unsent()
    metadata: Metadata = unsent()
    readme: Readme | None = unsent()


class Icon(Body):
    """An icon: PNG, JPEG or WebP, up to 1 MB and 4,096 pixels a side."""

    content_type: IconType
    content_base64: IconContent = Field(examples=[ONE_PIXEL])


class IconUpload(Body):
    """An icon to upload."""

    content_type: IconType


class PayoutMethod(BaseModel):
    """A way to pay creators. Default methods come with the organization."""

    id: UUID
    org_id: UUID
    name: str = Field(examples=["Bank transfer"])
    icon_url: str | None = Field(
        description="Requires no API key",
        examples=[f"https://tracker.example/files/{EXAMPLE_PATH}"],
    )
    is_default: bool
    is_active: bool
    metadata: Metadata
    readme: str | None
    created_at: datetime
