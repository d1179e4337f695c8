"""Bodies, filters and answers of receipts (decisions.md, Payouts: Receipts)."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, Field

from serving_api.files.signed_urls import DOWNLOAD_SECONDS
from serving_api.kit.schemas import Body

EXAMPLE_PATH = (
    "orgs/01976b2e-7c00-7c3a-9d7e-3f1c2b4a5d6e/payments/01976b2e-7c00-7c3a-9d7e-3f1c2b4a5d6f"
    "/01976b2e-7c00-7c3a-9d7e-3f1c2b4a5d70.pdf"
)
ReceiptType = Literal["application/pdf", "image/png", "image/jpeg"]


class ReceiptUpload(Body):
    """What is to be uploaded, and for which payment."""

    payment_id: UUID
    content_type: ReceiptType


class ReceiptQuery(BaseModel):
    """Whose receipt."""

    payment_id: UUID = Field(description="A payment of the organization")


class Receipt(BaseModel):
    """A payment's receipt; `size` is in bytes."""

    path: str = Field(examples=[EXAMPLE_PATH])
    content_type: ReceiptType
    size: int = Field(examples=[48_213])
    uploaded_at: datetime
    download_url: str = Field(
        description="Needs no key",
        examples=["https://tracker.example/files/downloads/Im9yZ3MvIg.aR7d.c2lnbmF0dXJl"],
    )
    expires_in_seconds: int = Field(
        description="How long download_url is good for", examples=[DOWNLOAD_SECONDS]
    )
