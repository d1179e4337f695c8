"""Bulk payouts at the desk: selected amounts are approved, and paid in a run with its CSV."""

import re
from datetime import date
from html import unescape
from typing import Any

import pytest

from tests.factories.accruals import earning
from tests.factories.payouts import rule
from tests.factories.visitors import read
from tests.fixtures.desk import Sitter
from tests.fixtures.payouts import Paying, week_until
from tests.fixtures.statements import statements_sent

pytestmark = pytest.mark.slow


@pytest.fixture
def admin(paying: Paying) -> Sitter:
    """Ada's and Bob's first weeks are approved: $100.00 and $50.00."""
    for name in ("settled", "bobs"):
        paying.decide(name, status="approved")
    return Sitter(paying.tenant)


def sent(paying: Paying, admin: Sitter, **changes: str) -> dict[str, str]:
    """The form's fields with all creators selected and paid by the same method."""
    method = paying.payment("settled")["payout_method_id"]
    page = admin.get(f"{admin.home}/payouts/run").text
    fields = dict(re.findall(r'name="(version\.[^"]+)" value="([^"]+)"', page))
    for creator in [name.partition(".")[2] for name in fields]:
        fields |= {f"selected.{creator}": "yes", f"payout_method_id.{creator}": method}
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
    assert (
        "2 creators without payout details. In the CSV, the column payout_details is empty"
        in read(page)
    )
    assert "Record selected as paid" in page.text
    fields = sent(paying, admin, once="1", reference="May 2026", paid_on="2026-05-18")
    csv = admin.send(f"{run}/csv", page=run, **fields)
    assert csv.headers["Content-Type"].startswith("text/csv")
    [way, *_] = paying.tenant.client.data("GET", "/payout-methods")
    assert csv.text.splitlines() == [
        "\ufeffname,method,amount,currency,reference,payout_details",
        f"ada,{way['name']},100.00,USD,May 2026,",
        f"bob,{way['name']},50.00,USD,May 2026,",
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


def test_a_recorded_run_is_void_as_a_whole_with_a_reason(paying: Paying, admin: Sitter) -> None:
    single = paying.pay(amount_cents=1)
    run, pages = f"{admin.home}/payouts/run", f"{admin.home}/payouts/payments"
    admin.send(run, page=run, **sent(paying, admin))
    _, bobs, _ = payments(paying)
    page = f"{pages}/{bobs['id']}"
    assert "payments of this run" not in admin.get(f"{pages}/{single['id']}").text
    shown = admin.get(page)
    assert "Void all 2 payments of this run, $150.00" in read(shown)
    [ids] = re.findall(r'name="void_run" value="([^"]+)"', shown.text)
    unreasoned = admin.send(page, page=page, void_run=ids, reason=" ")
    assert (unreasoned.status_code, "This field is required" in unreasoned.text) == (400, True)
    answer = admin.send(page, page=page, void_run=ids, reason="The bank refused the file.")
    words = "2 payments void, $150.00. The amounts can be paid again."
    assert words in read(admin.get(answer.headers["Location"]))
    ended = payments(paying)
    assert [each["status"] for each in ended] == ["void", "void", "paid"]
    notes = [paying.tenant.client.data("GET", f"/payout-payments/{each['id']}") for each in ended]
    assert {each["readme"] for each in notes[:2]} == {"Void: The bank refused the file."}
    assert "Total: $150.00" in read(admin.get(run)), "payable again"
    again = admin.send(page, page=page, void_run=ids, reason="Twice").text
    assert "Already void: $100.00 to ada, $50.00 to bob. No payment was changed." in again

    admin.send(run, page=run, **sent(paying, admin))
    again = next(each for each in payments(paying) if each["status"] == "paid")
    admin.send(f"{pages}/{again['id']}", page=page, reason="Sent twice.")
    other = next(each for each in payments(paying) if each["status"] == "paid")
    assert "payments of this run" not in admin.get(f"{pages}/{other['id']}").text


def test_a_void_run_names_the_corrections_that_end_with_it(paying: Paying, admin: Sitter) -> None:
    run, pages = f"{admin.home}/payouts/run", f"{admin.home}/payouts/payments"
    admin.send(run, page=run, **sent(paying, admin))
    paying.publish(settled=9_500, bobs=4_900)
    adas, bobs = (each["id"] for each in payments(paying))
    page = f"{pages}/{adas}"
    answer = admin.send(page, page=page, void_run=f"{adas},{bobs}", reason="Refused.")
    shown = read(admin.get(answer.headers["Location"]))
    ended = "Open corrections that ended with them: \u2212$5.00, \u2212$1.00, in total \u2212$6.00."
    assert f"The amounts can be paid again. {ended} The amounts include them." in shown
    single = paying.pay(amount_cents=1)["id"]
    again = admin.send(page, page=page, void_run=f"{single},{bobs}", reason="Twice").text
    assert "Already void: $50.00 to bob. No payment was changed. To void the others," in again


def test_a_run_pays_many_by_as_many_statements_as_one(paying: Paying, admin: Sitter) -> None:
    run, creators = f"{admin.home}/payouts/run", [paying.tenant.creator(f"c{n}") for n in range(4)]
    paying.pay(amount_cents=1)  # the latest payment's method is the default
    fields = sent(paying, admin, paid_on="2026-05-18")
    adas = {name: value for name, value in fields.items() if not name.endswith(paying.bob["id"])}
    with statements_sent() as first:
        assert admin.send(run, page=run, **adas).status_code == 303
    for creator in creators:
        name = creator["display_name"]
        days = week_until(3)
        paying.earnings[name] = earning(paying.tenant, paying.structure, creator, days, 1_000)
    paying.publish()
    for creator in creators:
        paying.decide(creator["display_name"], status="approved")
    fields = sent(paying, admin, paid_on="2026-05-18")
    with statements_sent() as second:
        assert admin.send(run, page=run, **fields).status_code == 303
    assert [payment["amount_cents"] for payment in payments(paying)] == [
        10_000,
        5_000,
        *[1_000] * 4,
        1,
    ]
    assert len(second) <= len(first)


def test_a_run_is_recorded_whole_or_names_the_conflicting_creator(
    paying: Paying, admin: Sitter, other: Any
) -> None:
    run, ada, bob = f"{admin.home}/payouts/run", paying.ada["id"], paying.bob["id"]
    for changes, sentence in (
        ({f"payout_method_id.{bob}": ""}, "Choose a payout method for bob"),
        (
            {f"version.{ada}": "1", f"version.{bob}": "1"},
            "The amounts of ada, bob have changed since this page was opened",
        ),
        ({"reference": "x" * 201}, "Enter at most 200 characters"),
        ({"paid_on": "2026-05-21"}, "Enter today or an earlier date"),
        (
            {f"selected.{other.creator('zoe')['id']}": "yes"},
            "A selected creator was paid in the meantime",
        ),
    ):
        fields = {"paid_on": "2026-05-18", **sent(paying, admin), **changes}
        refused = admin.send(run, page=run, **fields)
        assert refused.status_code == 400
        assert sentence in refused.text
        assert ("highlighted" in refused.text) == ('aria-invalid="true"' in refused.text)
        assert f'value="{fields["paid_on"]}"' in refused.text
        assert payments(paying) == []
    fields = sent(paying, admin)
    nobody = {name: value for name, value in fields.items() if not name.startswith("selected")}
    assert "Select at least one creator" in admin.send(run, page=run, **nobody).text
    # Amounts paid meanwhile are not in the run; the remaining creators can still be paid.
    paying.pay("settled")
    assert "A selected creator was paid in the meantime" in admin.send(run, page=run, **fields).text
    left = {name: value for name, value in fields.items() if not name.endswith(ada)}
    assert admin.send(run, page=run, **left).status_code == 303


def test_a_run_pays_by_a_default_method(paying: Paying, admin: Sitter) -> None:
    run = f"{admin.home}/payouts/run"
    first, second = paying.tenant.client.data("GET", "/payout-methods")[:2]
    own = {"payout_method_id": second["id"], "details": {"iban": "DE00", "since": 2026}}
    paying.tenant.client.data("PUT", f"/creators/{paying.bob['id']}/payout-account", json=own)
    fields = sent(paying, admin, paid_on="2026-05-18", payout_method_id=first["id"])
    rows = {
        f"payout_method_id.{paying.ada['id']}": "",
        f"payout_method_id.{paying.bob['id']}": second["id"],
    }
    csv = admin.send(f"{run}/csv", page=run, **{**fields, **rows}).text
    assert f"ada,{first['name']}" in csv
    assert f"bob,{second['name']},50.00,USD,,iban: DE00; since: 2026" in csv
    csv = admin.send(f"{run}/csv", page=run, **{**fields, **rows, "for_all": "yes"}).text
    assert f"bob,{first['name']},50.00,USD,,\n" in csv.replace("\r", ""), "paid by another method"
    answer = admin.send(run, page=run, **{**fields, **rows})
    page = read(admin.get(answer.headers["Location"]))
    assert "2 payments recorded, $150.00." in page
    made = payments(paying)
    assert {payment["payout_method_id"] for payment in made} == {first["id"], second["id"]}


def test_a_payment_just_recorded_is_undone_whole(paying: Paying, admin: Sitter) -> None:
    run = f"{admin.home}/payouts/run"
    answer = admin.send(run, page=run, **sent(paying, admin))
    page = admin.get(answer.headers["Location"])
    [ids] = re.findall(r'name="void" value="([^"]+)"', page.text)
    done = admin.send(answer.headers["Location"], page=run, void=ids)
    shown = read(admin.get(done.headers["Location"]))
    assert "2 payments void, $150.00. The amounts can be paid again." in shown
    for payment in payments(paying):
        assert payment["status"] == "void"
        assert payment["readme"] == "Void: Undone right after it was recorded"
    assert "Total: $150.00" in read(admin.get(run))
    # If one of two payments was voided since, neither is undone.
    answer = admin.send(run, page=run, **sent(paying, admin))
    live = [payment for payment in payments(paying) if payment["status"] == "paid"]
    paying.change(live[0], status="void")
    ids = ",".join(payment["id"] for payment in live)
    assert admin.send(answer.headers["Location"], page=run, void=ids).status_code == 409
    assert "paid" in {payment["status"] for payment in payments(paying)}


def test_a_run_pays_no_other_amounts_with_the_same_total(paying: Paying, admin: Sitter) -> None:
    run = f"{admin.home}/payouts/run"
    fields = sent(paying, admin, paid_on="2026-05-18")
    # Meanwhile Ada's first week is paid, and her third, of the same amount, is approved.
    paying.pay("settled")
    paying.publish(last=10_000)
    paying.decide("last", status="approved")
    for path in (run, f"{run}/csv"):
        refused = admin.send(path, page=run, **fields)
        assert refused.status_code == 400
        assert "The amounts of ada have changed" in refused.text
    assert [payment["accrual_ids"] for payment in payments(paying)] == [[paying.id_of("settled")]]
    again = sent(paying, admin, paid_on="2026-05-18")
    assert admin.send(run, page=run, **again).status_code == 303
    assert sorted(payment["amount_cents"] for payment in payments(paying)) == [
        5_000,
        10_000,
        10_000,
    ]


def test_a_run_pays_the_amounts_of_the_filtered_list(paying: Paying, admin: Sitter) -> None:
    listed = admin.get(f"{admin.home}/payouts?status=approved&creator=bo&from=2026-05-01").text
    [run] = re.findall(r'href="([^"]+/run[^"]*)">Start payment run', listed)
    page = admin.get(unescape(run))
    assert ("Total: $50.00" in read(page), "Remove filter: bo" in read(page)) == (True, True)
    assert "amounts of all rules and of earlier periods: deductions among them count" in read(page)
    fields = {**sent(paying, admin), "creator": "bo"}
    refused = admin.send(f"{admin.home}/payouts/run", page=admin.home, **fields)
    assert "A selected creator was paid in the meantime" in refused.text, "Ada is not in this run"
    bobs = {name: value for name, value in fields.items() if not name.endswith(paying.ada["id"])}
    assert admin.send(f"{admin.home}/payouts/run", page=admin.home, **bobs).status_code == 303
    assert [payment["creator_id"] for payment in payments(paying)] == [paying.bob["id"]]


def test_a_run_of_a_filtered_list_pays_its_creators_whole(paying: Paying) -> None:
    """By the list's rule Ada earned $70.00 and Bob nothing; another rule deducts $10.00 from Ada.

    The Bonus pays Bob $50.00.
    """
    tenant, weeks = paying.tenant, (week_until(3), week_until(10))
    path = f"/payout-structures/{tenant.payout_structure(rule('recurring', amount_cents=1))}"
    bonus = tenant.client.data("GET", path)
    paying.earnings |= {
        "deduction": earning(tenant, bonus, paying.ada, weeks[0], -1_000),
        "bonus": earning(tenant, bonus, paying.bob, weeks[1], 5_000),
    }
    paying.publish()
    for name in ("last", "deduction", "bonus"):
        paying.decide(name, status="approved")
    admin = Sitter(tenant)
    for filters, total in (
        (f"rule={paying.structure['id']}", "$60.00 . $10.00 less than these creators have in"),
        (f"rule={bonus['id']}&from=2026-05-05&to=2026-05-10", "$50.00 Select"),
        ("from=2026-05-11&to=2026-05-17", "$60.00 . $10.00 less than these creators have"),
    ):
        listed = admin.get(f"{admin.home}/payouts?status=approved&{filters}").text
        [run] = re.findall(r'href="([^"]+/run[^"]*)">Start payment run', listed)
        page = admin.get(unescape(run))
        assert f"Total: {total}" in read(page), filters
    hidden = dict(re.findall(r'type="hidden" name="(since|until|rule)" value="([^"]+)"', page.text))
    fields = sent(paying, admin, paid_on="2026-05-18")
    run = f"{admin.home}/payouts/run"
    assert "was paid in the meantime" in admin.send(run, page=run, **fields, **hidden).text
    adas = {name: value for name, value in fields.items() if not name.endswith(paying.bob["id"])}
    assert admin.send(run, page=run, **adas, **hidden).status_code == 303
    assert [payment["amount_cents"] for payment in payments(paying)] == [6_000]


def test_a_run_ends_with_the_periods_until_a_day(paying: Paying, admin: Sitter) -> None:
    run = f"{admin.home}/payouts/run"
    assert "There are no approved amounts" in read(admin.get(f"{run}?until=2026-05-02"))
    assert "Total: $150.00" in read(admin.get(f"{run}?until=2026-05-03"))
    assert admin.get(f"{run}?until=May").status_code == 400
    fields = sent(paying, admin, until="2026-05-02")
    assert "A selected creator was paid in the meantime" in admin.send(run, page=run, **fields).text
    assert payments(paying) == []


def test_a_part_of_the_due_amounts_is_paid(paying: Paying, admin: Sitter) -> None:
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
    assert "Select at least one item first" in admin.send(pay, page=pay, **fields).text
    fields[f"selected.{last}"] = "yes"
    # The Enter key presses the first button, which applies to all.
    enter = {name: value for name, value in fields.items() if name != "selected"}
    assert "clear the selection" in admin.send(pay, page=pay, **enter).text
    odd = {**fields, f"cents-{last}": "all"}
    assert "Choose items on this page" in admin.send(pay, page=pay, **odd).text
    assert payments(paying) == []
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


def test_deductions_are_in_the_first_payment(
    paying: Paying, admin: Sitter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ada's first week is paid, and worth $60.00 less by now; her third week is $70.00."""
    paying.pay("settled")
    paying.publish(settled=4_000)
    [adjustment] = paying.adjustments()
    path = f"/payout-accruals/{adjustment['id']}"
    paying.tenant.client.data("PATCH", path, json={"status": "approved"})
    paying.decide("last", status="approved")
    run = f"{admin.home}/payouts/run"
    assert "Total: $60.00" in read(admin.get(run))
    monkeypatch.setattr("serving_api.desk.payouts.payment_runs.MOST_AMOUNTS", 2)
    assert "Total: $10.00 . More creators or amounts follow" in read(admin.get(run))


def test_deductions_of_others_do_not_displace_those_of_a_payee(
    paying: Paying, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bob owes $50.00 and is due nothing; of Ada's $90.00 her first week takes back $10.00."""
    admin, whose = Sitter(paying.tenant), (paying.tenant, paying.structure)
    paying.earnings["second"] = earning(*whose, paying.ada, week_until(10), 2_000)
    april = date(2026, 4, 20), date(2026, 4, 26)
    paying.earnings["early"] = earning(*whose, paying.bob, april, 5_000)
    paying.publish()
    paying.pay("settled")
    paying.pay("early", creator_id=paying.bob["id"])
    paying.publish(settled=9_000, early=None)
    for adjustment in paying.adjustments():
        path = f"/payout-accruals/{adjustment['id']}"
        paying.tenant.client.data("PATCH", path, json={"status": "approved"})
    for name in ("last", "second"):
        paying.decide(name, status="approved")
    run = f"{admin.home}/payouts/run"
    assert "Total: $80.00" in read(admin.get(run))
    monkeypatch.setattr("serving_api.desk.payouts.payment_runs.MOST_AMOUNTS", 2)
    assert "Total: $60.00 . More creators or amounts follow" in read(admin.get(run))
