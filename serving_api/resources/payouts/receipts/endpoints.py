"""`/payouts/payment-receipts`."""

from typing import Annotated

from fastapi import Query

from serving_api.auth.dependencies import Reader, UploadingAdmin
from serving_api.errors import NotFound
from serving_api.files.dependency import Files
from serving_api.files.schemas import UploadUrl
from serving_api.http.keyed_route import keyed_router
from serving_api.kit.envelope import Envelope
from serving_api.openapi import answers
from serving_api.resources.payouts.receipts import schemas, service

router = keyed_router("payout receipts")

RECEIPTS = "/payouts/payment-receipts"


@router.get(RECEIPTS, responses=answers(NotFound))
def get_payment_receipt(
    *,
    errand: Reader,
    files: Files,
    query: Annotated[schemas.ReceiptQuery, Query()],
) -> Envelope[schemas.Receipt | None]:
    """Return a payment's receipt and where to download it; null where it has none."""
    return Envelope(data=service.read_receipt(errand, files, query.payment_id))


@router.post(RECEIPTS + "/upload-url", responses=answers(NotFound))
def create_receipt_upload_url(
    *, errand: UploadingAdmin, upload: schemas.ReceiptUpload
) -> Envelope[UploadUrl]:
    """Return where to PUT a payment's receipt, for two hours. Then PATCH its `receipt_path`."""
    return Envelope(data=service.receipt_upload_url(errand, upload))
