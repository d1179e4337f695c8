"""Recorded payments at the desk: their list, its file, and one that was a mistake."""

import csv
import io
import re
from html import unescape

import pytest

from tests.factories.visitors import read
from tests.fixtures.desk import Sitter
from tests.fixtures.payouts import Paying


@pytest.fixture
def admin(paying: Paying) -> Sitter:
    return Sitter(paying.tenant)


def test_payments_are_listed_and_downloaded(paying: Paying, admin: Sitter) -> None:
    payments = f"{admin.home}/payouts/payments"
    assert "No payments yet." in read(admin.get(payments))
    paying.pay("settled", reference="May 2026", paid_at="2026-05-18T09:00:00Z")
    page = admin.get(payments)
    for words in ("ada", "18 May 2026", "May 2026", "Paid", "$100.00"):
        assert words in read(page)
    assert "No payments on these dates." in read(admin.get(f"{payments}?from=2026-05-19"))
    [link] = re.findall(r'href="([^"]+)">Download as CSV', page.text)
    file = admin.get(f"{payments}{unescape(link)}").text.removeprefix("\ufeff")
    [line] = csv.DictReader(io.StringIO(file))
    assert (line["paid_on"], line["creator"], line["amount"]) == ("2026-05-18", "ada", "100.00")
    assert (line["currency"], line["reference"], line["status"]) == ("USD", "May 2026", "paid")


def test_a_mistaken_payment_is_void_with_a_reason(paying: Paying, admin: Sitter) -> None:
    payment = paying.pay("settled", readme="Sent by wire.")
    amount = f"{admin.home}/payouts/amounts/{paying.id_of('settled')}"
    page = f"{admin.home}/payouts/payments/{payment['id']}"
    assert f'href="{page}"' in admin.get(amount).text
    assert f'href="{page}"' in admin.get(f"{admin.home}/payouts?status=paid").text
    refused = admin.send(page, page=page, reason=" ")
    assert refused.status_code == 400
    assert "This field is required" in refused.text
    answer = admin.send(page, page=page, reason="The bank returned it.")
    shown = read(admin.get(answer.headers["Location"]))
    assert "Payment of $100.00 is void. Its amounts can be paid again." in shown
    assert "Sent by wire. Void: The bank returned it." in shown
    assert "Void this payment" not in shown
    assert paying.accrual("settled")["payment_id"] is None
    assert "Void" in read(admin.get(f"{admin.home}/payouts/payments"))
    again = admin.send(page, page=page, reason="From an older page.")
    assert again.status_code == 409
    assert "This payment is already void" in again.text
    assert "From an older page." not in read(admin.get(page))


def test_members_read_payments_and_void_none(paying: Paying, admin: Sitter) -> None:
    payment = paying.pay("settled")
    page = f"{admin.home}/payouts/payments/{payment['id']}"
    member = Sitter(paying.tenant, role="member")
    assert "Void this payment" not in member.get(page).text
    assert member.send(page, page=page, reason="No").status_code == 403
    assert paying.accrual("settled")["payment_id"] == payment["id"]


def test_a_payment_of_another_project_is_not_found(paying: Paying, admin: Sitter) -> None:
    payment = paying.pay("settled")
    body = {"name": "Second"}
    path = f"/organizations/{paying.tenant.organization_id}/projects"
    project = paying.tenant.client.data("POST", path, json=body)
    page = f"/desk/projects/{project['id']}/payouts/payments/{payment['id']}"
    assert admin.get(page).status_code == 404
