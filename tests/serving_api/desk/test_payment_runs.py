"""Many amounts at the desk: those selected are approved, and paid in a run with its CSV."""

from typing import Any

import pytest

from tests.factories.visitors import read
from tests.fixtures.desk import Sitter
from tests.fixtures.payouts import Paying, paying, paying_api

__all__ = ["paying", "paying_api"]


@pytest.fixture
def admin(paying: Paying) -> Sitter:
    """Ada's and Bob's first weeks are approved: $100.00 and $50.00."""
    for name in ("settled", "bobs"):
        paying.decide(name, status="approved")
    return Sitter(paying.tenant)


def sent(paying: Paying, **changes: str) -> dict[str, str]:
    """The form, both selected and paid by the same method."""
    method = paying.payment("settled")["payout_method_id"]
    fields: dict[str, str] = {}
    for creator, cents in ((paying.ada, 10_000), (paying.bob, 5_000)):
        fields |= {
            f"selected.{creator['id']}": "yes",
            f"cents.{creator['id']}": str(cents),
            f"payout_method_id.{creator['id']}": method,
        }
    return {**fields, **changes}


def payments(paying: Paying) -> list[Any]:
    return sorted(
        paying.tenant.client.data("GET", "/payout-payments"),
        key=lambda payment: -payment["amount_cents"],
    )


def test_a_run_pays_many_creators_once(paying: Paying, admin: Sitter) -> None:
    run = f"{admin.home}/payouts/run"
    page = admin.get(run)
    assert "Total: $150.00" in read(page)
    assert "Record selected as paid" in page.text
    fields = sent(paying, once="1", reference="May 2026", paid_on="2026-05-18")
    csv = admin.send(f"{run}/csv", page=run, **fields)
    assert csv.headers["Content-Type"].startswith("text/csv")
    [way, *_] = paying.tenant.client.data("GET", "/payout-methods")
    assert csv.text.splitlines() == [
        "name,method,amount,reference",
        f"ada,{way['name']},100.00,May 2026",
        f"bob,{way['name']},50.00,May 2026",
    ]
    assert payments(paying) == []
    answers = [admin.send(run, page=run, **fields) for _ in range(2)]
    assert {answer.status_code for answer in answers} == {303}
    adas, bobs = payments(paying)
    assert (adas["creator_id"], adas["amount_cents"]) == (paying.ada["id"], 10_000)
    assert (bobs["creator_id"], bobs["amount_cents"]) == (paying.bob["id"], 5_000)
    assert {payment["reference"] for payment in (adas, bobs)} == {"May 2026"}
    assert {payment["paid_at"][:10] for payment in (adas, bobs)} == {"2026-05-18"}
    assert "There are no approved amounts to pay" in read(admin.get(run))


def test_a_run_is_recorded_whole_or_says_who_stands_in_its_way(
    paying: Paying, admin: Sitter, other: Any
) -> None:
    run, ada, bob = f"{admin.home}/payouts/run", paying.ada["id"], paying.bob["id"]
    for changes, sentence in (
        ({f"payout_method_id.{bob}": ""}, "Choose how bob is paid"),
        ({f"cents.{bob}": "4999"}, "bob: the amount has changed since"),
        ({"paid_on": "2026-05-21"}, "Choose today or an earlier day"),
        ({f"selected.{other.creator('zoe')['id']}": "yes"}, "Somebody was paid meanwhile"),
    ):
        fields = {"paid_on": "2026-05-18", **sent(paying), **changes}
        refused = admin.send(run, page=run, **fields)
        assert refused.status_code == 400
        assert sentence in refused.text
        assert f'value="{fields["paid_on"]}"' in refused.text
        assert payments(paying) == []
    nobody = {
        name: value for name, value in sent(paying).items() if not name.startswith("selected")
    }
    assert "Select at least one creator" in admin.send(run, page=run, **nobody).text
    # What was paid in between is in no run; those who are left can still be paid.
    paying.pay("settled")
    assert "Somebody was paid meanwhile" in admin.send(run, page=run, **sent(paying)).text
    left = {name: value for name, value in sent(paying).items() if not name.endswith(ada)}
    assert admin.send(run, page=run, **left).status_code == 303


def test_a_run_ends_with_the_periods_until_a_day(paying: Paying, admin: Sitter) -> None:
    run = f"{admin.home}/payouts/run"
    assert "There are no approved amounts" in read(admin.get(f"{run}?until=2026-05-02"))
    assert "Total: $150.00" in read(admin.get(f"{run}?until=2026-05-03"))
    assert admin.get(f"{run}?until=May").status_code == 400
    fields = sent(paying, until="2026-05-02")
    assert "Somebody was paid meanwhile" in admin.send(run, page=run, **fields).text
    assert payments(paying) == []


def test_a_part_of_what_is_due_is_paid(paying: Paying, admin: Sitter) -> None:
    paying.decide("last", status="approved")
    pay = f"{admin.home}/payouts/creators/{paying.ada['id']}"
    assert "$170.00 is approved" in read(admin.get(pay))
    settled, last = paying.id_of("settled"), paying.id_of("last")
    fields = {
        "accrual_ids": f"{settled},{last}",
        "amount_cents": "17000",
        f"cents-{settled}": "10000",
        f"cents-{last}": "7000",
        "payout_method_id": paying.payment("settled")["payout_method_id"],
        "selected": "selected",
        "paid_on": "2026-05-19",
    }
    assert "Select at least one first" in admin.send(pay, page=pay, **fields).text
    fields[f"selected.{last}"] = "yes"
    assert admin.send(pay, page=pay, **fields).status_code == 303
    [payment] = payments(paying)
    assert (payment["accrual_ids"], payment["amount_cents"]) == ([last], 7_000)
    assert payment["paid_at"].startswith("2026-05-19")


def test_selected_amounts_are_approved(paying: Paying) -> None:
    admin = Sitter(paying.tenant)
    ids = [paying.id_of(name) for name in ("settled", "bobs")]
    cents = {
        f"cents-{accrual_id}": number
        for accrual_id, number in zip(ids, ("10000", "5000"), strict=True)
    }
    payouts = f"{admin.home}/payouts"
    box = {f"selected.{ids[0]}": "yes"}
    assert admin.send(payouts, page=payouts, approved="selected", **cents).status_code == 400
    admin.send(payouts, page=payouts, approved="selected", **cents, **box)
    assert paying.listed(status="approved") == ["settled"]
