"""The oracle of payouts counts views as the rules' examples and pencil and paper do (M7 to M9)."""

from datetime import datetime

import pytest

from tests.oracles.payout_world import ACCOUNT, CREATOR, OTHER, OTHERS_ACCOUNT, World, at

END = at(31, 23)


class TestCpm:
    """money.md M7, M8."""

    def test_cents_are_those_of_the_running_total(self) -> None:
        world = World()
        world.cpm()
        world.assign(1)
        post = world.post(at(2))
        world.read(post, at(2), 333)
        world.read(post, at(3), 666)
        assert world.cents(END) == {2: 33, 3: 34}

    def test_tiers_are_graduated_and_bounds_inclusive(self) -> None:
        world = World()
        tiers = [
            {"up_to_impressions": 10_000, "cents_per_thousand": 100},
            {"up_to_impressions": None, "cents_per_thousand": 80},
        ]
        world.cpm("weekly", tiers=tiers)
        world.assign(1)
        post = world.post(at(2))
        world.read(post, at(2), 12_400)
        (row,) = world.owed(END)
        assert row["amount_cents"] == 1_000 + 192
        assert row["evidence"]["tiers"] == [10_000, 2_400]

    def test_too_few_views_carry_over_and_are_tested_in_every_covered_period(self) -> None:
        world = World()
        world.cpm(min_impressions=1_000)
        world.cpm(min_impressions=700, created_at=at(5, 1))
        world.assign(1, 20)
        post = world.post(at(2))
        world.read(post, at(2), 400)
        world.read(post, at(3), 800)
        rows = world.owed(at(8))
        assert [(r["period_start"].day, r["amount_cents"], r["limited_by"]) for r in rows] == [
            (2, 0, "min_impressions"),
            (3, 0, "min_impressions"),
            (4, 0, "min_impressions"),
            (5, 80, None),
        ]

    def test_what_the_cap_cuts_is_lost(self) -> None:
        world = World()
        world.cpm(max_payout_cents=50)
        world.assign(1)
        post = world.post(at(2))
        world.read(post, at(2), 1_000)
        world.read(post, at(3), 1_100)
        assert world.cents(END) == {2: 50, 3: 10}

    def test_falls_pay_nothing_and_are_not_paid_twice(self) -> None:
        world = World()
        world.cpm()
        world.assign(1)
        post = world.post(at(2))
        for number, views in ((2, 1_000), (3, 400), (4, 900), (5, 1_300)):
            world.read(post, at(number), views)
        assert world.cents(END) == {2: 100, 5: 30}

    def test_a_rounded_reading_counts_as_the_least_that_it_can_stand_for(self) -> None:
        world = World()
        world.cpm()
        world.assign(1)
        post = world.post(at(2))
        world.read(post, at(2), 12_400, exact=False)
        world.read(post, at(3), 12_420)
        assert world.cents(END) == {2: 1_235, 3: 7}

    @pytest.mark.parametrize("posted_at", [at(1), None])
    def test_what_an_older_post_had_is_not_paid(self, posted_at: datetime | None) -> None:
        world = World()
        world.cpm()
        world.assign(5)
        post = world.post(posted_at)
        world.read(post, at(6), 5_000)
        world.read(post, at(7), 6_000)
        assert world.cents(END) == {7: 100}

    def test_a_reading_on_a_boundary_belongs_to_the_later_period(self) -> None:
        world = World()
        world.cpm()
        world.assign(1)
        world.read(world.post(at(2)), at(4, 0), 1_000)
        assert world.cents(END) == {4: 100}

    def test_what_was_gained_between_runs_is_passed_over(self) -> None:
        world = World()
        world.cpm()
        world.assign(1, 3)
        world.assign(8)
        post = world.post(at(2))
        world.read(post, at(3), 1_000)
        world.read(post, at(9), 5_000)
        world.read(post, at(10), 5_500)
        assert world.cents(END) == {3: 100, 10: 50}

    def test_a_post_made_in_a_later_run_counts_from_zero(self) -> None:
        world = World()
        world.cpm()
        world.assign(1, 3)
        world.assign(8)
        world.read(world.post(at(9)), at(9, 13), 700)
        assert world.cents(END) == {9: 70}

    def test_views_after_the_lifetime_are_passed_over(self) -> None:
        world = World()
        world.cpm(view_lifetime_days=2)
        world.assign(1)
        post = world.post(at(2))
        world.read(post, at(3), 1_000)
        world.read(post, at(4), 1_500)
        world.read(post, at(4, 13), 9_000)
        rows = world.owed(END)
        assert [(r["amount_cents"], r["limited_by"]) for r in rows] == [
            (100, None),
            (50, "view_lifetime"),
        ]

    def test_a_new_rule_holds_for_the_period_in_progress(self) -> None:
        world = World()
        world.cpm("weekly")
        tiers = [{"up_to_impressions": None, "cents_per_thousand": 200}]
        world.cpm("weekly", tiers=tiers, created_at=at(8, 23))
        world.cpm("weekly", created_at=at(9, 0))
        world.assign(2)
        world.read(world.post(at(3)), at(3), 1_000)
        assert world.cents(END) == {2: 200}

    def test_a_new_owner_begins_at_the_largest_count_read_before(self) -> None:
        world = World()
        world.cpm()
        world.assign(1)
        world.assign(1, creator=OTHER)
        post = world.post(at(2))
        for owner in ((ACCOUNT, CREATOR, at(1)), (OTHERS_ACCOUNT, OTHER, at(4))):
            names = ("account_id", "creator_id", "valid_from")
            world.add("video_owners", video_id=post["id"], **dict(zip(names, owner, strict=True)))
        world.read(post, at(3), 1_000)
        world.read(post, at(4), 1_700)
        paid = {(row["creator_id"], row["amount_cents"]) for row in world.owed(END)}
        assert paid == {(CREATOR, 100), (OTHER, 70)}

    def test_days_are_those_of_the_zone(self) -> None:
        """The 8th of March 2026 has 23 hours in New York: it ends at 04:00 UTC."""
        world = World("America/New_York")
        world.cpm()
        world.assign(1)
        post = world.post(at(8))
        world.read(post, at(9, 3), 1_000)
        world.read(post, at(9, 4), 1_100)
        assert world.cents(END) == {8: 100, 9: 10}


class TestThresholds:
    """money.md M9."""

    @pytest.mark.parametrize(("backfill", "reached"), [(False, [1_000]), (True, [100, 1_000])])
    def test_what_an_older_post_had_counts_with_backfill_only(
        self, *, backfill: bool, reached: list[int]
    ) -> None:
        world = World()
        rule = [{"view_count": count, "amount_cents": count} for count in (1_000, 100)]
        params = {"thresholds": rule}
        world.rule("view_threshold", None, criteria_params=params, backfill_on_assignment=backfill)
        world.assign(5)
        post = world.post(at(1))
        world.read(post, at(6), 500)
        world.read(post, at(7), 1_200)
        world.read(post, at(8), 800)
        world.read(post, at(9), 1_300)
        assert [row["view_count"] for row in world.owed(END)] == reached

    def test_an_accrual_is_of_the_day_of_the_reading(self) -> None:
        world = World()
        params = {"thresholds": [{"view_count": 100, "amount_cents": 5_000}]}
        world.rule("view_threshold", None, criteria_params=params)
        world.assign(5)
        post = world.post(at(6))
        world.read(post, at(8), 100)
        assert world.cents(END) == {8: 5_000}
