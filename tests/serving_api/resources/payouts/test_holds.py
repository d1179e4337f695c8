"""Amounts on hold: the refused actions, who releases them, and what is released.

The organization, its accruals and days are those of tests/fixtures/payouts.py. Readings are
anomalous if the publication says so.
"""

import re
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import func, select, text, update

from serving_api.resources.payouts.accruals import holds
from serving_api.resources.payouts.payments import repository
from tests.contract.cases import HOOK
from tests.factories.accruals import earning, publish_earnings
from tests.factories.payouts import rule
from tests.factories.visitors import read
from tests.fixtures.api import NOW
from tests.fixtures.desk import Sitter
from tests.fixtures.payouts import LIST, PAYMENTS, Paying
from warehouse.operational.models import PayoutHoldRelease, PayoutManualHold, PayoutMethod

POST = uuid4()
FELL = "600 of 1,000 views are gone"


def odd(paying: Paying, name: str, number: int = 1, **changes: Any) -> dict[str, Any]:
    """A row of payout_holds: an anomalous reading behind an accrual."""
    content = paying.earnings[name].content
    return {
        "accrual_id": paying.earnings[name].id,
        "anomaly_id": UUID(int=number),
        "organization_id": content.organization_id,
        "project_id": content.project_id,
        "structure_id": content.structure_id,
        "creator_id": content.creator_id,
        "video_id": POST,
        "captured_at": datetime(2026, 5, number, tzinfo=NOW.tzinfo),
        "reason": "fall",
        "sentence": FELL,
        "released_at": None,
        "is_held": True,
        **changes,
    }


def publish(paying: Paying, rows: Iterable[dict[str, Any]], **cents: int) -> None:
    """Publish the accruals with anomalous readings behind them."""
    api = paying.tenant.api
    earnings = [
        paying.amounting(name, cents.get(name, accrual.content.amount_cents))
        for name, accrual in paying.earnings.items()
    ]
    publish_earnings(
        api.settings, api.store, earnings, settling_days=3, decided_up_to=0, payout_holds=rows
    )


def release(paying: Paying, name: str, **sent: Any) -> Any:
    path = f"{paying.path(name)}/release"
    return paying.tenant.client.data("POST", path, json={"reason": "Recounted"}, **sent)


def refused(paying: Paying, name: str) -> None:
    """Assert that the amount can be neither approved nor paid."""
    client, held = paying.tenant.client, {"accrual_ids": [paying.id_of(name)]}
    body = {"status": "approved"}
    meta = client.refusal("PATCH", paying.path(name), "accrual_held", json=body)
    assert held.items() <= meta.items()
    assert held.items() <= paying.refused("accrual_held", name).items()


def test_an_amount_on_hold_has_a_reason_and_is_neither_approved_nor_paid(paying: Paying) -> None:
    before = paying.accrual("settled")
    publish(paying, [odd(paying, "settled", 2), odd(paying, "settled", 1, sentence="Odd")])
    held = {
        "reason": f"Review the readings of 1 post: Odd; {FELL}",
        "since_at": "2026-05-01T00:00:00Z",
        "readings_total": 2,
        "readings": [
            {
                "anomaly_id": str(UUID(int=number)),
                "video_id": str(POST),
                "captured_at": f"2026-05-0{number}T00:00:00Z",
                "reason": "fall",
                "sentence": sentence,
            }
            for number, sentence in ((1, "Odd"), (2, FELL))
        ],
    }
    assert before["held"] is None
    assert paying.accrual("settled") == {**before, "held": held}
    assert paying.balance(paying.ada)["accrued_cents"] == 10_000
    assert (paying.listed(held=True), paying.total(held=True)) == (["settled"], 10_000)
    assert paying.listed(held=False) == ["current", "last", "bobs"]
    refused(paying, "settled")
    exported = paying.tenant.client.get("/exports/accruals").text
    assert f"{UUID(int=1)},{UUID(int=2)}" in exported
    statement = paying.tenant.client.data("GET", f"{paying.path('settled')}/statement")["statement"]
    assert "held" not in statement["accrual"]
    assert "hold_anomalies" not in statement["rule"]
    # It may be voided, which ends the hold.
    assert paying.decide("settled", status="void")["held"] is None


def test_a_release_changes_the_amount_for_callers_with_a_copy(paying: Paying) -> None:
    publish(paying, [odd(paying, "settled")])
    release(paying, "settled")
    later, since = NOW + timedelta(hours=2), (NOW + timedelta(hours=1)).isoformat()
    with paying.tenant.api.store.write_session() as session:
        session.execute(update(PayoutHoldRelease).values(released_at=later))
    assert paying.listed(updated_since=since) == ["settled"]


def test_a_release_names_the_reviewed_hold(paying: Paying) -> None:
    publish(paying, [odd(paying, "settled")])
    paying.tenant.client.data("POST", "/webhook-endpoints", json=HOOK)
    key = {"Idempotency-Key": "once"}
    freed = release(paying, "settled", headers=key)
    assert (freed["held"], freed["status"], freed["amount_cents"]) == (None, "final", 10_000)
    assert release(paying, "settled", headers=key) == freed
    assert release(paying, "settled")["held"] is None
    [event] = paying.tenant.client.data("GET", "/webhook-events")
    assert (event["type"], event["entity_id"]) == ("accrual.released", paying.id_of("settled"))
    # Another anomaly requires another review.
    publish(paying, [odd(paying, "settled"), odd(paying, "settled", 2)])
    assert [reading["anomaly_id"] for reading in paying.accrual("settled")["held"]["readings"]] == [
        str(UUID(int=2))
    ]
    refused(paying, "settled")
    # It is no longer anomalous.
    publish(paying, [odd(paying, "settled")])
    assert paying.decide("settled", status="approved")["held"] is None
    # An approval does not cover later anomalies.
    publish(paying, [odd(paying, "settled", 3)])
    assert paying.accrual("settled")["status"] == "approved"
    assert paying.refused("accrual_held", "settled")
    release(paying, "settled")
    paying.pay("settled")


def test_an_amount_settles_until_anomalies_in_its_readings_are_known(paying: Paying) -> None:
    """The organization's settling time is zero. The day ended on 19 May at midnight, 12 h ago."""
    tenant = paying.tenant
    structure_id = tenant.payout_structure(rule("cpm", period="daily", hold_anomalies=True))
    structure = tenant.client.data("GET", f"/payout-structures/{structure_id}")
    yesterday = (NOW - timedelta(days=1)).date()
    made = earning(tenant, structure, paying.ada, (yesterday, yesterday), 3_000)
    accrual = replace(made, is_checked=True)
    path, settles_at = f"{LIST}/{accrual.id}", NOW.replace(hour=0) + timedelta(days=2)
    method = tenant.client.data("GET", "/payout-methods")[0]["id"]
    payment = paying.payment() | {"accrual_ids": [str(accrual.id)], "payout_method_id": method}

    def publish_at(as_of: datetime) -> None:
        publish_earnings(
            tenant.api.settings, tenant.api.store, [accrual], as_of=as_of, decided_up_to=0
        )

    publish_at(NOW)
    for _ in range(2):
        waiting = tenant.client.data("GET", path)
        assert waiting["status"] == "settling"
        assert datetime.fromisoformat(waiting["settles_at"]) == settles_at
        tenant.client.refusal("POST", PAYMENTS, "accrual_open", json=payment)
        # The same with a newer decision.
        tenant.client.data("PATCH", path, json={"note": "HealthInputs at"})
    publish_at(settles_at - timedelta(microseconds=1))
    assert tenant.client.data("GET", path)["status"] == "settling"
    publish_at(settles_at)
    settled = tenant.client.data("GET", path)
    assert (settled["status"], settled["settles_at"]) == ("final", None)


def test_a_paid_amount_stays_paid_and_only_the_increase_waits(paying: Paying) -> None:
    paying.pay("settled")
    publish(paying, [odd(paying, "settled")])
    assert (paying.accrual("settled")["status"], paying.accrual("settled")["held"]) == (
        "paid",
        None,
    )
    publish(paying, [odd(paying, "settled")], settled=9_000)
    [less] = paying.adjustments()
    assert (less["amount_cents"], less["held"]) == (-1_000, None)
    publish(paying, [odd(paying, "settled")], settled=12_000)
    [more] = paying.adjustments()
    assert (more["amount_cents"], more["held"]["readings_total"]) == (2_000, 1)
    body = {"reason": "Recounted"}
    freed = paying.tenant.client.data("POST", f"{LIST}/{more['id']}/release", json=body)
    assert (freed["held"], freed["kind"]) == (None, "adjustment")


def test_a_mark_that_comes_after_the_payment_is_in_program_health(paying: Paying) -> None:
    def odd_payments() -> Any:
        path = f"/projects/{paying.tenant.project_id}/program-health"
        return paying.tenant.client.data("GET", path)["alerts"]["odd_payments"]

    payment = paying.pay("settled")
    publish(paying, [odd(paying, "settled"), odd(paying, "bobs", 2)])
    [late] = odd_payments()
    assert late["held"].pop("readings")[0]["anomaly_id"] == str(UUID(int=1))
    assert late == {
        "accrual_id": paying.id_of("settled"),
        "payment_id": payment["id"],
        "creator_id": paying.ada["id"],
        "amount_cents": 10_000,
        "currency": "USD",
        "held": {
            "reason": f"Review the readings of 1 post: {FELL}",
            "since_at": "2026-05-01T00:00:00Z",
            "readings_total": 1,
        },
    }
    assert release(paying, "settled")["status"] == "paid"
    assert odd_payments() == []


@pytest.fixture
def admin(paying: Paying) -> Sitter:
    return Sitter(paying.tenant)


def test_the_desk_approves_the_rest_and_shows_holds(paying: Paying, admin: Sitter) -> None:
    publish(paying, [odd(paying, "settled")])
    payouts = f"{admin.home}/payouts"
    due, amount = admin.get(payouts).text, f"{payouts}/amounts/{paying.id_of('settled')}"
    assert f'value="{paying.id_of("bobs")}"' in due
    assert f'value="{paying.id_of("settled")}"' not in due
    page = admin.get(amount).text
    assert FELL in page
    assert 'value="approved"' not in page
    assert admin.send(f"{amount}/release", page=amount, reason="Recounted").status_code == 303
    after = admin.get(amount)
    assert 'value="approved"' in after.text
    assert re.search(r"Released 20 May 2026, \d\d:\d\d by .+?: Recounted", read(after))


def test_the_desk_confirms_an_odd_reading_paid_before(
    paying: Paying, admin: Sitter, monkeypatch: pytest.MonkeyPatch
) -> None:
    paying.pay("settled")
    publish(paying, [odd(paying, "settled")])
    amount = f"{admin.home}/payouts/amounts/{paying.id_of('settled')}"
    overview = admin.get(admin.home).text
    assert f'href="{amount}">ada: paid amount with anomalies found later</a>' in overview
    with monkeypatch.context() as patched:
        patched.setattr("serving_api.desk.overview.MOST_NAMED", 0)
        assert "More paid amounts have anomalies found later" in read(admin.get(admin.home))
    page = admin.get(amount).text
    assert FELL in page
    assert admin.send(f"{amount}/release", page=amount, reason="Recounted").status_code == 303
    assert "Confirm payment" not in admin.get(amount).text
    assert "found later" not in admin.get(admin.home).text


class TestManualHold:
    """An admin puts an amount on hold at the desk."""

    def test_it_waits_until_it_is_released_and_both_can_be_undone(
        self, paying: Paying, admin: Sitter
    ) -> None:
        before = paying.accrual("settled")
        paying.tenant.client.data("POST", "/webhook-endpoints", json=HOOK)
        payouts = f"{admin.home}/payouts"
        amount = f"{payouts}/amounts/{before['id']}"

        def page_after(action: str, **fields: str) -> str:
            answer = admin.send(f"{amount}/{action}", page=amount, **fields)
            page = admin.get(answer.headers["Location"])
            undo.update(undo_on(page.text))
            return read(page)

        undo: dict[str, str] = {}
        assert "$100.00 put on hold. Undo" in page_after("hold", reason="Not signed.")
        held = paying.accrual("settled")
        assert held | {"held": None} == before
        assert held["held"]["reason"].endswith(" put it on hold: Not signed")
        assert (held["held"]["since_at"], held["held"]["readings_total"]) == (
            "2026-05-20T12:00:00Z",
            0,
        )
        refused(paying, "settled")
        assert paying.balance(paying.ada)["accrued_cents"] == 10_000
        assert (paying.listed(held=True), paying.total(held=True)) == (["settled"], 10_000)
        due = admin.get(payouts).text
        assert f'value="{paying.id_of("bobs")}"' in due
        assert f'value="{before["id"]}"' not in due

        assert "$100.00 released." in page_after("release", **undo)
        assert paying.accrual("settled") == before
        page_after("hold", reason="Not signed")
        assert "$100.00 released. Undo" in page_after("release", reason="Signed")
        page = page_after("hold", **undo)
        assert "put it on hold: Not signed" in page
        refused(paying, "settled")
        page = page_after("release", reason="Signed at last")
        assert re.search(r"Put on hold 20 May 2026, \d\d:\d\d by .+?: Not signed", page)
        assert re.search(r"Released 20 May 2026, \d\d:\d\d by .+?: Signed at last", page)
        paying.pay("settled")
        events = paying.tenant.client.data("GET", "/webhook-events")
        assert [event["type"] for event in events if event["type"] != "payment.recorded"] == [
            "accrual.released",
            "accrual.held",
        ] * 3
        assert {("page", "hold_amount"), ("page", "release_amount")} <= {*admin.audit_events()}

    def test_callers_with_a_copy_get_an_event(self, paying: Paying, admin: Sitter) -> None:
        hold(paying, admin, "settled")
        with paying.tenant.api.store.write_session() as session:
            session.execute(update(PayoutManualHold).values(created_at=NOW + timedelta(hours=2)))
        since = (NOW + timedelta(hours=1)).isoformat()
        assert paying.listed(updated_since=since) == ["settled"]

    def test_what_cannot_wait_is_refused(self, paying: Paying, admin: Sitter) -> None:
        assert hold(paying, admin, "settled", reason=" ").status_code == 400
        member = Sitter(paying.tenant, role="member")
        assert hold(paying, member, "settled").status_code == 403
        assert hold(paying, admin, "settled").status_code == 303
        assert "already put this amount on hold" in hold(paying, admin, "settled").text
        paying.decide("settled", status="void")
        assert "Only unpaid amounts above zero" in hold(paying, admin, "settled").text
        paying.pay("bobs", creator_id=paying.bob["id"])
        assert "already in a payment" in hold(paying, admin, "bobs").text

    def test_a_void_amount_on_hold_is_not_approved(self, paying: Paying, admin: Sitter) -> None:
        hold(paying, admin, "settled")
        paying.decide("settled", status="void")
        body = {"status": "approved"}
        paying.tenant.client.refusal("PATCH", paying.path("settled"), "accrual_held", json=body)

    def test_a_process_without_holds_neither_approves_nor_pays(
        self, paying: Paying, admin: Sitter, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A process of the previous version, during an upgrade."""
        payment = paying.payment("settled")
        hold(paying, admin, "settled")
        for module in (holds, repository):
            monkeypatch.setattr(module, "odd_behind", lambda *_: {})
        client = paying.tenant.client
        approved = client.patch(paying.path("settled"), json={"status": "approved"})
        paid = client.post(PAYMENTS, json=payment)
        assert (approved.status_code, paid.status_code) == (500, 500), approved.text + paid.text
        monkeypatch.undo()
        release(paying, "settled")
        paying.decide("settled", status="approved")
        paying.pay("settled")

    def test_undo_releases_that_hold_alone(self, paying: Paying, admin: Sitter) -> None:
        """Neither newer anomalies nor another user's hold."""
        amount = f"{admin.home}/payouts/amounts/{paying.id_of('settled')}"
        hold(paying, admin, "settled")
        undo = undo_on(admin.get(amount).text)
        publish(paying, [odd(paying, "settled")])
        assert admin.send(f"{amount}/release", page=amount, **undo).status_code == 409
        refused(paying, "settled")
        release(paying, "settled")
        hold(paying, Sitter(paying.tenant), "settled", reason="Bought views")
        assert admin.send(f"{amount}/release", page=amount, **undo).status_code == 409
        assert paying.accrual("settled")["held"]["reason"].endswith(": Bought views")
        refused(paying, "settled")

    def test_a_release_is_of_the_hold_on_its_page(self, paying: Paying, admin: Sitter) -> None:
        publish(paying, [odd(paying, "settled")])
        amount = f"{admin.home}/payouts/amounts/{paying.id_of('settled')}"
        sent = {"reason": "Recounted", "shown": shown_on(admin, amount)}
        hold(paying, Sitter(paying.tenant), "settled", reason="Bought views")
        answer = admin.send(f"{amount}/release", page=amount, **sent)
        assert answer.status_code == 409
        assert "Bought views" in answer.text
        refused(paying, "settled")
        sent["shown"] = shown_on(admin, amount)
        assert admin.send(f"{amount}/release", page=amount, **sent).status_code == 303
        assert paying.accrual("settled")["held"] is None

    def test_a_hold_during_a_payment_is_refused(self, paying: Paying, admin: Sitter) -> None:
        """The payment has read that nothing is on hold, and then waits for its method's row."""
        store, client = paying.tenant.api.store, paying.tenant.client
        payment = paying.payment("settled")
        method = select(PayoutMethod).where(PayoutMethod.id == UUID(payment["payout_method_id"]))
        form = admin.hidden(f"{admin.home}/payouts/amounts/{paying.id_of('settled')}")
        with ThreadPoolExecutor(2) as threads:
            with store.write_session() as session:
                session.execute(method.with_for_update())
                paid = threads.submit(client.post, PAYMENTS, json=payment)
                wait_for_locks(paying, 1, paid)
                held = threads.submit(hold, paying, admin, "settled", form=form)
                wait_for_locks(paying, 2, held)
            assert paid.result(timeout=60).status_code == 201
            assert held.result(timeout=60).status_code == 409
        assert (paying.accrual("settled")["status"], paying.accrual("settled")["held"]) == (
            "paid",
            None,
        )


def hold(paying: Paying, admin: Sitter, name: str, **fields: str) -> Any:
    amount = f"{admin.home}/payouts/amounts/{paying.id_of(name)}"
    sent = {"reason": "Not signed", **fields}
    if "form" not in sent:
        sent["form"] = admin.hidden(amount)
    return admin.post(f"{amount}/hold", data=sent)


def shown_on(admin: Sitter, amount: str) -> str:
    """Return the hold's version in the release form."""
    form = admin.get(amount).text.partition("/release")[2]
    return re.findall(r'name="shown" value="([^"]+)"', form)[0]


def undo_on(page: str) -> dict[str, str]:
    """Return the fields of the page's undo button, or nothing without one."""
    sent = (
        r'name="(undone)" value="([^"]+)">\s*<button type="submit" name="([^"]+)" value="([^"]+)"'
    )
    return {
        name: value for found in re.findall(sent, page) for name, value in (found[:2], found[2:])
    }


def wait_for_locks(paying: Paying, number: int, request: Future[Any]) -> None:
    """Wait until this many requests wait for row locks, or this one has ended."""
    waiting = select(func.count(func.distinct(text("pid")))).select_from(text("pg_locks"))
    with paying.tenant.api.store.read_session() as session:
        while not request.done():
            if (session.scalar(waiting.where(text("not granted"))) or 0) >= number:
                return
            session.rollback()
