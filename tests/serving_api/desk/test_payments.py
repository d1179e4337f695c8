"""Recorded payments at the desk, and CSV files of amounts."""

import csv
import io
import re
from collections.abc import Collection
from dataclasses import replace
from datetime import date, timedelta
from html import unescape
from typing import Any
from uuid import UUID

import pytest

from serving_api.resources.payouts.accruals import holds
from tests.factories.accruals import earning
from tests.factories.visitors import read, visiting
from tests.fixtures.api import Tenant
from tests.fixtures.desk import Sitter
from tests.fixtures.payouts import LIST, Paying
from tests.serving_api.resources.payouts.test_holds import odd, publish
from warehouse.operational.models import Video
from warehouse.reading.accruals.holds import odd_readings


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


def test_the_day_of_a_payment_stays_when_the_zone_changes(paying: Paying, admin: Sitter) -> None:
    tenant, payments = paying.tenant, f"{admin.home}/payouts/payments"
    sent = paying.pay("settled", reference="now")
    pending = paying.pay("bobs", creator_id=paying.bob["id"], reference="pending", status="pending")
    assert paying.change(pending, status="paid")["paid_at"]
    paying.pay(amount_cents=1, reference="dated", paid_at="2026-05-18T00:00:00Z")
    days = {"now": "20 May 2026", "pending": "20 May 2026", "dated": "18 May 2026"}
    for zone in ("UTC", "Pacific/Kiritimati", "America/Los_Angeles"):
        path = f"/organizations/{tenant.organization_id}"
        tenant.client.data("PATCH", path, json={"analytics_tz": zone})
        listed = read(admin.get(payments))
        file = admin.get(f"{payments}?format=csv").text.removeprefix("\ufeff")
        paid_on = {row["reference"]: row["paid_on"] for row in csv.DictReader(io.StringIO(file))}
        assert paid_on == {"now": "2026-05-20", "pending": "2026-05-20", "dated": "2026-05-18"}
        for reference, day in days.items():
            assert f"{day} {reference}" in listed, zone
        assert f"Paid, {days['now']}" in read(admin.get(f"{payments}/{sent['id']}"))
        assert [row["paid_on"] for row in rows_of(admin, "paid")] == ["2026-05-20"] * 2
        for query, total in (("from=2026-05-20", 2), ("to=2026-05-18", 1), ("to=2026-05-17", 0)):
            assert len(tenant.client.data("GET", f"/payout-payments?{query}")) == total, zone
            export = tenant.client.get(f"/exports/payments?{query}")
            assert len(export.text.splitlines()) == total + 1, zone
        with visiting(tenant, paying.ada) as visitor:
            shown = read(visitor.get(str(visitor.base_url).rstrip("/")))
        assert f"{days['now']} $100.00" in shown, zone
        assert f"{days['dated']} $0.01" in shown, zone


def test_a_paid_amount_and_its_correction_name_each_other(paying: Paying, admin: Sitter) -> None:
    paying.pay("settled", paid_at="2026-05-18T09:00:00Z")
    paying.publish(settled=12_500)
    [correction] = paying.adjustments()
    ids = {paying.id_of("settled"): correction["id"], correction["id"]: paying.id_of("settled")}
    words = ("Corrected by $25.00", "Corrects $100.00 of 27 Apr 2026 , paid on 18 May 2026")
    payouts = f"{admin.home}/payouts"
    with visiting(paying.tenant, paying.ada) as visitor:
        for (accrual_id, other), status, sentence in zip(
            ids.items(), ("paid", "final"), words, strict=True
        ):
            pages = [
                admin.get(f"{payouts}?status={status}"),
                admin.get(f"{payouts}/amounts/{accrual_id}"),
                visitor.get(f"/amounts/{accrual_id}"),
                visitor.get(str(visitor.base_url).rstrip("/")),
            ]
            for page in pages:
                assert sentence in read(page)
                assert not re.search(r"</a>\s+\.", page.text), "no space before the full stop"
                assert re.search(rf'href="[^"]+/amounts/{other}">\$', page.text), page.url


def test_an_amount_whose_approval_was_undone_meanwhile_is_not_paid(
    paying: Paying, admin: Sitter
) -> None:
    paying.decide("settled", status="approved")
    page = f"{admin.home}/payouts/creators/{paying.ada['id']}"
    [method, *_] = paying.tenant.client.data("GET", "/payout-methods")
    amounts = {"accrual_ids": paying.id_of("settled"), "amount_cents": "10000"}
    sent = {"form": admin.hidden(page), "payout_method_id": method["id"], "record": "all"}
    paying.decide("settled", status="final")
    answer = admin.post(page, data={**sent, **amounts})
    assert (answer.status_code, "no longer approved" in answer.text) == (409, True)
    assert paying.accrual("settled")["status"] == "final"


def test_one_payment_and_a_run_have_one_default_method_and_one_warning(
    paying: Paying, admin: Sitter
) -> None:
    paying.decide("settled", status="approved")
    [_, second, *_] = paying.tenant.client.data("GET", "/payout-methods")
    paying.pay(amount_cents=1, payout_method_id=second["id"])
    paths = {"run": "run", f"creators/{paying.ada['id']}": "payment"}
    for path, name in paths.items():
        page = admin.get(f"{admin.home}/payouts/{path}")
        assert f'<option value="{second["id"]}" selected>' in page.text, path
        account = f"/payouts/creators/{paying.ada['id']}/account?opened_from={name}"
        assert f'{account}">no payout details</a>' in page.text


def test_payments_are_filtered_and_added_up(paying: Paying, admin: Sitter) -> None:
    mistaken = paying.pay("settled")
    page = f"{admin.home}/payouts/payments/{mistaken['id']}"
    admin.send(page, page=page, reason="The bank returned it.")
    [first, second, *_] = paying.tenant.client.data("GET", "/payout-methods")
    paying.pay("settled", payout_method_id=first["id"])
    bobs = {"creator_id": paying.bob["id"], "payout_method_id": second["id"]}
    paying.pay("bobs", **bobs, paid_at="2026-05-18T09:00:00Z")
    payments = f"{admin.home}/payouts/payments"
    total = "Total, without void and failed payments: "
    for query, cents in (
        ("", "$150.00"),
        ("creator=bo", "$50.00"),
        (f"method={first['id']}", "$100.00"),
        ("status=void", "$0.00"),
        ("from=2026-05-18&to=2026-05-18&status=paid", "$50.00"),
    ):
        assert f"{total}{cents} ." in read(admin.get(f"{payments}?{query}")), query
    none = read(admin.get(f"{payments}?creator=bo&method={first['id']}"))
    assert "No payments match these filters." in none
    file = admin.get(f"{payments}?format=csv").text.removeprefix("\ufeff")
    lines = list(csv.DictReader(io.StringIO(file)))
    assert sum(float(line["amount"]) for line in lines) == 150
    [void] = [line for line in lines if line["status"] == "void"]
    assert (void["amount"], void["recorded"]) == ("0.00", "100.00")
    assert void["notes"] == "Void: The bank returned it."


def test_a_file_of_payments_has_all_or_is_refused(
    paying: Paying, admin: Sitter, monkeypatch: pytest.MonkeyPatch
) -> None:
    paying.change(paying.pay("settled"), status="void")
    paying.pay("settled")
    address = f"{admin.home}/payouts/payments?format=csv"
    monkeypatch.setattr("serving_api.desk.sorting.MOST_IN_FILE", 2)
    assert len(admin.get(address).text.splitlines()) == 3
    monkeypatch.setattr("serving_api.desk.sorting.MOST_IN_FILE", 1)
    refused = admin.get(address)
    assert refused.status_code == 400
    assert "A file has at most 1 payments. Choose a shorter period." in refused.text


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


def test_a_void_payment_names_the_corrections_ending_with_it(paying: Paying, admin: Sitter) -> None:
    paying.decide("settled", status="approved")
    payment = paying.pay("settled")
    paying.publish(settled=9_500)
    page = f"{admin.home}/payouts/payments/{payment['id']}"
    answer = admin.send(page, page=page, reason="The bank returned it.")
    shown = read(admin.get(answer.headers["Location"]))
    ended = "Open correction that ended with it: \u2212$5.00. The amounts include it."
    assert shown.count(ended) == 3, "in the message, the notes and the history"
    amount = read(admin.get(f"{admin.home}/payouts/amounts/{paying.id_of('settled')}"))
    assert "approved at $100.00, recomputed to $95.00" in amount
    assert paying.adjustments() == []


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


HEADER = (
    "creator,rule,view_count,post,period_start,period_end,status,amount,paid_on,method,reference,id,"
    "per_1000,hold_reason,payment_id,computed,threshold,corrects_id,currency"
)


def rows_of(admin: Sitter, status: str) -> list[dict[str, str]]:
    file = admin.get(f"{admin.home}/payouts?status={status}&format=csv")
    assert file.content.startswith(b"\xef\xbb\xbf"), "Excel reads other files as Windows-1252"
    text = file.content.decode("utf-8-sig")
    assert text.splitlines()[0] == HEADER
    return list(csv.DictReader(io.StringIO(text)))


def test_a_paid_amount_shows_how_it_was_paid(paying: Paying) -> None:
    admin = Sitter(paying.tenant)
    paying.tenant.client.data(
        "PATCH", f"/creators/{paying.ada['id']}", json={"display_name": "Adélaïde"}
    )
    paying.decide("settled", status="approved")
    [waiting] = rows_of(admin, "approved")
    assert (waiting["paid_on"], waiting["method"], waiting["reference"]) == ("", "", "")
    sent = {"paid_at": "2026-05-18T10:00:00Z", "reference": "May 2026", "amount_cents": 10_000}
    payment = paying.pay("settled", **sent)
    methods = {
        way["id"]: way["name"] for way in paying.tenant.client.data("GET", "/payout-methods")
    }
    [paid] = rows_of(admin, "paid")
    assert paid == {
        "creator": "Adélaïde",
        "rule": paying.structure["name"],
        "view_count": "",
        "per_1000": "",
        "post": "",
        "period_start": "2026-04-27",
        "period_end": "2026-05-03",
        "status": "Paid",
        "amount": "100.00",
        "computed": "100.00",
        "threshold": "",
        "corrects_id": "",
        "payment_id": payment["id"],
        "paid_on": "2026-05-18",
        "method": methods[payment["payout_method_id"]],
        "reference": "May 2026",
        "id": paying.id_of("settled"),
        "hold_reason": "",
        "currency": "USD",
    }


def test_a_file_adds_up_without_unpaid_amounts(paying: Paying, admin: Sitter) -> None:
    paying.decide("settled", status="void")
    [row] = rows_of(admin, "void")
    assert (row["status"], row["amount"], row["computed"]) == ("Not paid", "0.00", "100.00")


def test_an_amount_on_hold_says_so(paying: Paying) -> None:
    publish(paying, [odd(paying, "settled", 2)])
    admin = Sitter(paying.tenant)
    [ready], [held] = rows_of(admin, "final"), rows_of(admin, "on_hold")
    assert (ready["amount"], ready["status"], ready["hold_reason"]) == ("50.00", "To approve", "")
    assert (held["amount"], held["status"]) == ("100.00", "On hold")
    assert held["hold_reason"].startswith("Review the readings of 1 post")


def test_an_amount_on_hold_names_the_post_that_is_odd(paying: Paying, admin: Sitter) -> None:
    post = _titled(paying.tenant, "Lake")
    publish(paying, [odd(paying, "settled", 2, video_id=post)])
    link = f'<a href="{admin.home}/posts/{post}"><bdi>Lake</bdi></a>'
    for path in ("?status=on_hold", f"/amounts/{paying.id_of('settled')}"):
        assert link in admin.get(f"{admin.home}/payouts{path}").text


def test_pages_read_the_anomalies_of_their_own_amounts_alone(
    paying: Paying, admin: Sitter, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(60):
        days = (date(2026, 1, 1) + timedelta(days=number),) * 2
        name = f"day {number}"
        paying.earnings[name] = earning(paying.tenant, paying.structure, paying.ada, days, 100)
    publish(paying, [odd(paying, f"day {number}", 2) for number in range(60)])
    sizes: list[int] = []

    def read_odd(cursor: Any, organization_id: UUID, accrual_ids: Collection[UUID]) -> Any:
        sizes.append(len(accrual_ids))
        return odd_readings(cursor, organization_id, accrual_ids)

    monkeypatch.setattr(holds, "odd_readings", read_odd)
    admin.get(f"{admin.home}/payouts?status=on_hold&creator=ada")
    assert max(sizes) == 50
    assert "60 amounts on hold, $60.00" in read(admin.get(admin.home))
    assert max(sizes) == 50


@pytest.fixture
def bonuses(paying: Paying) -> Paying:
    """Bonuses for 10,000 and 100,000 views of one post, and one for a deleted post."""
    subject = _titled(paying.tenant, "Lake")
    bonus_by_name = {"settled": (subject, 10_000), "bobs": (subject, 100_000)}
    for name, (subject_id, view_count) in (bonus_by_name | {"last": (UUID(int=1), 5)}).items():
        earning = paying.earnings[name]
        content = replace(earning.content, subject_id=subject_id, view_count=view_count)
        content = replace(content, criteria_type="view_threshold")
        evidence = {"type": "view_threshold", "view_count": view_count, "amount_cents": 1}
        evidence |= {"video_id": str(subject_id), "views_read": view_count + 51}
        paying.earnings[name] = replace(earning, content=content, evidence=evidence)
    paying.publish()
    return paying


def _titled(tenant: Tenant, title: str) -> UUID:
    video_id = UUID(tenant.video()["id"])
    with tenant.api.store.write_session() as session:
        session.get_one(Video, video_id).custom_title = title
    return video_id


@pytest.mark.slow
def test_lists_name_them(bonuses: Paying) -> None:
    admin = Sitter(bonuses.tenant)
    final = read(admin.get(f"{admin.home}/payouts"))
    assert "Lake, 10,000 views 27 Apr 2026 to 3 May 2026 10,051" in final
    assert "Lake, 100,000 views 27 Apr 2026 to 3 May 2026 100,051" in final
    assert "11 May 2026 to 17 May 2026 56 $" in read(
        admin.get(f"{admin.home}/payouts?status=settling")
    )


@pytest.mark.slow
def test_files_and_the_api_name_them(bonuses: Paying) -> None:
    admin = Sitter(bonuses.tenant)
    file = admin.get(f"{admin.home}/payouts?format=csv").text
    assert ",Fee,100051,Lake," in file
    assert ",100000,,USD" in file
    listed = bonuses.tenant.client.data("GET", LIST, params={"status": "final"})
    assert {each["view_count"] for each in listed} == {10_000, 100_000}
