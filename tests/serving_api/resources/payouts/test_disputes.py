"""Disputes over HTTP: their reasons and decisions, and who is notified.

The organization, its accruals and days are those of tests/fixtures/payouts.py.
"""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import update

from tests.contract.cases import HOOK
from tests.fixtures.api import NOW
from tests.fixtures.payouts import Paying
from warehouse.operational.models import PayoutDispute

DISPUTES = "/payout-disputes"
TODAY = NOW.isoformat().replace("+00:00", "Z")


def dispute(paying: Paying, name: str, reason: str = "Two posts are missing") -> Any:
    body = {"accrual_id": paying.id_of(name), "reason": reason}
    return paying.tenant.client.data("POST", DISPUTES, json=body)


def decide(paying: Paying, made: Any, state: str, answer: str = "We looked", **body: Any) -> Any:
    body = {"state": state, "answer": answer, **body}
    return paying.tenant.client.data("PATCH", f"{DISPUTES}/{made['id']}", json=body)


def undecided(paying: Paying, made: Any, code: str, /, state: str, **body: Any) -> Any:
    """Return the `meta` of a refused decision; assert that the dispute is unchanged."""
    client, path = paying.tenant.client, f"{DISPUTES}/{made['id']}"
    before = client.data("GET", path)
    body = {"state": state, "answer": "We looked", **body}
    meta = client.refusal("PATCH", path, code, json=body)
    assert client.data("GET", path) == before
    return meta


def listed(paying: Paying, **query: Any) -> list[str]:
    return [each["id"] for each in paying.tenant.client.data("GET", DISPUTES, params=query)]


def let_pass(paying: Paying, made: Any, days: int) -> None:
    """Move a dispute's opening this many days into the past."""
    ago = timedelta(days=days)
    moved = {"opened_at": PayoutDispute.opened_at - ago, "due_at": PayoutDispute.due_at - ago}
    with paying.tenant.api.store.write_session() as session:
        session.execute(update(PayoutDispute).where(PayoutDispute.id == made["id"]).values(moved))


def settling(adjustment: Any) -> dict[str, Any]:
    """The payment fields that pay an adjustment."""
    return {"accrual_ids": [adjustment["id"]]}


def unpaid(paying: Paying) -> list[Any]:
    return [adjustment for adjustment in paying.adjustments() if adjustment["payment_id"] is None]


class TestOpen:
    def test_it_has_the_disputed_amount_and_the_deadline(self, paying: Paying) -> None:
        made = dispute(paying, "settled", "  Two posts\nare missing ")
        me = str(paying.tenant.made.user_id)
        assert made == {
            "id": made["id"],
            "org_id": str(paying.tenant.organization_id),
            "project_id": str(paying.tenant.project_id),
            "creator_id": paying.ada["id"],
            "structure_id": paying.structure["id"],
            "accrual_id": paying.id_of("settled"),
            "period_start": "2026-04-27",
            "period_end": "2026-05-03",
            "currency": "USD",
            "amount_cents": 10_000,
            "state": "open",
            "reason": "Two posts\nare missing",
            "opened_at": TODAY,
            "opened_by": me,
            "due_at": "2026-05-27T12:00:00Z",
            "is_overdue": False,
            "age_days": 0,
            "answer": None,
            "answered_at": None,
            "answered_by": None,
            "resolved_at": None,
            "resolved_by": None,
            "correction_id": None,
            "correction_cents": None,
        }
        assert paying.tenant.client.data("GET", f"{DISPUTES}/{made['id']}") == made

    def test_an_amount_is_disputed_once_at_a_time(self, paying: Paying) -> None:
        first = dispute(paying, "settled")
        body = {"accrual_id": paying.id_of("settled"), "reason": "Again"}
        client = paying.tenant.client
        refused = client.refusal("POST", DISPUTES, "dispute_open", json=body)
        assert refused["dispute_id"] == first["id"]
        decide(paying, first, "answered")
        client.refusal("POST", DISPUTES, "dispute_open", json=body)
        decide(paying, first, "rejected")
        assert dispute(paying, "settled")["id"] != first["id"]

    def test_an_amount_of_another_organization_is_not_found(self, owing: Paying) -> None:
        body = {"accrual_id": str(uuid4()), "reason": "Whose?"}
        owing.tenant.client.refusal("POST", DISPUTES, "not_found", json=body)


class TestDecide:
    @pytest.mark.slow
    def test_a_paid_amount_is_corrected_by_its_adjustment(self, paying: Paying) -> None:
        paying.pay("settled")
        made = dispute(paying, "settled")
        assert undecided(paying, made, "conflict", state="corrected") == {
            "code": "conflict",
            "reason": "not_corrected",
        }
        paying.publish(settled=12_500)
        [adjustment] = paying.adjustments()
        done = decide(paying, made, "corrected", "You were right", correction_id=adjustment["id"])
        assert done == {
            **made,
            "state": "corrected",
            "answer": "You were right",
            "answered_at": TODAY,
            "answered_by": made["opened_by"],
            "resolved_at": TODAY,
            "resolved_by": made["opened_by"],
            "correction_id": adjustment["id"],
            "correction_cents": 2_500,
        }

    @pytest.mark.slow
    def test_only_an_adjustment_of_that_amount_in_force_corrects_it(self, paying: Paying) -> None:
        paying.decide("last", status="approved")
        paying.pay("settled", "last")
        paying.publish(settled=12_500, last=8_000)
        by_cents = {each["amount_cents"]: each["id"] for each in paying.adjustments()}
        made = dispute(paying, "settled")
        for other in (by_cents[1_000], paying.id_of("settled"), paying.id_of("bobs"), str(uuid4())):
            undecided(paying, made, "invalid_body", state="corrected", correction_id=other)
        path = f"/payout-accruals/{by_cents[2_500]}"
        paying.tenant.client.data("PATCH", path, json={"status": "void"})
        waived = by_cents[2_500]
        undecided(paying, made, "invalid_body", state="corrected", correction_id=waived)
        undecided(paying, made, "invalid_body", state="rejected", correction_id=waived)

    def test_the_latest_adjustment_since_it_was_disputed_corrects_it(self, paying: Paying) -> None:
        paying.pay("settled")
        paying.publish(settled=12_500)
        [earlier] = paying.adjustments()
        made = dispute(paying, "settled")
        paying.pay(**settling(earlier))
        paying.publish(settled=13_000)
        [second] = unpaid(paying)
        paying.pay(**settling(second))
        paying.publish(settled=13_700)
        [third] = unpaid(paying)
        for other in (earlier, second):
            undecided(paying, made, "invalid_body", state="corrected", correction_id=other["id"])
        done = decide(paying, made, "corrected", correction_id=third["id"])
        assert (done["correction_id"], done["correction_cents"]) == (third["id"], 700)

    @pytest.mark.parametrize("is_paid", [False, True])
    def test_a_correction_that_existed_before_the_dispute_answers_it(
        self, paying: Paying, is_paid: bool
    ) -> None:
        paying.pay("settled")
        paying.publish(settled=12_500)
        [adjustment] = paying.adjustments()
        made = dispute(paying, "settled")
        if is_paid:
            paying.pay(**settling(adjustment))
        done = decide(paying, made, "corrected", correction_id=adjustment["id"])
        assert (done["correction_id"], done["correction_cents"]) == (adjustment["id"], 2_500)

        again = dispute(paying, "settled", "Still too little")
        undecided(paying, again, "invalid_body", state="corrected", correction_id=adjustment["id"])

    def test_corrections_before_the_dispute_that_cancel_out_do_not_answer_it(
        self, paying: Paying
    ) -> None:
        paying.pay("settled")
        paying.publish(settled=12_500)
        paying.pay(**settling(paying.adjustments()[0]))
        paying.publish(settled=10_000)
        [reverse] = unpaid(paying)
        made = dispute(paying, "settled")
        undecided(paying, made, "invalid_body", state="corrected", correction_id=reverse["id"])
        decide(paying, made, "rejected")
        paying.publish(settled=10_400)
        made = dispute(paying, "settled")
        done = decide(paying, made, "corrected", correction_id=reverse["id"])
        assert done["correction_cents"] == 400

    def test_an_amount_that_is_no_longer_paid_is_corrected_by_its_own_change(
        self, paying: Paying
    ) -> None:
        payment = paying.pay("settled")
        paying.publish(settled=12_500)
        paying.pay(**settling(paying.adjustments()[0]))
        paying.change(payment, status="void")
        made = dispute(paying, "settled")
        paying.publish(settled=13_000)
        [open_one] = unpaid(paying)
        undecided(paying, made, "invalid_body", state="corrected", correction_id=open_one["id"])
        done = decide(paying, made, "corrected")
        assert (done["correction_id"], done["correction_cents"]) == (None, 500)

    def test_an_earlier_correction_does_not_correct_a_later_one(self, paying: Paying) -> None:
        paying.pay("settled")
        paying.publish(settled=12_500)
        [first] = paying.adjustments()
        paying.pay(**settling(first))
        paying.publish(settled=13_000)
        [second] = unpaid(paying)
        body = {"accrual_id": second["id"], "reason": "Too little"}
        made = paying.tenant.client.data("POST", DISPUTES, json=body)
        undecided(paying, made, "invalid_body", state="corrected", correction_id=first["id"])

    @pytest.mark.slow
    def test_an_open_adjustment_that_changed_corrects_it(self, paying: Paying) -> None:
        paying.pay("settled")
        paying.publish(settled=12_500)
        made = dispute(paying, "settled")
        paying.publish(settled=13_000)
        [adjustment] = paying.adjustments()
        done = decide(paying, made, "corrected", correction_id=adjustment["id"])
        assert done["correction_cents"] == 500  # 2,500 existed when it was disputed

    @pytest.mark.parametrize(("now", "by"), [(9_000, -1_000), (None, -10_000)])
    def test_an_unpaid_amount_may_change(self, paying: Paying, now: int | None, by: int) -> None:
        made = dispute(paying, "settled")
        undecided(paying, made, "conflict", state="corrected")
        paying.publish(settled=now)
        done = decide(paying, made, "corrected")
        assert (done["correction_cents"], done["correction_id"]) == (by, None)
        assert done["amount_cents"] == 10_000

    def test_an_answer_leaves_it_undecided_and_the_end_is_the_end(self, paying: Paying) -> None:
        made = dispute(paying, "settled")
        answered = decide(paying, made, "answered", "Which posts?")
        assert (answered["answer"], answered["resolved_at"]) == ("Which posts?", None)
        assert undecided(paying, made, "conflict", state="answered")["reason"] == (
            "dispute_answered"
        )
        decide(paying, made, "rejected", "They were private")
        for state in ("answered", "corrected", "rejected"):
            refused = undecided(paying, made, "conflict", state=state)
            assert refused["reason"] == "dispute_rejected"
        undecided(paying, made, "invalid_body", state="open")


class TestClock:
    def test_overdue_disputes_are_listed_and_in_program_health(self, paying: Paying) -> None:
        late, answered, resolved, young = (
            dispute(paying, name) for name in ("settled", "last", "current", "bobs")
        )
        decide(paying, answered, "answered")
        decide(paying, resolved, "rejected")
        for made, days in ((late, 8), (answered, 7), (resolved, 30), (young, 6)):
            let_pass(paying, made, days)
        assert listed(paying) == [each["id"] for each in (young, answered, late, resolved)]
        assert listed(paying, overdue=True) == [answered["id"], late["id"]]
        assert listed(paying, overdue=False) == [young["id"], resolved["id"]]
        ages = {
            each["id"]: (each["age_days"], each["is_overdue"])
            for each in paying.tenant.client.data("GET", DISPUTES)
        }
        assert ages[late["id"]] == (8, True)
        assert ages[answered["id"]] == (7, True)
        assert ages[young["id"]] == (6, False)
        assert ages[resolved["id"]] == (30, False)
        path = f"/projects/{paying.tenant.project_id}/program-health"
        [first, second] = paying.tenant.client.data("GET", path)["alerts"]["overdue_disputes"]
        assert first == {
            "dispute_id": late["id"],
            "accrual_id": paying.id_of("settled"),
            "creator_id": paying.ada["id"],
            "amount_cents": 10_000,
            "currency": "USD",
            "opened_at": "2026-05-12T12:00:00Z",
            "due_at": "2026-05-19T12:00:00Z",
        }
        assert second["dispute_id"] == answered["id"]

    def test_filters_and_pages(self, paying: Paying) -> None:
        made = [dispute(paying, name)["id"] for name in ("settled", "last", "bobs")]
        assert listed(paying, creator_id=paying.bob["id"]) == [made[2]]
        assert listed(paying, accrual_id=paying.id_of("last"), state="open") == [made[1]]
        assert listed(paying, state="rejected") == []
        assert listed(paying, structure_id=paying.structure["id"], limit=2) == [made[2], made[1]]
        answer = paying.tenant.client.answer("GET", DISPUTES, params={"limit": 2})
        cursor = answer["meta"]["nextCursor"]
        assert listed(paying, limit=2, cursor=cursor) == [made[0]]


def test_programs_get_events_when_it_is_opened_and_when_it_is_resolved(paying: Paying) -> None:
    client = paying.tenant.client
    client.data("POST", "/webhook-endpoints", json=HOOK)
    made = dispute(paying, "settled", "My secret reason")
    decide(paying, made, "answered", "A secret answer")
    decide(paying, made, "rejected")
    resolved, opened = client.data("GET", "/webhook-events", params={"entity_id": made["id"]})
    assert (opened["type"], resolved["type"]) == ("dispute.opened", "dispute.resolved")
    assert opened["data"] == {
        "dispute_id": made["id"],
        "accrual_id": made["accrual_id"],
        "project_id": made["project_id"],
        "creator_id": made["creator_id"],
        "structure_id": made["structure_id"],
        "amount_cents": 10_000,
        "currency": "USD",
        "state": "open",
        "due_at": "2026-05-27T12:00:00+00:00",
        "correction_id": None,
        "correction_cents": None,
    }
    assert resolved["data"] == {**opened["data"], "state": "rejected"}
