"""Payout accruals over HTTP: the publication's amounts, and later decisions.

The stage, its accruals and days are those of tests/fixtures/payouts.py.
"""

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from serving_api.kit.cache import AnswerCache, CachedQuery, Reading
from serving_api.resources.payouts.accruals import current
from tests.factories.accruals import decided, earning, publish_earnings
from tests.factories.payouts import rule
from tests.fixtures.api import NOW, Tenant
from tests.fixtures.payouts import LIST, Paying, week_until
from warehouse.reading.accruals.published import OwedQuery

CPM = {
    "type": "cpm",
    "impressions": 1_000,
    "carry_in": 0,
    "payable": 1_000,
    "carry_out": 0,
    "min_impressions": 0,
    "tiers": [
        {"up_to_impressions": None, "cents_per_thousand": "7000.000000", "impressions": 1_000}
    ],
    "max_payout_cents": None,
    "limited_by": [],
    "videos": [],
    "platform_scope": "all",
    "platform": None,
    "account_id": None,
    "view_lifetime_days": None,
}
"""Evidence of a thousand views, without the covered days."""


def publish_cpm(paying: Paying, read_on: Iterable[int]) -> None:
    """Publish `last` as pay for views of two posts: one read on these days, one never read."""
    last = paying.earnings["last"]
    covered = [{"from": "2026-05-11", "to": "2026-05-17"}]
    evidence = {**CPM, "covered": covered, "precise_cents": str(last.content.precise_amount)}
    posts = [
        {
            "video_id": UUID(int=number),
            "organization_id": last.content.organization_id,
            "creator_id": last.content.creator_id,
            "is_counted": True,
            "views_due_from": NOW - timedelta(days=60),
        }
        for number in (1, 2)
    ]
    publish_earnings(
        paying.tenant.api.settings,
        paying.tenant.api.store,
        [replace(last, evidence=evidence)],
        videos=posts,
        video_deltas=[
            {"video_id": UUID(int=1), "captured_at": NOW.replace(day=day), "view_count": 9}
            for day in read_on
        ],
    )


class TestList:
    def test_the_latest_period_comes_first(self, owing: Paying) -> None:
        listed = owing.listed()
        assert listed[:2] == ["current", "last"]
        assert set(listed[2:]) == {"settled", "bobs"}

    def test_fields(self, owing: Paying) -> None:
        [last] = owing.tenant.client.data("GET", LIST, params={"status": "settling"})
        assert last == {
            "id": owing.id_of("last"),
            "structure_id": owing.structure["id"],
            "structure_name": "Fee",
            "version_id": owing.structure["current_version"]["id"],
            "version_number": 1,
            "creator_id": owing.ada["id"],
            "project_id": str(owing.tenant.project_id),
            "criteria_type": "recurring",
            "period_start": "2026-05-11",
            "period_end": "2026-05-17",
            "currency": "USD",
            "amount_cents": 7000,
            "precise_amount": "7000.000000000",
            "limited_by": "proration",
            "post_count": None,
            "timezone": "UTC",
            "kind": "earning",
            "reason": None,
            "booked_in": None,
            "status": "settling",
            "settles_at": "2026-05-21T00:00:00Z",
            "payment_id": None,
            "adjusts_accrual_id": None,
            "computed_at": "2026-05-20T12:00:00Z",
            "note": None,
            "held": None,
            "subject_id": None,
            "view_count": None,
        }

    @pytest.mark.parametrize(
        ("query", "names", "total"),
        [
            ({"creator_id": "ada"}, {"settled", "last", "current"}, 27_000),
            ({"creator_id": "bob"}, {"bobs"}, 5_000),
            ({"status": "final"}, {"settled", "bobs"}, 15_000),
            ({"status": "open"}, {"current"}, 10_000),
            ({"status": "paid"}, set(), 0),
            ({"from": "2026-05-17"}, {"last", "current"}, 17_000),
            ({"from": "2026-05-04", "to": "2026-05-17"}, {"last"}, 7_000),
            ({"to": "2026-05-02"}, set(), 0),
            ({"structure_id": str(uuid4())}, set(), 0),
            ({"project_id": str(uuid4())}, set(), 0),
        ],
    )
    def test_filters(
        self, owing: Paying, query: dict[str, str], names: set[str], total: int
    ) -> None:
        if "creator_id" in query:
            query = {"creator_id": (owing.ada if query["creator_id"] == "ada" else owing.bob)["id"]}
        assert set(owing.listed(**query)) == names
        assert owing.total(**query) == total

    def test_each_page_has_the_total(self, owing: Paying) -> None:
        answer = owing.tenant.client.answer("GET", LIST, params={"limit": 1})
        assert (answer["meta"]["total_cents"], answer["meta"]["hasMore"]) == (32_000, True)


class TestDetail:
    def test_evidence_and_a_sentence(self, owing: Paying) -> None:
        detail = owing.tenant.client.data("GET", owing.path("last"))
        [listed] = owing.tenant.client.data("GET", LIST, params={"status": "settling"})
        assert detail["evidence"]["type"] == "recurring"
        assert detail["summary"] == "7 of 7 days covered: $70.00 of $100.00"
        assert {name: detail[name] for name in listed} == listed

    def test_a_cpm_amount_has_its_view_coverage(self, paying: Paying) -> None:
        """Two were due on each of seven days. Once paid, the coverage does not change."""
        publish_cpm(paying, read_on=[11, 12, 13, 17])
        coverage = {
            "from_day": "2026-05-11",
            "to_day": "2026-05-17",
            "readings_due": 14,
            "readings_came": 4,
            "share": 0.2857,
        }
        assert paying.accrual("last")["view_coverage"] == coverage
        paying.decide("last", status="approved")
        paying.pay("last")
        publish_cpm(paying, read_on=range(11, 18))
        assert paying.accrual("last")["view_coverage"] == coverage

    def test_other_types_have_no_view_coverage(self, owing: Paying) -> None:
        assert owing.accrual("last")["view_coverage"] is None


class TestDecisions:
    def test_approving_a_settling_one_releases_it_early(self, paying: Paying) -> None:
        approved = paying.decide("last", status="approved", note="As agreed")
        assert (approved["status"], approved["note"]) == ("approved", "As agreed")
        assert paying.listed(status="approved") == ["last"]
        assert paying.listed(status="settling") == []

    def test_a_void_one_is_shown_and_counts_nothing(self, paying: Paying) -> None:
        void = paying.decide("settled", status="void")
        assert (void["status"], void["amount_cents"]) == ("void", 10_000)
        assert paying.total() == 22_000
        assert paying.total(status="void") == 0

    def test_final_undoes_both(self, paying: Paying) -> None:
        for status in ("void", "approved"):
            paying.decide("settled", status=status, note="Why")
            assert paying.decide("settled", status="final")["status"] == "final"
            assert paying.decide("settled", note=None)["note"] is None
        # An accrual approved early settles again.
        paying.decide("last", status="approved")
        assert paying.decide("last", status="final")["status"] == "settling"

    def test_the_note_stays_where_none_is_sent(self, paying: Paying) -> None:
        paying.decide("settled", status="void", note="Not delivered")
        assert paying.decide("settled", status="final")["note"] == "Not delivered"

    def test_an_open_one_can_be_neither(self, paying: Paying) -> None:
        for status in ("approved", "void", "final"):
            meta = paying.tenant.client.refusal(
                "PATCH", paying.path("current"), "accrual_open", json={"status": status}
            )
            assert meta["accrual_ids"] == [paying.id_of("current")]
        assert paying.decide("current", note="Looks high")["note"] == "Looks high"

    def test_an_approval_is_of_an_amount(self, paying: Paying) -> None:
        paying.decide("last", status="approved")
        paying.publish(last=7_100)
        [again] = paying.tenant.client.data(
            "GET", LIST, params={"from": "2026-05-17", "to": "2026-05-17"}
        )
        assert (again["status"], again["amount_cents"]) == ("final", 7_100)
        assert again["note"] == "approved at $70.00, recomputed to $71.00"
        paying.publish()
        assert paying.listed(status="approved") == ["last"]

    def test_void_sticks_to_the_id(self, paying: Paying) -> None:
        paying.decide("settled", status="void")
        paying.publish(settled=12_000)
        void = paying.tenant.client.data("GET", paying.path("settled"))
        assert (void["status"], void["amount_cents"]) == ("void", 12_000)
        assert paying.adjustments() == []

    def test_an_accrual_in_a_payment_is_unchanged(self, paying: Paying) -> None:
        paying.pay("settled", status="pending")
        for body in ({"status": "void"}, {"status": "final"}, {"note": "Hm"}):
            paying.tenant.client.refusal("PATCH", paying.path("settled"), "accrual_paid", json=body)


class TestCorrections:
    """money.md M19, after the accrual of $100.00 was paid."""

    @pytest.fixture
    def paid(self, paying: Paying) -> Paying:
        paying.pay("settled")
        return paying

    def test_a_paid_one_never_changes(self, paid: Paying) -> None:
        paid.publish(settled=12_000)
        detail = paid.tenant.client.data("GET", paid.path("settled"))
        assert (detail["status"], detail["amount_cents"]) == ("paid", 10_000)
        assert detail["evidence"]["amount_cents"] == 10_000

    def test_what_changes_afterwards_is_an_adjustment(self, paid: Paying) -> None:
        paid.publish(settled=12_000)
        [adjustment] = paid.adjustments()
        assert adjustment["adjusts_accrual_id"] == paid.id_of("settled")
        assert (adjustment["status"], adjustment["amount_cents"]) == ("final", 2_000)
        assert (adjustment["period_start"], adjustment["period_end"]) == (
            "2026-04-27",
            "2026-05-03",
        )
        assert adjustment["booked_in"] == "2026-05-18"
        detail = paid.tenant.client.data("GET", f"{LIST}/{adjustment['id']}")
        evidence = detail["evidence"]
        assert (evidence["owed_cents"], evidence["frozen_cents"]) == (12_000, 10_000)
        assert evidence["settled"] == []
        assert detail["summary"].startswith(
            "$120.00 owed now, $100.00 when it was paid: $20.00 to correct"
        )
        assert paid.total(creator_id=paid.ada["id"]) == 10_000 + 2_000 + 7_000 + 10_000

    def test_a_removed_subject_owes_nothing(self, paid: Paying) -> None:
        paid.publish(settled=None)
        [adjustment] = paid.adjustments()
        assert adjustment["amount_cents"] == -10_000
        assert "settled" in paid.listed(status="paid")

    def test_a_paid_adjustment_is_settled_and_the_next_has_another_id(self, paid: Paying) -> None:
        paid.publish(settled=12_000)
        [first] = paid.adjustments()
        paid.pay(accrual_ids=[first["id"]])
        assert [each["status"] for each in paid.adjustments()] == ["paid"]
        paid.publish(settled=11_500)
        by_status = {each["status"]: each for each in paid.adjustments()}
        assert by_status["paid"]["id"] == first["id"]
        assert by_status["final"]["amount_cents"] == -500
        assert by_status["final"]["id"] != first["id"]
        paid.publish(settled=12_000)
        assert [each["id"] for each in paid.adjustments()] == [first["id"]]

    def test_voiding_an_adjustment_waives_its_current_amount(self, paid: Paying) -> None:
        paid.publish(settled=9_000)
        [debt] = paid.adjustments()
        path = f"{LIST}/{debt['id']}"
        waived = paid.tenant.client.data("PATCH", path, json={"status": "void"})
        assert (waived["status"], waived["amount_cents"]) == ("void", -1_000)
        paid.publish(settled=8_500)
        rest = {each["status"]: each["amount_cents"] for each in paid.adjustments()}
        assert rest == {"void": -1_000, "final": -500}
        assert paid.total(creator_id=paid.ada["id"]) == 10_000 - 500 + 7_000 + 10_000

    def test_undoing_a_waiver_may_leave_nothing_to_correct(self, paid: Paying) -> None:
        paid.publish(settled=9_000)
        [debt] = paid.adjustments()
        path = f"{LIST}/{debt['id']}"
        paid.tenant.client.data("PATCH", path, json={"status": "void"})
        paid.publish()
        undone = paid.tenant.client.data("PATCH", path, json={"status": "final"})
        assert (undone["status"], undone["amount_cents"]) == ("final", 0)
        assert paid.adjustments() == []

    def test_the_owed_amount_replaces_a_void_payment(self, paying: Paying) -> None:
        payment = paying.pay("settled")
        paying.publish(settled=12_000)
        [adjustment] = paying.adjustments()
        paying.pay(accrual_ids=[adjustment["id"]])
        path = f"/payout-payments/{payment['id']}"
        paying.tenant.client.data("PATCH", path, json={"status": "void"})
        again = paying.tenant.client.data("GET", paying.path("settled"))
        assert (again["status"], again["amount_cents"]) == ("final", 12_000)
        amounts = {each["status"]: each["amount_cents"] for each in paying.adjustments()}
        assert amounts == {"paid": 2_000, "final": -2_000}


class TestPublishedDecisions:
    def test_decisions_that_the_publication_knows_are_read_from_it(self, paying: Paying) -> None:
        """Without newer decisions, the marts' rows apply."""
        decided(paying.tenant, paying.earnings["settled"], "void")
        api = paying.tenant.api
        publish_earnings(api.settings, api.store, paying.earnings.values(), settling_days=3)
        assert paying.listed(status="void") == []
        paying.decide("bobs", status="void")
        assert paying.listed(status="void") == ["bobs"]

    def test_many_newer_decisions_are_cached_once(
        self, paying: Paying, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        cached: list[object] = []
        answer = AnswerCache.answer

        def record(cache: AnswerCache, opened: Reading, query: CachedQuery[Any, Any]) -> Any:
            cached.append(query.question)
            return answer(cache, opened, query)

        monkeypatch.setattr(AnswerCache, "answer", record)
        monkeypatch.setattr(current, "MOST_CACHED", 1)
        for count, name in enumerate(("settled", "last", "bobs"), start=1):
            paying.decide(name, status="void")
            assert len(paying.listed(status="void")) == count
        sizes = {len(each.ids) for each in cached if isinstance(each, OwedQuery)}
        assert sizes == {1}


def test_before_a_publication_only_decisions_are_known(tenant: Tenant) -> None:
    creator = tenant.creator()
    structure_id = tenant.payout_structure(rule("recurring"))
    structure = tenant.client.data("GET", f"/payout-structures/{structure_id}")
    accrual = earning(tenant, structure, creator, week_until(3), 10_000)
    tenant.client.refusal("GET", f"{LIST}/{accrual.id}", "not_found")
    decided(tenant, accrual)
    assert tenant.client.data("GET", f"{LIST}/{accrual.id}")["amount_cents"] == 10_000
    assert tenant.client.answer("GET", LIST)["meta"]["total_cents"] == 0
