"""What may happen to receipts.

One that was uploaded stays, also when another takes its place: it is evidence of what was paid.
The payment's `receipt_path` names the one that counts.
"""

from typing import cast
from uuid import UUID

from serving_api.errors import InvalidBody, NotFound
from serving_api.files.kinds import RECEIPT, media_type_of, receipt_folder
from serving_api.files.schemas import UploadUrl, upload_url
from serving_api.files.signed_urls import DOWNLOAD_SECONDS
from serving_api.kit.errand import Errand
from serving_api.resources.payouts.receipts import repository, schemas
from warehouse.operational.models import PayoutPayment
from warehouse.storage.storage import Storage


def receipt_upload_url(errand: Errand, upload: schemas.ReceiptUpload) -> UploadUrl:
    """Return where a receipt of a payment can be uploaded. Raises NotFound."""
    payment = _payment(errand, upload.payment_id)
    folder = receipt_folder(payment.organization_id, payment.id)
    return upload_url(errand.services.signed_urls, RECEIPT, folder, upload.content_type)


def read_receipt(errand: Errand, files: Storage, payment_id: UUID) -> schemas.Receipt | None:
    """Return the receipt that a payment names, None where it names none. Raises NotFound."""
    path = _payment(errand, payment_id).receipt_path
    stored = files.find(path) if path is not None else None
    if stored is None:
        return None
    return schemas.Receipt(
        path=stored.path,
        content_type=cast(schemas.ReceiptType, media_type_of(stored.path)),
        size=stored.size,
        uploaded_at=stored.written_at,
        download_url=errand.services.signed_urls.download(stored.path),
        expires_in_seconds=DOWNLOAD_SECONDS,
    )


def require_receipt(files: Storage, payment: PayoutPayment, path: str) -> None:
    """Raise InvalidBody at `receipt_path` unless a receipt of the payment was uploaded to it."""
    folder = receipt_folder(payment.organization_id, payment.id)
    if not RECEIPT.is_path(path, folder):
        raise InvalidBody.at("receipt_path", f"must be the path of a receipt inside {folder}/")
    if files.find(path) is None:
        raise InvalidBody.at("receipt_path", "nothing was uploaded there")


def _payment(errand: Errand, payment_id: UUID) -> PayoutPayment:
    payment = repository.find_payment(errand.session, errand.organization_id, payment_id)
    if payment is None:
        raise NotFound.named("Payout payment")
    return payment
