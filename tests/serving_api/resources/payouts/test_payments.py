"""Payments over HTTP: what they freeze and release, and what is refused.

The organization, its accruals and days are those of tests/fixtures/payouts.py.
"""

from pathlib import Path
from uuid import uuid4

import pytest

from tests.fixtures.api import NOW
from tests.fixtures.payouts import PAYMENTS, Paying

TODAY = NOW.isoformat().replace("+00:00", "Z")


class TestCreate:
    def test_a_payment_freezes_what_it_pays(self, paying: Paying) -> None:
        paying.decide("last", status="approved")
        payment = paying.pay("settled", "last", reference="INV-7", readme="Wired")
        assert payment == {
            "id": payment["id"],
            "org_id": str(paying.tenant.organization_id),
            "project_id": str(paying.tenant.project_id),
            "creator_id": paying.ada["id"],
            "payout_method_id": payment["payout_method_id"],
            "amount_cents": 17_000,
            "currency": "USD",
            "status": "paid",
            "accrual_ids": [paying.id_of("settled"), paying.id_of("last")],
            "paid_at": TODAY,
            "reference": "INV-7",
            "receipt_path": None,
            "readme": "Wired",
            "created_at": TODAY,
            "readme_version": payment["readme_version"],
        }
        assert set(paying.listed(status="paid")) == {"settled", "last"}
        assert paying.accrual("settled")["payment_id"] == payment["id"]
        assert paying.tenant.client.data("GET", f"{PAYMENTS}/{payment['id']}") == payment

    def test_a_pending_one_freezes_too_and_is_not_paid(self, paying: Paying) -> None:
        payment = paying.pay("settled", status="pending")
        assert (payment["status"], payment["paid_at"]) == ("pending", None)
        accrual = paying.accrual("settled")
        assert (accrual["status"], accrual["payment_id"]) == ("approved", payment["id"])

    def test_accruals_from_before_a_zone_change_keep_the_structures_zone(
        self, paying: Paying
    ) -> None:
        """money.md M15: accruals have the days and ids of the zone that they were computed in."""
        on_account = paying.pay(amount_cents=10_000)
        client, structure = paying.tenant.client, f"/payout-structures/{paying.structure['id']}"
        organization = f"/organizations/{paying.tenant.organization_id}"
        client.data("PATCH", organization, json={"analytics_tz": "Asia/Tokyo"})
        assert client.data("GET", structure)["timezone"] == "Asia/Tokyo"
        paying.change(on_account, accrual_ids=[paying.id_of("settled")])
        assert client.data("GET", structure)["timezone"] == "UTC"

    def test_an_amount_must_equal_the_sum_of_its_accruals(self, paying: Paying) -> None:
        meta = paying.refused("invalid_body", "settled", amount_cents=9_999)
        assert [issue["path"] for issue in meta["issues"]] == ["amount_cents"]
        assert paying.pay("settled", amount_cents=10_000)["amount_cents"] == 10_000

    def test_on_account(self, paying: Paying) -> None:
        payment = paying.pay(amount_cents=2_500, paid_at="2026-05-01T09:00:00+02:00")
        assert (payment["amount_cents"], payment["accrual_ids"]) == (2_500, [])
        assert payment["paid_at"] == "2026-05-01T07:00:00Z"

    def test_a_sum_of_nothing_is_allowed_and_a_negative_one_is_not(self, paying: Paying) -> None:
        paying.pay("settled")
        paying.publish(settled=3_000)
        [debt] = paying.adjustments()
        meta = paying.refused("invalid_body", accrual_ids=[debt["id"]])
        assert [issue["path"] for issue in meta["issues"]] == ["accrual_ids"]
        paying.decide("last", status="approved")
        both = [debt["id"], paying.id_of("last")]
        assert paying.pay(accrual_ids=both)["amount_cents"] == 0

    def test_accruals_in_other_statuses_are_refused_and_named(self, paying: Paying) -> None:
        for name in ("current", "last"):
            meta = paying.refused("accrual_open", "settled", name)
            assert meta["accrual_ids"] == [paying.id_of(name)]
        paying.decide("last", status="void")
        meta = paying.refused("accrual_void", "settled", "last")
        assert meta["accrual_ids"] == [paying.id_of("last")]
        paying.pay("settled", status="pending")
        meta = paying.refused("accrual_paid", "settled")
        assert meta["accrual_ids"] == [paying.id_of("settled")]
        assert len(paying.tenant.client.data("GET", PAYMENTS)) == 1

    def test_missing_accruals_and_those_of_other_creators(self, paying: Paying) -> None:
        nothing = str(uuid4())
        meta = paying.refused("not_found", "settled", accrual_ids=[nothing])
        assert meta["accrual_ids"] == [nothing]
        for field in ("creator_id", "project_id", "payout_method_id"):
            paying.refused("not_found", "settled", **{field: str(uuid4())})
        meta = paying.refused("invalid_body", "settled", "bobs")
        assert [issue["path"] for issue in meta["issues"]] == ["accrual_ids"]
        second = paying.tenant.client.data(
            "POST",
            f"/organizations/{paying.tenant.organization_id}/projects",
            json={"name": "Second"},
        )
        paying.refused("not_found", "settled", project_id=second["id"])

    def test_a_method_out_of_use(self, paying: Paying) -> None:
        method_id = paying.payment()["payout_method_id"]
        path = f"/payout-methods/{method_id}"
        paying.tenant.client.data("PATCH", path, json={"is_active": False})
        meta = paying.refused("conflict", "settled", payout_method_id=method_id)
        assert meta["reason"] == "inactive_payout_method"

    def test_a_removed_creator_can_still_be_paid(self, paying: Paying) -> None:
        paying.tenant.client.data("DELETE", f"/creators/{paying.ada['id']}")
        assert paying.pay("settled")["status"] == "paid"

    def test_notes_have_a_cap(self, owing: Paying) -> None:
        owing.refused("notes_too_long", amount_cents=1, readme="x" * 50_001)


class TestList:
    def test_filters_and_order(self, paying: Paying) -> None:
        early = paying.pay(amount_cents=1, paid_at="2026-04-30T23:59:59Z")
        waiting = paying.pay(amount_cents=2, status="pending")
        bobs = paying.pay(amount_cents=3, creator_id=paying.bob["id"])

        def ids(**query: str) -> list[str]:
            data = paying.tenant.client.data("GET", PAYMENTS, params=query)
            return [payment["id"] for payment in data]

        assert ids() == [bobs["id"], waiting["id"], early["id"]]
        assert ids(status="pending") == [waiting["id"]]
        assert ids(creator_id=paying.bob["id"]) == [bobs["id"]]
        assert ids(project_id=str(uuid4())) == []
        assert ids(to="2026-04-30") == [early["id"]]
        assert ids(**{"from": "2026-05-20"}) == [bobs["id"], waiting["id"]]
        answer = paying.tenant.client.answer("GET", PAYMENTS, params={"limit": 2})
        assert answer["meta"]["hasMore"]
        assert ids(cursor=answer["meta"]["nextCursor"]) == [early["id"]]


NEXT = {
    "pending": {"pending", "paid", "failed", "void"},
    "paid": {"paid", "failed", "void"},
    "failed": {"failed"},
    "void": {"void"},
}


class TestStatus:
    @pytest.mark.parametrize("before", NEXT)
    def test_what_may_follow_what(self, paying: Paying, before: str) -> None:
        for after in ("pending", "paid", "failed", "void"):
            payment = paying.pay(amount_cents=1, status="paid" if before == "paid" else "pending")
            paying.change(payment, status=before)
            if after in NEXT[before]:
                assert paying.change(payment, status=after)["status"] == after
            else:
                meta = paying.unchanged(payment, "conflict", status=after)
                assert meta["reason"] == f"payment_{before}"

    @pytest.mark.parametrize("end", ["void", "failed"])
    def test_the_end_releases_the_frozen_accruals(self, paying: Paying, end: str) -> None:
        payment = paying.pay("settled")
        ended = paying.change(payment, status=end)
        assert (ended["status"], ended["accrual_ids"]) == (end, payment["accrual_ids"])
        released = paying.accrual("settled")
        assert (released["status"], released["payment_id"]) == ("final", None)
        assert paying.pay("settled")["id"] != payment["id"]

    def test_paying_a_pending_one(self, paying: Paying) -> None:
        payment = paying.pay("settled", status="pending")
        assert paying.change(payment, status="paid")["paid_at"] == TODAY
        assert paying.accrual("settled")["status"] == "paid"
        later = paying.change(payment, paid_at="2026-05-19T00:00:00Z")
        assert later["paid_at"] == "2026-05-19T00:00:00Z"

    def test_only_paid_payments_have_paid_at(self, paying: Paying) -> None:
        payment = paying.pay(amount_cents=1, status="pending")
        paying.unchanged(payment, "invalid_body", paid_at=TODAY)
        day = "2026-05-19T00:00:00Z"
        assert paying.change(payment, status="paid", paid_at=day)["paid_at"] == day


class TestAccrualsLater:
    def test_a_payment_on_account_accepts_them_up_to_its_amount(self, paying: Paying) -> None:
        paying.decide("last", status="approved")
        payment = paying.pay(amount_cents=12_000)
        first = paying.change(payment, accrual_ids=[paying.id_of("settled")])
        assert (first["accrual_ids"], first["amount_cents"]) == ([paying.id_of("settled")], 12_000)
        both = [paying.id_of("settled"), paying.id_of("last")]
        meta = paying.unchanged(payment, "invalid_body", accrual_ids=both)
        assert [issue["path"] for issue in meta["issues"]] == ["accrual_ids"]
        assert paying.accrual("last")["payment_id"] is None
        # Accruals that it already has are skipped.
        assert paying.change(payment, accrual_ids=both[:1])["accrual_ids"] == both[:1]

    def test_other_payments_accept_none(self, paying: Paying) -> None:
        paying.decide("last", status="approved")
        ids = [paying.id_of("last")]
        meta = paying.unchanged(paying.pay("settled"), "conflict", accrual_ids=ids)
        assert meta["reason"] == "not_on_account"
        ended = paying.pay(amount_cents=10_000, status="pending")
        paying.change(ended, status="failed")
        meta = paying.unchanged(ended, "conflict", accrual_ids=ids)
        assert meta["reason"] == "payment_failed"

    def test_they_are_validated_as_in_a_new_payment(self, paying: Paying) -> None:
        payment = paying.pay(amount_cents=50_000)
        for name, code in (("current", "accrual_open"), ("bobs", "invalid_body")):
            paying.unchanged(payment, code, accrual_ids=[paying.id_of(name)])
        paying.decide("settled", status="void")
        ids = [paying.id_of("settled")]
        paying.unchanged(payment, "accrual_void", accrual_ids=ids)
        paying.unchanged(payment, "not_found", accrual_ids=[str(uuid4())])


class TestOtherChanges:
    def test_reference_and_notes(self, paying: Paying) -> None:
        payment = paying.pay(amount_cents=1, reference="A")
        changed = paying.change(payment, reference=None, readme="# Paid late")
        assert (changed["reference"], changed["readme"]) == (None, "# Paid late")
        stale = payment["readme_version"]
        paying.unchanged(payment, "notes_conflict", readme="Mine", expected_readme_version=stale)
        paying.unchanged(payment, "invalid_body", expected_readme_version=stale)
        paying.unchanged(payment, "invalid_body")


class TestBalance:
    def test_it_follows_decisions_and_payments_at_once(self, paying: Paying) -> None:
        balance = {
            "accrued_cents": 10_000,
            "paid_cents": 0,
            "balance_cents": 10_000,
            "open_cents": 17_000,
            "currency": "USD",
        }
        assert paying.balance(paying.ada) == balance
        paying.decide("last", status="approved")
        balance |= {"accrued_cents": 17_000, "balance_cents": 17_000, "open_cents": 10_000}
        assert paying.balance(paying.ada) == balance
        payment = paying.pay("settled", status="pending")
        assert paying.balance(paying.ada) == balance
        paying.change(payment, status="paid")
        balance |= {"paid_cents": 10_000, "balance_cents": 7_000}
        assert paying.balance(paying.ada) == balance
        paying.decide("last", status="void")
        balance |= {"accrued_cents": 10_000, "balance_cents": 0}
        assert paying.balance(paying.ada) == balance
        assert paying.balance(paying.bob)["balance_cents"] == 5_000

    def test_earned_without_a_publication(self, paying: Paying, tmp_path: Path) -> None:
        """On a machine without a publication, or with a lost folder."""
        paying.pay("settled")
        api, sent = paying.tenant.api, paying.tenant.client.headers["Authorization"]
        key = sent.removeprefix("Bearer ")
        with api.changed(home=tmp_path) as served, served.client(key) as client:
            balance = client.data("GET", f"/creators/{paying.ada['id']}/payout-balance")
        assert (balance["accrued_cents"], balance["balance_cents"]) == (10_000, 0)

    def test_more_paid_than_owed_is_shown(self, paying: Paying) -> None:
        paying.pay(amount_cents=30_000)
        assert paying.balance(paying.ada)["balance_cents"] == -20_000

    def test_a_creator_without_accruals(self, owing: Paying) -> None:
        nobody = owing.tenant.creator("nobody")
        assert owing.balance(nobody)["balance_cents"] == 0
