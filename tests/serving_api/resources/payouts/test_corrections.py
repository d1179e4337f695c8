"""An adjustment can be recomputed from the API: both evidences, and their differences (M19)."""

from collections.abc import Mapping
from typing import Any

import pytest
from sqlalchemy import update

from tests.factories.accruals import earning, publish_earnings, recurring
from tests.fixtures.payouts import LIST, Paying, week_until
from warehouse.operational.models import PayoutPaymentAccrual, Video

Evidence = dict[str, Any]


def of_conversions(event_id: str, *conversions: Mapping[str, Any]) -> Evidence:
    value = sum(conversion["total_value_cents"] for conversion in conversions)
    rate = {"conversion_event_id": event_id, "rate_type": "percent", "percent_bps": 10_000}
    counted = {"conversions": len(conversions), "quantity": len(conversions)}
    return {
        "type": "conversion",
        "cadence": "weekly",
        "rates": [{**rate, **counted, "total_value_cents": value, "cents": str(value)}],
        "conversions": [
            {
                "conversion_id": conversion["id"],
                "occurred_at": conversion["occurred_at"],
                "quantity": 1,
                "total_value_cents": conversion["total_value_cents"],
            }
            for conversion in conversions
        ],
        "limited_by": [],
    }


def of_views(views: Mapping[str, int]) -> Evidence:
    posts = [
        {"video_id": video_id, "views_from": 0, "views_to": number, "views": number}
        for video_id, number in views.items()
    ]
    total = sum(views.values())
    tier = {"up_to_impressions": None, "cents_per_thousand": "1000", "impressions": total}
    return {
        "type": "cpm",
        "impressions": total,
        "carry_in": 0,
        "payable": total,
        "carry_out": 0,
        "min_impressions": 0,
        "tiers": [{**tier, "cents": str(total)}],
        "max_payout_cents": None,
        "limited_by": [],
        "videos": posts,
    }


def of_posts(*posts: str) -> Evidence:
    """A goal of two posts; one of them pays half."""
    goal = {"goal_id": posts[0], "metric": "posts", "target": 2, "actual": len(posts)}
    made = {"counter": "posts", "account_id": None, "from": None, "to": None, "is_first": None}
    return {
        **recurring(7),
        "type": "goals",
        "mode": "all",
        "n": None,
        "met": 0,
        "completion_pct": "0.5",
        "partial_multiplier": "1",
        "goals": [{**goal, "is_met": len(posts) == 2, "fraction": "0.5"}],
        "counts": [{**made, "video_id": video_id} for video_id in posts],
    }


def publish(paying: Paying, cents: int, evidence: Evidence) -> str:
    """Publish one accrual of Ada's; return its path."""
    accrual = earning(
        paying.tenant, paying.structure, paying.ada, week_until(3), cents, evidence=evidence
    )
    paying.earnings["disputed"] = accrual
    api = paying.tenant.api
    publish_earnings(api.settings, api.store, [accrual], decided_up_to=0)
    return f"{LIST}/{accrual.id}"


def adjustment(paying: Paying) -> Any:
    [listed] = [
        adjustment for adjustment in paying.adjustments() if adjustment["status"] == "final"
    ]
    detail = paying.tenant.client.data("GET", f"{LIST}/{listed['id']}")
    assert {name: detail[name] for name in listed} == listed
    return detail


class TestBothSides:
    @pytest.fixture
    def docked(self, paying: Paying) -> Paying:
        publish(paying, 10_000, recurring(7))
        paying.pay("disputed")
        publish(paying, 7_143, recurring(5))
        return paying

    @pytest.mark.slow
    def test_the_paid_amount_is_shown_beside_the_owed_one(self, docked: Paying) -> None:
        correction = adjustment(docked)
        evidence = correction["evidence"]
        assert (
            correction["amount_cents"]
            == evidence["owed_cents"] - evidence["frozen_cents"]
            == -2_857
        )
        for name, days, cents in (("frozen", 7, 10_000), ("owed", 5, 7_143)):
            side = evidence[name]
            assert (side["evidence"], side["amount_cents"]) == (recurring(days), cents)
            assert (side["version_number"], side["timezone"]) == (1, "UTC")
            assert (side["period_start"], side["period_end"]) == ("2026-04-27", "2026-05-03")

    @pytest.mark.slow
    def test_the_reason_names_the_changes(self, docked: Paying) -> None:
        correction = adjustment(docked)
        assert correction["reason"] == "Covered days is 5, 7 when it was paid"
        assert [change["what"] for change in correction["evidence"]["changes"]] == ["covered_days"]

    @pytest.mark.slow
    def test_lists_details_and_exports_agree(self, docked: Paying) -> None:
        exported = docked.tenant.client.get(
            f"/exports/accruals?project_id={docked.tenant.project_id}"
        )
        assert '"Covered days is 5, 7 when it was paid"' in exported.text

    @pytest.mark.slow
    def test_a_waived_adjustment_keeps_evidence_and_reason(self, docked: Paying) -> None:
        open_one = adjustment(docked)
        path = f"{LIST}/{open_one['id']}"
        waived = docked.tenant.client.data("PATCH", path, json={"status": "void"})
        publish(docked, 10_000, recurring(7))
        accrual = docked.tenant.client.data("GET", path)
        for name in ("evidence", "reason"):
            assert open_one[name] == waived[name] == accrual[name]
        back = adjustment(docked)
        assert back["amount_cents"] == 2_857
        assert back["reason"] == (
            "$100.00 is owed, as when it was paid;"
            f" adjustment {open_one['id']} of -$28.57 was waived"
        )

    @pytest.mark.slow
    def test_older_settlements_without_evidence_are_shown(self, docked: Paying) -> None:
        publish(docked, 12_000, recurring(7))
        more = adjustment(docked)
        docked.pay(accrual_ids=[more["id"]])
        old = {"type": "adjustment", "owed_cents": 12_000, "frozen_cents": 10_000, "settled": []}
        with docked.tenant.api.store.write_session() as session:
            session.execute(
                update(PayoutPaymentAccrual)
                .where(PayoutPaymentAccrual.accrual_id == more["id"])
                .values(evidence=old, reason="recomputed")
            )
        accrual = docked.tenant.client.data("GET", f"{LIST}/{more['id']}")
        assert (accrual["evidence"], accrual["reason"]) == (old, "recomputed")
        assert accrual["summary"].startswith(
            "$120.00 owed now, $100.00 when it was paid: $20.00 to correct"
        )

    @pytest.mark.slow
    def test_an_ended_assignment_is_named(self, docked: Paying) -> None:
        """Added after the paid amount was computed."""
        client = docked.tenant.client
        path = f"/payout-structures/{docked.structure['id']}/assignments"
        client.data("POST", path, json={"creator_ids": [docked.ada["id"]]})
        [assigned] = client.data("GET", path)
        with docked.tenant.api.store.write_session() as session:
            session.execute(
                update(PayoutPaymentAccrual)
                .where(PayoutPaymentAccrual.accrual_id == docked.earnings["disputed"].id)
                .values(computed_at="2026-05-19T00:00:00Z")
            )
        assert adjustment(docked)["reason"] == (
            "Covered days is 5, 7 when it was paid;"
            f" assignment {assigned['id']} from {assigned['start_date']} on was added"
        )


class TestPosts:
    def test_posts_are_called_by_their_titles(self, paying: Paying) -> None:
        """By title, as on the share page, or by id if there is none."""
        named, nameless = (paying.tenant.video(number)["id"] for number in (1, 2))
        with paying.tenant.api.store.write_session() as session:
            session.execute(
                update(Video).where(Video.id == named).values(caption="Summer sale\nnow")
            )
        publish(paying, 2_000, of_views({named: 1_000, nameless: 1_000}))
        paying.pay("disputed")
        publish(paying, 1_944, of_views({named: 1_444, nameless: 500}))
        correction = adjustment(paying)
        sentences = [
            "post \u201cSummer sale\u201d counts 1,444 views, 1,000 when it was paid",
            f"post {nameless} counts 500 views, 1,000 when it was paid",
        ]
        assert [change["text"] for change in correction["evidence"]["changes"]] == sentences
        assert correction["reason"] == f"P{'; '.join(sentences)[1:]}"
        assert [change["video_id"] for change in correction["evidence"]["changes"]] == [
            named,
            nameless,
        ]
        [listed] = [
            adjustment
            for adjustment in paying.adjustments()
            if adjustment["id"] == correction["id"]
        ]
        assert listed["reason"] == correction["reason"]

    @pytest.mark.slow
    def test_an_excluded_post_of_goals_is_named(self, paying: Paying) -> None:
        post_id, excluded = (paying.tenant.video(number)["id"] for number in (1, 2))
        publish(paying, 10_000, of_posts(post_id, excluded))
        paying.pay("disputed")
        paying.tenant.client.data(
            "PATCH", f"/videos/{excluded}", json={"tracking_status": "excluded"}
        )
        publish(paying, 5_000, of_posts(post_id))
        correction = adjustment(paying)
        assert correction["reason"].endswith(
            f"; post {excluded}, which is excluded, counts nothing, as a post when it was paid"
        )


class TestWithdrawals:
    @pytest.mark.slow
    def test_a_voided_and_a_deleted_conversion_are_distinguished(self, paying: Paying) -> None:
        tenant = paying.tenant
        event = tenant.conversion_event()
        first, second, third = (
            tenant.conversion(event, creator_id=paying.ada["id"], value_cents=500) for _ in range(3)
        )
        path = publish(paying, 1_500, of_conversions(event["id"], first, second, third))
        paying.pay("disputed")
        conversions = f"/projects/{tenant.project_id}/conversions"
        tenant.client.data("DELETE", f"{conversions}/{first['id']}")
        publish(paying, 1_000, of_conversions(event["id"], second, third))
        correction = adjustment(paying)
        assert (
            f"conversion {first['id']}, which was withdrawn on 2026-05-20" in correction["reason"]
        )
        assert {"conversion", "rate"} == {
            each["what"] for each in correction["evidence"]["changes"]
        }
        for name, listed in (
            (f"{LIST}/{correction['id']}", [second, third]),
            (path, [first, second, third]),
        ):
            query = {"list": "conversions"}
            rows = tenant.client.data("GET", f"{name}/evidence", params=query)
            assert [row["conversion_id"] for row in rows] == [row["id"] for row in listed]
