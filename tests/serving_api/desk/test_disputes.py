"""Disputed amounts: listed in the inbox, answered on the amount's page."""

import re
from dataclasses import replace
from html import escape
from typing import Any
from uuid import UUID

import pytest

from tests.factories.accruals import earning
from tests.factories.visitors import read, visiting
from tests.fixtures.desk import Sitter, beside
from tests.fixtures.launched import Launched
from tests.fixtures.payouts import Paying, week_until

pytestmark = pytest.mark.slow


WHY, ANSWER = "I posted <b>twice</b>", "The week had\n<i>six</i> days."


@pytest.fixture(scope="module")
def admin(launched: Launched) -> Sitter:
    return Sitter(launched.tenant)


MONEY = ("correct_cents", "correction_reason")


def accepting(dollars: str) -> dict[str, str]:
    """Fields that accept a dispute with a corrected amount."""
    money = dict(zip(MONEY, (dollars, "Two posts"), strict=True))
    return {"state": "accepted", "answer": ANSWER, **money}


def open_dispute(launched: Launched, name: str) -> Any:
    body = {"accrual_id": launched.id_of(name), "reason": WHY}
    return launched.tenant.client.data("POST", "/payout-disputes", json=body)


def test_an_admin_answers_and_the_creator_reads_it(launched: Launched, admin: Sitter) -> None:
    with visiting(launched.tenant, launched.ada) as visitor:
        amount = f"/amounts/{launched.id_of('last')}"
        visitor.post(amount, data={"reason": WHY})
        [dispute] = launched.tenant.client.data("GET", "/payout-disputes", params={"state": "open"})
        page = f"{admin.home}/payouts/amounts/{dispute['accrual_id']}"
        assert f'<a href="{page}">1 disputed amount</a>' in admin.get(admin.home).text
        inbox = admin.get(f"{admin.home}/inbox")
        assert f"$70.00 for Ada: {WHY} The creator, 20 May 2026; due by" in read(inbox)
        assert WHY not in inbox.text
        send = f"{page}/disputes/{dispute['id']}"
        empty = admin.send(send, page=page, state="answered", answer=" ")
        assert empty.status_code == 400
        assert "This field is required" in empty.text
        admin.send(send, page=page, state="answered", answer=ANSWER)
        assert "answered, due by" in read(admin.get(f"{admin.home}/inbox"))
        # `corrected` is refused until a correction exists.
        early = admin.send(send, page=page, state="corrected", answer=ANSWER)
        assert (early.status_code, "has not changed yet" in early.text) == (409, True)
        assert escape(ANSWER) in early.text
        # The page explains how an amount changes, before and after the error.
        rule = f"{admin.home}/settings/structures/{dispute['structure_id']}"
        for shown in (admin.get(page), early):
            assert f'<a href="{rule}/creators">assign the creator' in shown.text
            assert f'<a href="{rule}">change it' not in shown.text
            assert "Accept with a correction" in shown.text
            assert "REST API" not in shown.text
        assert "rule" not in early.text.partition("has not changed yet")[2].partition("<")[0]
        admin.send(send, page=page, state="rejected", answer=ANSWER)
        assert "<i>six" in read(visitor.get(amount))
        assert "amount unchanged" in read(visitor.get(amount))
    assert "Disputed amounts" not in read(admin.get(f"{admin.home}/inbox"))
    # The amount's page links the list of closed disputes.
    closed = f"{admin.home}/inbox/disputes"
    assert f'<a href="{closed}">All disputes</a>' in admin.get(page).text
    listed = read(admin.get(f"{closed}?state=rejected"))
    assert (
        f"$70.00 for Ada 11 May 2026 to 17 May 2026 Rejected 20 May 2026 by the creator {WHY}"
        in listed
    )
    assert "six</i> days. 20 May 2026, 12:00 by M" in listed
    assert "No disputes match." in read(admin.get(f"{closed}?state=open"))


def test_two_disputed_amounts_are_opened_as_a_list(
    launched: Launched, admin: Sitter, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = [open_dispute(launched, name) for name in ("settled", "last")]
    assert (
        f'<a href="{admin.home}/inbox#disputed">2 disputed amounts</a>'
        in admin.get(admin.home).text
    )
    assert "At most the newest" not in read(admin.get(f"{admin.home}/inbox"))
    monkeypatch.setattr("serving_api.desk.inbox.MOST_DISPUTES", 2)
    assert "At most the newest 2 open" in read(admin.get(f"{admin.home}/inbox"))
    for dispute in opened:
        body = {"state": "rejected", "answer": ANSWER}
        launched.tenant.client.data("PATCH", f"/payout-disputes/{dispute['id']}", json=body)


def test_corrected_names_the_latest_correction_also_an_older_one(paying: Paying) -> None:
    admin, client = Sitter(paying.tenant), paying.tenant.client
    paying.pay("settled")
    paying.publish(settled=12_500)
    [earlier] = paying.adjustments()
    with visiting(paying.tenant, paying.ada) as visitor:
        visitor.post(f"/amounts/{paying.id_of('settled')}", data={"reason": WHY})
        [dispute] = client.data("GET", "/payout-disputes")
        page = f"{admin.home}/payouts/amounts/{dispute['accrual_id']}"
        sent = {"state": "corrected", "answer": ANSWER}
        named = "“Corrected” names the correction of"
        assert f"{named} $25.00." in read(admin.get(page))
        assert f"/amounts/{earlier['id']}" in admin.get(page).text
        admin.send(f"{page}/disputes/{dispute['id']}", page=page, **sent)
        [done] = client.data("GET", "/payout-disputes")
        assert (done["correction_id"], done["correction_cents"]) == (earlier["id"], 2_500)
        visitor.post(f"/amounts/{paying.id_of('settled')}", data={"reason": WHY})
        [dispute] = client.data("GET", "/payout-disputes", params={"state": "open"})
        paying.pay(accrual_ids=[earlier["id"]])
        paying.publish(settled=12_800)
        [since] = [
            adjustment for adjustment in paying.adjustments() if adjustment["payment_id"] is None
        ]
        assert f"{named} $3.00." in read(admin.get(page))
        admin.send(f"{page}/disputes/{dispute['id']}", page=page, **sent)
        done = client.data("GET", f"/payout-disputes/{dispute['id']}")
        assert (done["correction_id"], done["correction_cents"]) == (since["id"], 300)
        assert "corrected by $3.00" in read(visitor.get(f"/amounts/{paying.id_of('settled')}"))


def test_accepting_pays_the_difference_as_a_bonus(paying: Paying) -> None:
    admin, client = Sitter(paying.tenant), paying.tenant.client
    paying.pay("settled")
    with visiting(paying.tenant, paying.ada) as visitor:
        visitor.post(f"/amounts/{paying.id_of('settled')}", data={"reason": "I posted\ntwice."})
        [dispute] = client.data("GET", "/payout-disputes")
        page = f"{admin.home}/payouts/amounts/{dispute['accrual_id']}"
        shown = admin.get(page).text
        filled = {name: re.search(rf'name="{name}"[^>]* value="([^"]*)"', shown) for name in MONEY}
        assert [value and value[1] for value in filled.values()] == [
            "100.00",
            "Dispute: I posted twice.",
        ]
        send = f"{page}/disputes/{dispute['id']}"
        sent = accepting("107.77") | {"correction_reason": "Two posts."}
        moved = {"analytics_tz": "Pacific/Kiritimati"}  # where the 21st has begun
        client.data("PATCH", f"/organizations/{paying.tenant.organization_id}", json=moved)
        answer = admin.send(send, page=page, **sent)
        done = read(admin.get(answer.headers["Location"]))
        assert "Dispute accepted: Bonus of $7.77 for 21 May 2026. Payouts lists it" in done
        difference = "A bonus pays the difference of $7.77; Payouts lists it after the next run."
        assert difference in done
        made = client.data("GET", f"/payout-disputes/{dispute['id']}")
        assert (made["state"], made["correction_cents"]) == ("corrected", 777)
        [bonus] = client.data("GET", "/payout-structures", params={"is_active": "false"})
        assert (bonus["name"], bonus["amount_cents"]) == ("Bonus for ada: Two posts", 777)
        assert "corrected by $7.77" in read(visitor.get(f"/amounts/{paying.id_of('settled')}"))
    assert admin.send(send, page=page, **sent).status_code == 409
    assert len(client.data("GET", "/payout-structures", params={"is_active": "false"})) == 1
    rule = client.data("GET", f"/payout-structures/{bonus['id']}")
    paid = earning(paying.tenant, rule, paying.ada, week_until(3), 777)
    paying.earnings["bonus"] = replace(paid, id=UUID(made["correction_id"]))
    paying.publish()
    link = f'<a href="{admin.home}/payouts/amounts/{made["correction_id"]}">'
    for shown in (admin.get(page), admin.get(f"{admin.home}/inbox/disputes")):
        assert link in shown.text
    of_bonus = f"{admin.home}/payouts/amounts/{made['correction_id']}"
    assert "Adds to $100.00 after a dispute." in read(admin.get(of_bonus))


@pytest.mark.parametrize(
    ("correct", "bonuses", "cents"),
    [("60", [6_000], -4_000), ("0", [], -10_000), ("107.77", [10_777], 777)],
)
def test_a_correct_amount_replaces_the_disputed_one(
    paying: Paying, correct: str, bonuses: list[int], cents: int
) -> None:
    admin, client = Sitter(paying.tenant), paying.tenant.client
    body = {"accrual_id": paying.id_of("settled"), "reason": WHY}
    dispute = client.data("POST", "/payout-disputes", json=body)
    page = f"{admin.home}/payouts/amounts/{paying.id_of('settled')}"
    assert "The creator reads the claim and the answer on the share page." in admin.get(page).text
    answer = admin.send(f"{page}/disputes/{dispute['id']}", page=page, **accepting(correct))
    done = read(admin.get(answer.headers["Location"]))
    assert "$100.00 will not be paid." in done
    for bonus in bonuses:
        words = f"A bonus of ${bonus / 100:.2f} replaces this amount; Payouts lists it after the"
        assert f"{words} next run." in done
    accrual = paying.accrual("settled")
    assert (accrual["status"], accrual["note"]) == ("void", "Two posts")
    made = client.data("GET", "/payout-structures", params={"is_active": "false"})
    assert [structure["amount_cents"] for structure in made] == bonuses
    done = client.data("GET", f"/payout-disputes/{dispute['id']}")
    assert (done["state"], done["correction_cents"]) == ("corrected", cents)
    assert bool(done["correction_id"]) == bool(bonuses)


def test_a_correction_that_was_paid_counts_if_the_amount_itself_is_replaced(paying: Paying) -> None:
    admin, client = Sitter(paying.tenant), paying.tenant.client
    payment = paying.pay("settled")
    paying.publish(settled=12_500)
    paying.pay(accrual_ids=[each["id"] for each in paying.adjustments()])
    paying.change(payment, status="void")
    body = {"accrual_id": paying.id_of("settled"), "reason": WHY}
    dispute = client.data("POST", "/payout-disputes", json=body)
    page = f"{admin.home}/payouts/amounts/{paying.id_of('settled')}"
    send = f"{page}/disputes/{dispute['id']}"
    assert "Enter at least $25.00" in admin.send(send, page=page, **accepting("20")).text
    assert admin.send(send, page=page, **accepting("60")).status_code == 303
    assert "A bonus of $35.00 replaces this amount; Payouts lists it" in read(admin.get(page))
    [bonus] = client.data("GET", "/payout-structures", params={"is_active": "false"})
    paid = paying.balance(paying.ada)["paid_cents"]
    assert (paid, bonus["amount_cents"]) == (2_500, 3_500)
    assert client.data("GET", f"/payout-disputes/{dispute['id']}")["correction_cents"] == -6_500


@pytest.mark.parametrize(
    ("name", "changed", "message"),
    [
        ("bobs", {"correct_cents": "50"}, "Enter another amount than $50.00"),
        ("bobs", {"correct_cents": ""}, "Enter another amount than $50.00"),
        ("bobs", {"correct_cents": "fifty"}, "Enter dollars with a point"),
        ("bobs", {"correction_reason": " "}, "This field is required"),
        ("current", {"correct_cents": "40"}, "The period ends on 24 May 2026: decide then, or"),
        ("current", {"correct_cents": "140"}, "The period ends on 24 May 2026: decide then, or"),
        ("bobs", {"correct_cents": "-5"}, "The correct amount cannot be negative"),
        ("settled", {"correct_cents": "40"}, "Enter more than $100.00: the amount was paid"),
        ("last", {"correct_cents": "60"}, "Restore this amount first"),
    ],
)
def test_a_correction_that_cannot_be_is_refused_at_its_field(
    paying: Paying, name: str, changed: dict[str, str], message: str
) -> None:
    admin, client = Sitter(paying.tenant), paying.tenant.client
    paying.pay("settled")
    paying.decide("last", status="void")
    body = {"accrual_id": paying.id_of(name), "reason": WHY}
    dispute = client.data("POST", "/payout-disputes", json=body)
    page = f"{admin.home}/payouts/amounts/{paying.id_of(name)}"
    sent = accepting("107.77") | changed
    answer = admin.send(f"{page}/disputes/{dispute['id']}", page=page, **sent)
    assert answer.status_code == 400
    assert message in beside(answer.text, *changed)
    ways = {
        "current": f'/creators/{paying.ada["id"]}/bonus">',
        "settled": '#void">void the payment',
    }
    assert ways.get(name, "") in answer.text
    assert "<details open>" in answer.text
    assert client.data("GET", f"/payout-disputes/{dispute['id']}")["state"] == "open"
    assert client.data("GET", "/payout-structures", params={"is_active": "false"}) == []


def test_lists_mark_disputed_amounts(paying: Paying) -> None:
    admin, client, payouts = Sitter(paying.tenant), paying.tenant.client, "/payouts"
    body = {"accrual_id": paying.id_of("bobs"), "reason": WHY}
    dispute = client.data("POST", "/payout-disputes", json=body)

    def are_disputed() -> list[bool]:
        paths = ("?status=approved", f"/creators/{paying.bob['id']}", "/run")
        return ["isputed" in read(admin.get(f"{admin.home}{payouts}{path}")) for path in paths]

    assert "Disputed" in read(admin.get(f"{admin.home}{payouts}"))
    for name in ("settled", "bobs"):
        paying.decide(name, status="approved")
    assert are_disputed() == [True] * 3
    run = admin.get(f"{admin.home}{payouts}/run")
    assert "1 amount, 1 disputed" in read(run)
    assert "$50.00 of it for creators with disputed amounts: not selected by default" in read(run)
    ticked = re.findall(r'name="selected\.([^"]+)"[^>]* checked', run.text)
    assert ticked == [paying.ada["id"]]
    page = f"{admin.home}{payouts}/amounts/{paying.id_of('bobs')}"
    sent = {"state": "rejected", "answer": ANSWER}
    admin.send(f"{page}/disputes/{dispute['id']}", page=page, **sent)
    assert are_disputed() == [False] * 3


def test_a_member_records_a_creators_claim(paying: Paying) -> None:
    member, client = Sitter(paying.tenant, role="member"), paying.tenant.client
    page = f"{member.home}/payouts/amounts/{paying.id_of('bobs')}"
    empty = member.send(f"{page}/disputes", page=page, claim=" ")
    assert (empty.status_code, beside(empty.text, "claim")) == (400, "This field is required")
    done = member.send(f"{page}/disputes", page=page, claim=WHY)
    [dispute] = client.data("GET", "/payout-disputes")
    assert done.headers["Location"] == f"{page}#dispute-{dispute['id']}"
    shown = read(member.get(done.headers["Location"]))
    assert "Dispute of $50.00 recorded, due by 27 May 2026." in shown
    opened = "M, 20 May 2026, 12:00: open, due by 27 May 2026. All disputes"
    assert f"Open dispute {opened} {WHY}" in shown
    assert f"{WHY} M, 20 May 2026; due by" in read(member.get(f"{member.home}/inbox"))
    assert "20 May 2026 by M" in read(member.get(f"{member.home}/inbox/disputes"))
    assert "Record a dispute" not in shown
    assert (dispute["accrual_id"], dispute["reason"]) == (paying.id_of("bobs"), WHY)
    assert dispute["opened_by"] == str(member.user_id)
    elsewhere = f"{member.home}/payouts/amounts/{UUID(int=1)}"
    assert member.send(f"{elsewhere}/disputes", page=page, claim=WHY).status_code == 404
    with visiting(paying.tenant, paying.bob) as visitor:
        own = read(visitor.get(f"/amounts/{dispute['accrual_id']}"))
        assert "Your organization, 20 May 2026, 12:00: disputed, not answered yet" in own


def test_a_dispute_is_answered_at_its_own_amount_alone(launched: Launched, admin: Sitter) -> None:
    dispute = open_dispute(launched, "eves")
    elsewhere = f"{admin.home}/payouts/amounts/{launched.id_of('settled')}"
    sent = {"state": "rejected", "answer": ANSWER}
    answer = admin.send(f"{elsewhere}/disputes/{dispute['id']}", page=elsewhere, **sent)
    assert answer.status_code == 404
    member = Sitter(launched.tenant, role="member")
    text = read(member.get(f"{member.home}/payouts/amounts/{launched.id_of('eves')}"))
    assert WHY in text
    assert "it stands" not in text
