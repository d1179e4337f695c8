"""Differences since an amount was paid: from both evidences, never guessed (M19)."""

from datetime import UTC, datetime, timedelta
from typing import Any, get_args
from uuid import UUID

import pytest

from serving_api.resources.payouts.accruals.changes import changes_of, reason_of
from serving_api.resources.payouts.accruals.records import Records, Sides
from serving_api.resources.payouts.accruals.schemas import CriteriaType
from tests.factories.accruals import recurring

Evidence = dict[str, Any]

PAID_AT = datetime(2026, 5, 20, 12, tzinfo=UTC)
POST, OTHER, EVENT, GOAL = (str(UUID(int=number)) for number in range(1, 5))
VERSIONS = {number: str(UUID(int=100 + number)) for number in (1, 2)}


def side(evidence: Evidence, cents: int = 0, **changes: Any) -> Evidence:
    return {
        "amount_cents": cents,
        "version_id": VERSIONS[1],
        "version_number": 1,
        "timezone": "UTC",
        "period_start": "2026-05-11",
        "period_end": "2026-05-17",
        "computed_at": PAID_AT.isoformat(),
        "evidence": evidence,
        **changes,
    }


def reason(
    frozen: Evidence,
    owed: Evidence | None,
    records: Records | None = None,
    settled: list[Evidence] | None = None,
    *,
    is_decided_again: bool = False,
) -> str:
    """The reason of an adjustment between two sides."""
    now = owed["evidence"] if owed else None
    sides = Sides(frozen["evidence"], now, records or Records(), PAID_AT, is_decided_again)
    return reason_of(
        {
            "owed_cents": owed["amount_cents"] if owed else 0,
            "frozen_cents": frozen["amount_cents"],
            "frozen": frozen,
            "changes": changes_of(frozen, owed, settled or [], sides),
        }
    )


def sides_of(*counts: Evidence) -> Sides:
    frozen, owed = ({"counts": [count]} for count in counts)
    return Sides(frozen, owed, Records(), PAID_AT)


def post(views: int, at: str | None = None, video_id: str = POST) -> Evidence:
    reading = {"captured_at": at, "source": "page", "is_exact": True} if at else None
    ends = {"views_from": 0, "views_to": views, "views": views}
    return {"video_id": video_id, "account_id": OTHER, **ends, "to_reading": reading}


def cpm(*videos: Evidence, **changes: Any) -> Evidence:
    impressions = sum(video["views"] for video in videos)
    return {
        "type": "cpm",
        "impressions": impressions,
        "carry_in": 0,
        "payable": impressions,
        "carry_out": 0,
        "min_impressions": 0,
        "tiers": [
            {
                "up_to_impressions": None,
                "cents_per_thousand": "100.000000",
                "impressions": impressions,
                "cents": "1",
            }
        ],
        "max_payout_cents": None,
        "running_total_before_cents": "0",
        "covered": [{"from": "2026-05-11", "to": "2026-05-17"}],
        "limited_by": [],
        "videos": [*videos],
        **changes,
    }


def conversion(*ids: int, value: int = 100, total: int | None = None) -> Evidence:
    """Evidence of conversions of this value, with the listed ones."""
    listed = [
        {
            "conversion_id": str(UUID(int=number)),
            "occurred_at": f"2026-05-11T00:00:00.{number:06d}Z",
            "quantity": 1,
            "total_value_cents": value,
        }
        for number in ids
    ]
    number = len(ids) if total is None else total
    return {
        "type": "conversion",
        "cadence": "weekly",
        "rates": [
            {
                "conversion_event_id": EVENT,
                "rate_type": "percent",
                "percent_bps": 1_000,
                "conversions": number,
                "quantity": number,
                "total_value_cents": number * value,
                "cents": "0",
            }
        ],
        "conversions": listed,
        "limited_by": [],
    }


def goals(actual: int, target: int = 10) -> Evidence:
    goal = {"goal_id": GOAL, "metric": "posts", "target": target, "actual": actual}
    return {**recurring(), "type": "goals", "mode": "all", "n": None, "goals": [goal], "met": 1}


def threshold(cents: int = 5_000) -> Evidence:
    return {
        "type": "view_threshold",
        "video_id": POST,
        "account_id": OTHER,
        "view_count": 1_000,
        "reached_at": "2026-05-11T00:00:00.000000Z",
        "views_read": 1_200,
        "amount_cents": cents,
        "limited_by": [],
    }


EXAMPLES = {
    "cpm": cpm(post(500)),
    "recurring": recurring(),
    "conversion": conversion(1, 2),
    "goals": goals(10),
    "view_threshold": threshold(),
}


def test_every_type_has_an_example() -> None:
    assert set(EXAMPLES) == {*get_args(CriteriaType)}


@pytest.mark.parametrize("type_", sorted(EXAMPLES))
class TestWhateverTheType:
    def test_equal_evidence_explains_nothing_and_the_reason_says_so(self, type_: str) -> None:
        same = EXAMPLES[type_]
        assert reason(side(same, 10_000), side(same, 9_000)) == (
            "No recorded change explains the difference:"
            " $90.00 is owed now, $100.00 when it was paid"
        )

    def test_another_version_and_zone(self, type_: str) -> None:
        same = EXAMPLES[type_]
        later = {"version_id": VERSIONS[2], "version_number": 2, "timezone": "Asia/Tokyo"}
        assert reason(side(same), side(same, **later)) == (
            f"Version 2 of the rule ({VERSIONS[2]}) is in force, version 1"
            f" ({VERSIONS[1]}) when it was paid; days are of Asia/Tokyo, UTC when it was paid"
        )

    def test_each_value_that_differs_is_mentioned(self, type_: str) -> None:
        """All values of the evidence except lists and derived values."""
        same = EXAMPLES[type_]
        for name, value in same.items():
            if isinstance(value, int) and name not in {
                "impressions",
                "payable",
                "carry_out",
                "met",
            }:
                sentence = reason(side(same), side({**same, name: value + 1}))
                assert sentence.lower().startswith(name.replace("_", " ").removesuffix(" cents"))

    def test_a_value_in_only_one_evidence_is_no_change(self, type_: str) -> None:
        """Older payments have less evidence."""
        same = EXAMPLES[type_]
        sentence = reason(side(same, 2), side({**same, "new": 1}, 1))
        assert sentence.startswith("No recorded change")


class TestPosts:
    def test_a_late_reading(self) -> None:
        frozen, owed = cpm(post(500)), cpm(post(700, "2026-05-16T10:00:00.000000Z"))
        assert reason(side(frozen), side(owed)) == (
            f"Post {POST} counts 700 views, 500 when it was paid,"
            " by the late reading of 2026-05-16 10:00:00 UTC from page"
        )

    @pytest.mark.parametrize(("at", "is_decided_again"), [("21", False), ("16", True)])
    def test_late_readings_would_have_counted(self, at: str, is_decided_again: bool) -> None:
        """But not one after the payment, or one within other days or another version."""
        frozen, owed = cpm(post(500)), cpm(post(700, f"2026-05-{at}T10:00:00.000000Z"))
        assert reason(side(frozen), side(owed), is_decided_again=is_decided_again) == (
            f"Post {POST} counts 700 views, 500 when it was paid,"
            f" by the reading of 2026-05-{at} 10:00:00 UTC from page"
        )

    @pytest.mark.parametrize("with_baseline", ["frozen", "owed"])
    def test_late_readings_of_two_meanings_are_unknown(self, with_baseline: str) -> None:
        """An earlier reading may have had the other meaning: this one was a baseline."""
        sides = {"frozen": post(500), "owed": post(700, "2026-05-16T10:00:00.000000Z")}
        at = {"captured_at": "2026-05-15T10:00:00.000000Z", "meaning": "organic"}
        sides[with_baseline] = {**sides[with_baseline], "view_baselines": [at]}
        assert reason(*(side(cpm(post_evidence)) for post_evidence in sides.values())) == (
            f"Post {POST} counts 700 views, 500 when it was paid,"
            " by the reading of 2026-05-16 10:00:00 UTC from page"
        )

    def test_late_readings_of_organic_views_are_unknown(self) -> None:
        """A late earlier reading of all views raises the baseline of organic ones."""
        owed = post(700, "2026-05-16T10:00:00.000000Z")
        owed["to_reading"]["source"] = "instagram.login_media"
        assert reason(side(cpm(post(500))), side(cpm(owed))) == (
            f"Post {POST} counts 700 views, 500 when it was paid,"
            " by the reading of 2026-05-16 10:00:00 UTC from instagram.login_media"
        )

    def test_marks_that_moved_together_are_no_change(self) -> None:
        """A late reading of another meaning before the period raises both."""
        raised = {**post(500), "views_from": 100, "views_to": 600}
        sentence = reason(side(cpm(post(500))), side(cpm(raised)))
        assert sentence == "$0.00 is owed, as when it was paid"

    def test_a_post_that_moved_between_accounts_of_the_creator(self) -> None:
        """Items are ordered by account, and this one had the post last."""
        at = "2026-05-16T10:00:00.000000Z"
        first = {**post(100, "2026-05-13T10:00:00.000000Z"), "account_id": POST}
        last = {**post(200, at), "account_id": EVENT, "views_from": 100, "views": 100}
        raised = {**last, "views_to": 250, "views": 150}
        assert reason(side(cpm(last, first)), side(cpm(raised, first))) == (
            f"Post {POST} counts 250 views, 200 when it was paid,"
            " by the late reading of 2026-05-16 10:00:00 UTC from page"
        )
        later = {**last, "views_from": 120, "views": 80}, {**first, "views_to": 120, "views": 120}
        sentence = reason(side(cpm(last, first)), side(cpm(*later)))
        assert sentence == "$0.00 is owed, as when it was paid"

    def test_a_mark_that_fell_is_by_no_reading(self) -> None:
        frozen, owed = cpm(post(700)), cpm(post(500, "2026-05-13T10:00:00.000000Z"))
        assert reason(side(frozen), side(owed)) == (
            f"Post {POST} counts 500 views, 700 when it was paid"
        )

    def test_too_few_are_left_to_pay(self) -> None:
        owed = cpm(post(444), min_impressions=1_000, carry_out=444)
        assert reason(side(cpm(post(2_780), min_impressions=1_000)), side(owed)) == (
            f"Post {POST} counts 444 views, 2,780 when it was paid;"
            " 444 views in all are below the minimum of 1,000: all carried over"
        )

    @pytest.mark.parametrize("left", [(), (post(100),)])
    def test_a_post_that_moved(self, left: tuple[Evidence, ...]) -> None:
        moved = Records(moved={POST: PAID_AT + timedelta(days=1)})
        sentence = reason(side(cpm(post(500))), side(cpm(*left)), moved)
        assert sentence.startswith(
            f"Post {POST}, which moved to another account on 2026-05-21 12:00:00 UTC,"
        )
        assert "moved" not in reason(
            side(cpm(post(500))), side(cpm(*left)), Records(moved={POST: PAID_AT})
        )

    def test_a_post_that_was_unknown(self) -> None:
        owed = cpm(post(500), post(20, video_id=OTHER))
        assert reason(side(cpm(post(500))), side(owed)) == (
            f"Post {OTHER} counts 20 views, 0 when it was paid"
        )

    @pytest.mark.parametrize(
        ("status", "why"),
        [
            ("excluded", ", which is excluded,"),
            ("pending_review", ", which awaits review,"),
            ("included", ""),
        ],
    )
    def test_a_post_that_no_longer_counts(self, status: str, why: str) -> None:
        records = Records(posts={POST: status})
        for owed in (side(cpm()), None):
            assert reason(side(cpm(post(1_500))), owed, records) == (
                f"Post {POST}{why} no longer counts: 1,500 views when it was paid"
            )

    def test_a_threshold_of_an_excluded_post(self) -> None:
        records = Records(posts={POST: "excluded"})
        assert reason(side(threshold(), 5_000), None, records) == (
            f"Post {POST}, which is excluded, no longer counts"
        )

    def test_carried_views_and_the_running_total(self) -> None:
        owed = cpm(post(500), carry_in=600, running_total_before_cents="33.5")
        assert reason(side(cpm(post(500))), side(owed)) == (
            "Carry in is 600, 0 when it was paid;"
            " running total before is $0.335, $0.00 when it was paid"
        )


class TestConversions:
    def test_a_withdrawn_and_a_deleted_one(self) -> None:
        records = Records(voided={str(UUID(int=1)): PAID_AT})
        sentence = reason(side(conversion(1, 2, 3)), side(conversion(3)), records)
        assert sentence == (
            f"Event {EVENT} counts 1 conversion worth $1.00, at 10%,"
            " 3 conversions worth $3.00, at 10% when it was paid;"
            f" conversion {UUID(int=1)}, which was withdrawn on 2026-05-20 12:00:00 UTC,"
            " no longer counts: 1 worth $1.00 when it was paid;"
            f" conversion {UUID(int=2)}, which was deleted,"
            " no longer counts: 1 worth $1.00 when it was paid"
        )

    def test_the_only_one_was_withdrawn(self) -> None:
        records = Records(voided={str(UUID(int=1)): PAID_AT})
        assert reason(side(conversion(1), 10), None, records).startswith(
            f"Conversion {UUID(int=1)}, which was withdrawn on"
        )

    def test_without_an_owed_amount_only_recorded_changes_are_mentioned(self) -> None:
        """The remaining conversions may earn too little for an accrual: deletion is not certain."""
        records = Records(voided={str(UUID(int=1)): None})
        assert reason(side(conversion(1), 10), None, records) == (
            "No recorded change explains the difference: $0.00 is owed now, $0.10 when it was paid"
        )

    def test_items_beyond_a_truncated_list_are_not_mentioned(self) -> None:
        """The third was cut off when it was paid, but it counted."""
        sentence = reason(side(conversion(1, 2, total=3)), side(conversion(2, 3)), Records())
        assert f"conversion {UUID(int=1)}, which was deleted," in sentence
        assert f"conversion {UUID(int=3)}" not in sentence


class TestDays:
    def test_days_and_decisions_about_them(self) -> None:
        days = [{"what": "assignment", "text": "assignment A was ended on 2026-05-13"}]
        assert reason(side(recurring()), side(recurring(3)), Records(days=days)) == (
            "Covered days is 3, 7 when it was paid; assignment A was ended on 2026-05-13"
        )

    def test_decisions_that_changed_no_day_are_not_mentioned(self) -> None:
        days = [{"what": "pause", "text": "payouts were paused"}]
        sentence = reason(side(recurring(), 2), side(recurring(), 1), Records(days=days))
        assert sentence.startswith("No recorded change")

    def test_covered_stretches_of_cpm(self) -> None:
        frozen = cpm(post(5))
        owed = cpm(post(5), covered=[{"from": "2026-05-11", "to": "2026-05-12"}])
        assert reason(side(frozen), side(owed)) == (
            "Covered is 2026-05-11 to 2026-05-12, 2026-05-11 to 2026-05-17 when it was paid"
        )


def test_goals_with_another_outcome() -> None:
    assert reason(side(goals(10)), side(goals(8))) == (
        f"Goal {GOAL} has 8 of 10, 10 of 10 when it was paid"
    )


def count(counter: str, *ends: int | None, at: str | None = None, **more: Any) -> Evidence:
    begin, end = ends or (None, None)
    reading = {"captured_at": at, "source": "page", "is_exact": True} if at else None
    of = {"counter": counter, "video_id": POST, "account_id": OTHER, "is_first": False}
    return {**of, "from": begin, "to": end, "to_reading": reading, **more}


def counted(*counts: Evidence) -> Evidence:
    return side({**goals(10), "counts": [*counts]}, 100)


class TestCounts:
    def test_a_late_reading_raised_one(self) -> None:
        frozen = counted(count("likes", 5, 9), count("views", 0, 500))
        at = "2026-05-13T10:00:00.000000Z"
        assert reason(frozen, counted(count("likes", 5, 9), count("views", 0, 1_700, at=at))) == (
            f"Views of post {POST} count from 0 to 1,700, from 0 to 500 when it was paid,"
            " by the late reading of 2026-05-13 10:00:00 UTC from page"
        )

    def test_what_counts_only_now_was_not_read_late(self) -> None:
        """A newer goal may need the count."""
        owed = counted(count("likes", 5, 9, at="2026-05-13T10:00:00.000000Z"))
        assert reason(counted(), owed) == (
            f"Likes of post {POST} count from 5 to 9, nothing when it was paid,"
            " by the reading of 2026-05-13 10:00:00 UTC from page"
        )

    def test_a_first_count_that_differs(self) -> None:
        old, new = (count("views", start, start + 5, is_first=True) for start in (20, 30))
        assert reason(counted(old), counted(new)) == (
            f"Views of post {POST} count from 30 to 35, from 20 to 25 when it was paid"
        )

    def test_marks_that_moved_together_are_no_change(self) -> None:
        old, new = (count("views", start, start + 5) for start in (20, 30))
        assert reason(counted(old), counted(new)).startswith("$1.00 is owed, as")

    def test_followers_are_of_accounts(self) -> None:
        old, new = (count("followers", 90, end, video_id=None) for end in (100, 80))
        changes = changes_of(
            *(counted(count_evidence) for count_evidence in (old, new)), [], sides_of(old, new)
        )
        assert changes == [
            {
                "what": "count",
                "text": f"followers of account {OTHER} count from 90 to 80,"
                " from 90 to 100 when it was paid",
                "account_id": OTHER,
            }
        ]

    @pytest.mark.parametrize("owed", [counted(), None])
    def test_a_post_that_no_longer_counts(self, owed: Evidence | None) -> None:
        frozen = counted(count("posts"), count("views", 0, 9))
        assert reason(frozen, owed, Records(posts={POST: "excluded"})) == (
            f"Post {POST}, which is excluded, counts nothing, as a post when it was paid;"
            f" views of post {POST}, which is excluded, count nothing,"
            " from 0 to 9 when it was paid"
        )

    def test_without_an_owed_amount_only_recorded_changes_are_mentioned(self) -> None:
        assert reason(counted(count("views", 0, 9)), None).startswith("No recorded change explains")

    def test_models_without_counts_are_compared_by_the_rest(self) -> None:
        owed = side(goals(8))
        assert reason(counted(count("views", 0, 9)), owed).startswith(f"Goal {GOAL} has 8 of 10")


WAIVED = {"accrual_id": POST, "amount_cents": -1_000, "status": "void"}


class TestSettled:
    def test_earlier_corrections_come_last(self) -> None:
        sentence = reason(side(recurring()), side(recurring(6)), settled=[WAIVED])
        assert sentence.endswith(f"; adjustment {POST} of -$10.00 was waived")

    def test_reverted_changes_are_mentioned(self) -> None:
        sentence = reason(side(recurring(), 10_000), side(recurring(), 10_000), settled=[WAIVED])
        assert sentence == (
            f"$100.00 is owed, as when it was paid; adjustment {POST} of -$10.00 was waived"
        )

    def test_a_payment_that_was_undone(self) -> None:
        paid = {**WAIVED, "status": "paid"}
        changes = changes_of(None, side(recurring()), [paid], None)
        reason = reason_of({"frozen": None, "changes": changes})
        assert reason == (
            f"The payment that it corrects was undone; adjustment {POST} of -$10.00 was paid"
        )


def test_many_changes_are_counted() -> None:
    posts = [post(1, video_id=str(UUID(int=number))) for number in range(1, 9)]
    sentence = reason(side(cpm(*posts)), side(cpm()))
    assert sentence.count("no longer counts") == 5
    assert sentence.endswith("; and 3 more")
