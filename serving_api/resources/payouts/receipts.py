"""Receipts of payments, uploaded and downloaded by signed URL."""

from datetime import datetime
from typing import Literal, cast
from uuid import UUID

from pydantic import BaseModel, Field
from sqlalchemy.orm import Session

from serving_api.auth.dependencies import ReadKey, UploadingAdmin
from serving_api.errors import NotFound
from serving_api.files.kinds import RECEIPT, media_type_of, receipt_folder
from serving_api.files.signed_urls import (
    DOWNLOAD_SECONDS,
    Files,
    SignedUrls,
    UploadUrl,
    Urls,
    upload_url,
)
from serving_api.http.keyed_route import keyed_router
from serving_api.http.sessions import BucketDbs
from serving_api.kit.envelope import Envelope
from serving_api.kit.rows import require_row, rows_of
from serving_api.kit.schemas import Body, Params
from serving_api.openapi import answers
from warehouse.operational.models import PayoutPayment
from warehouse.storage.storage import Storage

EXAMPLE_PATH = (
    "orgs/01976b2e-7c00-7c3a-9d7e-3f1c2b4a5d6e/payments/01976b2e-7c00-7c3a-9d7e-3f1c2b4a5d6f"
    "/01976b2e-7c00-7c3a-9d7e-3f1c2b4a5d70.pdf"
)
ReceiptType = Literal["application/pdf", "image/png", "image/jpeg"]


class ReceiptUpload(Body):
    """A receipt to upload, and its payment."""

    payment_id: UUID
    content_type: ReceiptType


class ReceiptQuery(BaseModel):
    payment_id: UUID = Field(description="A payment of the organization")


class Receipt(BaseModel):
    """A payment's receipt; `size` is in bytes."""

    path: str = Field(examples=[EXAMPLE_PATH])
    content_type: ReceiptType
    size: int = Field(examples=[48_213])
    uploaded_at: datetime
    download_url: str = Field(
        description="Requires no API key",
        examples=["https://tracker.example/files/downloads/Im9yZ3MvIg.aR7d.c2lnbmF0dXJl"],
    )
    expires_in_seconds: int = Field(
        description="How long `download_url` is valid", examples=[DOWNLOAD_SECONDS]
    )


def find_payment(session: Session, organization_id: UUID, payment_id: UUID) -> PayoutPayment | None:
    """Return the payment, or None if it is absent or belongs to another organization."""
    return session.scalar(
        rows_of(PayoutPayment, organization_id).where(PayoutPayment.id == payment_id)
    )


def receipt_at(files: Storage, urls: SignedUrls, path: str | None) -> Receipt | None:
    """Return a receipt, or None. Calls the bucket, so no database session may be open."""
    stored = files.find(path) if path is not None else None
    if stored is None:
        return None
    return Receipt(
        path=stored.path,
        content_type=cast(ReceiptType, media_type_of(stored.path)),
        size=stored.size,
        uploaded_at=stored.written_at,
        download_url=urls.download(stored.path),
        expires_in_seconds=DOWNLOAD_SECONDS,
    )


def _payment(session: Session, organization_id: UUID, payment_id: UUID) -> PayoutPayment:
    return require_row(find_payment(session, organization_id, payment_id), "Payout payment")


router = keyed_router("payout receipts")

RECEIPTS = "/payouts/payment-receipts"


@router.get(RECEIPTS, responses=answers(NotFound))
def get_payment_receipt(
    *, caller: ReadKey, sessions: BucketDbs, files: Files, urls: Urls, query: Params[ReceiptQuery]
) -> Envelope[Receipt | None]:
    """Return a payment's receipt and its download URL. The answer is null if it has none."""
    with sessions() as session:
        path = _payment(session, caller.organization_id, query.payment_id).receipt_path
    return Envelope(data=receipt_at(files, urls, path))


@router.post(RECEIPTS + "/upload-url", responses=answers(NotFound))
def create_receipt_upload_url(
    *, context: UploadingAdmin, upload: ReceiptUpload
) -> Envelope[UploadUrl]:
    """Return an upload URL for a payment's receipt, valid for two hours.

    After the PUT, PATCH `receipt_path` within a day.
    """
    payment = _payment(context.session, context.organization_id, upload.payment_id)
    folder = receipt_folder(payment.organization_id, payment.id)
    return Envelope(
        data=upload_url(context.services[SignedUrls], RECEIPT, folder, upload.content_type)
    )
