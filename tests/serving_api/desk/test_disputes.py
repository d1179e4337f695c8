"""Amounts said to be wrong: in the inbox, and answered where they are explained."""

from html import escape
from typing import Any

import pytest

from tests.factories.visitors import read, visiting
from tests.fixtures.desk import Sitter
from tests.fixtures.launched import Launched, launched

__all__ = ["launched"]

WHY, ANSWER = "I posted <b>twice</b>", "The week had\n<i>six</i> days."


@pytest.fixture(scope="module")
def admin(launched: Launched) -> Sitter:
    return Sitter(launched.tenant)


def said(launched: Launched, name: str) -> Any:
    body = {"accrual_id": launched.id_of(name), "reason": WHY}
    return launched.tenant.client.data("POST", "/payout-disputes", json=body, status=201)


def test_an_admin_answers_and_the_creator_reads_it(launched: Launched, admin: Sitter) -> None:
    with visiting(launched.tenant, launched.ada) as visitor:
        amount = f"/amounts/{launched.id_of('last')}"
        visitor.post(amount, data={"reason": WHY})
        [told] = launched.tenant.client.data("GET", "/payout-disputes", params={"state": "open"})
        assert "1 amount said to be wrong" in read(admin.get(admin.home))
        inbox = admin.get(f"{admin.home}/inbox")
        assert f"$70.00 for Ada: {WHY} The creator, 20 May 2026; to be decided" in read(inbox)
        assert WHY not in inbox.text
        page = f"{admin.home}/payouts/amounts/{told['accrual_id']}"
        send = f"{page}/disputes/{told['id']}"
        empty = admin.send(send, page=page, state="answered", answer=" ")
        assert empty.status_code == 400
        assert "This is needed" in empty.text
        admin.send(send, page=page, state="answered", answer=ANSWER)
        assert "answered, to be decided by" in read(admin.get(f"{admin.home}/inbox"))
        # Nothing has corrected the amount, so that nobody can say so.
        early = admin.send(send, page=page, state="corrected", answer=ANSWER)
        assert (early.status_code, "Nothing has corrected" in early.text) == (409, True)
        assert escape(ANSWER) in early.text
        admin.send(send, page=page, state="rejected", answer=ANSWER)
        assert "<i>six" in read(visitor.get(amount))
        assert "left as it is" in read(visitor.get(amount))
    assert "said to be wrong" not in read(admin.get(f"{admin.home}/inbox"))


def test_a_dispute_is_answered_at_its_own_amount_alone(launched: Launched, admin: Sitter) -> None:
    dispute = said(launched, "eves")
    elsewhere = f"{admin.home}/payouts/amounts/{launched.id_of('settled')}"
    sent = {"state": "rejected", "answer": ANSWER}
    answer = admin.send(f"{elsewhere}/disputes/{dispute['id']}", page=elsewhere, **sent)
    assert answer.status_code == 404
    member = Sitter(launched.tenant, role="member")
    shown = read(member.get(f"{member.home}/payouts/amounts/{launched.id_of('eves')}"))
    assert WHY in shown
    assert "it stands" not in shown
