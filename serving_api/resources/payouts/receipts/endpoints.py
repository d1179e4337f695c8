"""`/payouts/payment-receipts`."""

from typing import Annotated

from fastapi import Query

from serving_api.auth.dependencies import AdminWriter, Reader
from serving_api.errors import NotFound
from serving_api.files.dependency import Files, Urls
from serving_api.files.schemas import UploadUrl
from serving_api.http.keyed_route import keyed_router
from serving_api.kit.envelope import Envelope
from serving_api.kit.sessions import ReadDb
from serving_api.openapi import answers
from serving_api.resources.payouts.receipts import schemas, service

router = keyed_router("payout receipts")

RECEIPTS = "/payouts/payment-receipts"


@router.get(RECEIPTS, responses=answers(NotFound))
def get_payment_receipt(
    *,
    caller: Reader,
    session: ReadDb,
    files: Files,
    urls: Urls,
    query: Annotated[schemas.ReceiptQuery, Query()],
) -> Envelope[schemas.Receipt | None]:
    """Return a payment's receipt and where to download it; null where it has none."""
    return Envelope(data=service.read_receipt(caller, session, files, urls, query.payment_id))


@router.post(RECEIPTS + "/upload-url", responses=answers(NotFound))
def create_receipt_upload_url(
    *, caller: AdminWriter, session: ReadDb, urls: Urls, upload: schemas.ReceiptUpload
) -> Envelope[UploadUrl]:
    """Return where to PUT a payment's receipt, for two hours. Then PATCH its `receipt_path`."""
    return Envelope(data=service.receipt_upload_url(caller, session, urls, upload))
