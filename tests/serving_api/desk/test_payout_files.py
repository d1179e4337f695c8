"""The CSV file of amounts that accountants open in a spreadsheet."""

import csv
import io

from tests.fixtures.desk import Sitter
from tests.fixtures.payouts import Paying
from tests.serving_api.resources.payouts.test_holds import odd, publish

HEADER = (
    "creator,rule,view_count,post,period_start,period_end,status,amount,paid_on,method,reference,id,"
    "currency"
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
        "post": "",
        "period_start": "2026-04-27",
        "period_end": "2026-05-03",
        "status": "paid",
        "amount": "100.00",
        "paid_on": "2026-05-18",
        "method": methods[payment["payout_method_id"]],
        "reference": "May 2026",
        "id": paying.id_of("settled"),
        "currency": "USD",
    }


def test_an_amount_on_hold_says_so(paying: Paying) -> None:
    publish(paying, [odd(paying, "settled", 2)])
    statuses = {row["amount"]: row["status"] for row in rows_of(Sitter(paying.tenant), "final")}
    assert statuses == {"100.00": "on hold", "50.00": "final"}
