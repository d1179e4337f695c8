"""Receipts of payments: uploaded and downloaded by signed URL, for their payment alone."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from serving_api.files.kinds import RECEIPT, receipt_folder
from tests.factories.payouts import add_payment
from tests.factories.pictures import jpeg, pdf, png
from tests.fixtures.api import Tenant
from tests.fixtures.uploads import put, reached
from warehouse.operational.models import PayoutPayment
from warehouse.storage.opening import open_storage
from warehouse.storage.uploads import UploadTidier

RECEIPTS = "/payouts/payment-receipts"
PDF = "application/pdf"


def paid(tenant: Tenant) -> PayoutPayment:
    """A payment to a new creator by one of the default methods."""
    method = tenant.client.data("GET", "/payout-methods")[0]["id"]
    return add_payment(tenant, tenant.creator(f"demo.{uuid4().hex[:8]}")["id"], method)


def upload_url(tenant: Tenant, payment: PayoutPayment, content_type: str = PDF) -> Any:
    body = {"payment_id": str(payment.id), "content_type": content_type}
    return tenant.client.data("POST", f"{RECEIPTS}/upload-url", json=body)


def uploaded(
    tenant: Tenant, payment: PayoutPayment, content: bytes, content_type: str = PDF
) -> str:
    """Upload a receipt and return its path."""
    made = upload_url(tenant, payment, content_type)
    assert put(tenant.api, made["signed_url"], content, content_type).status_code == 200
    path: str = made["path"]
    return path


def named(tenant: Tenant, payment: PayoutPayment, path: str | None) -> None:
    """Set the payment's receipt."""
    assert path is None or accepted(tenant, payment, path)
    with tenant.api.store.write_session() as session:
        session.get_one(PayoutPayment, payment.id).receipt_path = path


def receipt_of(tenant: Tenant, payment: PayoutPayment) -> Any:
    return tenant.client.data("GET", RECEIPTS, params={"payment_id": str(payment.id)})


def accepted(tenant: Tenant, payment: PayoutPayment, path: str) -> bool:
    """Whether the payment accepts the path as its receipt."""
    files = open_storage(tenant.api.settings)
    folder = receipt_folder(payment.organization_id, payment.id)
    return RECEIPT.keep(files, folder, path) is None


def test_where_to_upload(tenant: Tenant) -> None:
    payment = paid(tenant)
    made = upload_url(tenant, payment)
    assert made.keys() == {"signed_url", "path", "max_bytes", "expires_in_seconds"}
    assert made["path"].startswith(f"orgs/{tenant.organization_id}/payments/{payment.id}/")
    assert made["path"].endswith(".pdf")
    assert (made["max_bytes"], made["expires_in_seconds"]) == (10 << 20, 7200)


@pytest.mark.parametrize(
    ("content_type", "content"),
    [
        (PDF, pdf()),
        ("image/png", png(9_000, 9_000)),
        ("image/jpeg", jpeg() + b"as phones write behind their pictures"),
    ],
)
def test_a_receipt_stays_as_sent(tenant: Tenant, content_type: str, content: bytes) -> None:
    payment = paid(tenant)
    path = uploaded(tenant, payment, content, content_type)
    assert receipt_of(tenant, payment) is None
    named(tenant, payment, path)

    receipt = receipt_of(tenant, payment)

    expected = {"path": path, "content_type": content_type, "size": len(content)}
    assert expected.items() <= receipt.items()
    assert receipt["expires_in_seconds"] == 900
    uploaded_at = datetime.fromisoformat(receipt["uploaded_at"])
    assert abs(uploaded_at - datetime.now(UTC)) < timedelta(minutes=5)
    answer = reached(tenant.api, receipt["download_url"])
    assert (answer.status_code, answer.content) == (200, content)
    assert answer.headers["Content-Type"] == content_type
    name = path.rpartition("/")[2]
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{name}"'
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cache-Control"] == "no-store"
    assert "sandbox" in answer.headers["Content-Security-Policy"]


def test_a_receipt_is_at_no_public_address(tenant: Tenant) -> None:
    path = uploaded(tenant, paid(tenant), pdf())
    assert reached(tenant.api, f"{tenant.api.base_url}/files/{path}").status_code == 404


@pytest.mark.parametrize(
    ("content_type", "content"),
    [
        (PDF, b""),
        (PDF, b"%PDF-1.7 and no end"),
        (PDF, b"<html>%PDF-1.7 %%EOF"),
        (PDF, b"\n" + pdf()),
        (PDF, pdf() + b" " * 2_000),
        (PDF, png()),
        ("image/png", pdf()),
    ],
)
def test_other_types_are_not_stored(tenant: Tenant, content_type: str, content: bytes) -> None:
    payment = paid(tenant)
    made = upload_url(tenant, payment, content_type)
    answer = put(tenant.api, made["signed_url"], content, content_type)
    assert answer.status_code == 400
    assert answer.json()["meta"]["code"] == "content_type_mismatch"
    assert not accepted(tenant, payment, made["path"])


def test_a_payment_names_receipts_of_its_own_alone(tenant: Tenant, other: Tenant) -> None:
    payment, sibling, theirs = paid(tenant), paid(tenant), paid(other)
    path = uploaded(tenant, payment, pdf())
    folder, _, name = path.rpartition("/")
    assert accepted(tenant, payment, path)
    for wrong in (
        uploaded(tenant, sibling, pdf()),
        uploaded(other, theirs, pdf()),
        upload_url(tenant, payment)["path"],
        f"{folder}/../{sibling.id}/{name}",
        f"{folder}/{name}/",
        f"{folder}//{name}",
        f"/{path}",
        f"{folder}/",
        name,
        "",
        "\x00",
        f"orgs/{tenant.organization_id}/{uuid4()}/{uuid4()}.png",  # an icon's
    ):
        assert not accepted(tenant, payment, wrong), wrong


def test_an_unused_receipt_is_deleted_after_a_day(tenant: Tenant, other: Tenant) -> None:
    files = open_storage(tenant.api.settings)
    before = {file for file in tenant.api.settings.files_path.rglob("*") if file.is_file()}
    attached, theirs = uploaded(tenant, paid(tenant), pdf()), uploaded(other, paid(other), pdf())
    for owner, path in ((tenant, attached), (other, theirs)):
        body = {"receipt_path": path}
        owner.client.data("PATCH", f"/payout-payments/{path.split('/')[3]}", json=body)
    left = [uploaded(each, paid(each), pdf()) for each in (tenant, tenant, other)]

    UploadTidier(files).tidy(datetime.now(UTC) + timedelta(hours=23))
    assert accepted(tenant, paid_by(tenant, left[0]), left[0])  # as for a PATCH at that time
    UploadTidier(files).tidy(datetime.now(UTC) + timedelta(hours=25))

    there = {file for file in tenant.api.settings.files_path.rglob("*") if file.is_file()}
    paths = {str(file.relative_to(tenant.api.settings.files_path)) for file in there - before}
    assert paths == {attached, theirs, left[0]}
    assert not accepted(tenant, paid_by(tenant, left[1]), left[1])
    for owner, path in ((tenant, attached), (other, theirs)):
        receipt = receipt_of(owner, paid_by(owner, path))
        assert reached(tenant.api, receipt["download_url"]).content == pdf()


def paid_by(tenant: Tenant, path: str) -> PayoutPayment:
    """The payment of a receipt's path."""
    with tenant.api.store.read_session() as session:
        return session.get_one(PayoutPayment, path.split("/")[3])
