"""The oracle of payouts gives what the rules' examples and pencil and paper give."""

from datetime import datetime, timedelta
from decimal import Decimal
from uuid import uuid5

import pytest

from tests.dbt_project.payout_ledger import Ledger
from tests.oracles.payout_world import (
    ACCOUNT,
    CREATOR,
    EVENT,
    OTHER,
    OTHERS_ACCOUNT,
    STRUCTURE,
    World,
    at,
    day,
)
from tests.oracles.payouts import balances
from tests.oracles.payouts.payee import NAMESPACE

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


class TestDays:
    """money.md M5, M6, M10."""

    def recurring(self, mode: str, period: str = "monthly", amount: int = 3_100) -> World:
        world = World()
        world.rule("recurring", period, amount_cents=amount, proration_mode=mode)
        return world

    @pytest.mark.parametrize(("mode", "cents"), [("skip", {}), ("full", {1: 3_100})])
    def test_a_part_of_a_period(self, mode: str, cents: dict[int, int]) -> None:
        world = self.recurring(mode)
        world.assign(22)
        assert world.cents(at(25)) == cents

    def test_prorated_days_to_come_included_and_counted_once(self) -> None:
        world = self.recurring("prorate", amount=1_000)
        world.assign(22)
        world.assign(25, 26)
        (row,) = world.owed(at(25))
        assert row["precise_amount"] == Decimal("322.580645161")
        assert (row["amount_cents"], row["limited_by"]) == (323, "proration")

    def test_a_pause_runs_from_the_next_day_to_the_first_period_after_it(self) -> None:
        """Paused on Wednesday the 4th, back on Tuesday the 10th: from Monday the 16th on."""
        world = self.recurring("prorate", "weekly", 700)
        world.assign(2)
        world.pause(at(4), at(10))
        rows = world.owed(at(17))
        assert [(r["period_start"].day, r["amount_cents"], r["limited_by"]) for r in rows] == [
            (2, 300, "paused"),
            (16, 700, None),
        ]


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


class TestGoals:
    """money.md M11."""

    def world(self, **params: object) -> World:
        world = World()
        rule = {"mode": "all", "n": None, "partial_allowed": False, "partial_multiplier": 1}
        terms = {**rule, "min_completion_pct": 0, **params}
        world.rule("goals", "weekly", amount_cents=1_000, criteria_params=terms)
        world.assign(2)
        post = world.post(at(3))
        world.read(post, at(4), 700)
        for target, metric in ((1, "posts"), (1_000, "views")):
            self.goal(world, metric, target)
        return world

    def goal(self, world: World, metric: str, target: int) -> None:
        scope = {"platform_scope": "all", "platform": None, "account_id": None}
        dates = {"start_date": None, "end_date": None, "valid_from": at(1)}
        state = {
            "metric": metric,
            "target_value": target,
            "period": "weekly",
            "creator_id": CREATOR,
        }
        goal = world.add("goal_states", is_active=True, is_deleted=False, **state, **scope, **dates)
        goal["goal_id"] = goal["id"]

    def test_all_must_be_met(self) -> None:
        assert self.world().cents(at(9)) == {}

    def test_any(self) -> None:
        assert self.world(mode="any").cents(at(8)) == {2: 1_000}

    def test_partial_completion_pays_the_mean_fraction_times_the_multiplier(self) -> None:
        """(1 + 0.7) / 2 = 0.85; 1,000 x 0.85 x 0.5 = 425."""
        world = self.world(partial_allowed=True, partial_multiplier=0.5, min_completion_pct=85)
        (row,) = world.owed(at(8))
        assert (row["amount_cents"], row["limited_by"]) == (425, "goals_not_met")

    def test_below_the_least_completion_nothing_is_paid(self) -> None:
        world = self.world(partial_allowed=True, min_completion_pct=85.000001)
        assert world.cents(at(8)) == {}


class TestConversions:
    """money.md M12."""

    def world(self, cadence: str | None, *, backfill: bool = False) -> World:
        world = World()
        rate = {"conversion_event_id": str(EVENT), "rate_type": "percent", "percent_bps": 1_000}
        terms = {"criteria_params": {"rates": [rate]}, "backfill_on_assignment": backfill}
        world.rule("conversion", cadence, **terms)
        world.assign(9)
        world.convert(at(3), value=1_000)
        world.convert(at(10), value=14)
        world.convert(at(11), value=7, quantity=2)
        return world

    def test_each_is_rounded(self) -> None:
        """10% of 14 cents are 1.4 cents, twice."""
        assert self.world(None).cents(END) == {10: 1, 11: 1}

    def test_the_sum_of_a_period_is_rounded_once(self) -> None:
        assert self.world("weekly").cents(END) == {9: 3}

    def test_backfill_adds_the_days_before(self) -> None:
        assert self.world("weekly", backfill=True).cents(END) == {2: 100, 9: 3}
        assert self.world("weekly", backfill=True).cents(at(8)) == {}

    def test_a_voided_conversion_pays_nothing(self) -> None:
        world = self.world(None)
        world.tables["conversions"][1]["voided_at"] = at(12)
        assert world.cents(END) == {11: 1}


class TestShown:
    """money.md M13, M16 to M19."""

    def world(self, settling: int = 0) -> World:
        world = World(settling=settling)
        world.cpm()
        world.assign(1, 9)
        self.post = world.post(at(2))
        world.add(
            "video_statuses",
            video_id=self.post["id"],
            tracking_status="auto_tracked",
            valid_from=at(1),
        )
        world.read(self.post, at(2), 1_000)
        self.ledger = Ledger(0, world.tables)
        return world

    def story(self, world: World, as_of: datetime) -> list[tuple[int, str]]:
        return [(row["amount_cents"], row["status"]) for row in world.shown(as_of)]

    def pay(self, world: World, as_of: datetime) -> None:
        rows = [row for row in world.shown(as_of) if row["status"] in {"final", "approved"}]
        self.ledger.pay(rows, as_of + timedelta(hours=1), "paid")

    def test_ids_are_of_what_an_accrual_is_about(self) -> None:
        (row,) = self.world().owed(END)
        assert row["accrual_id"] == uuid5(NAMESPACE, f"{STRUCTURE}/{CREATOR}/2026-03-02")

    def test_an_accrual_settles_for_some_days_after_its_period(self) -> None:
        world = self.world(settling=2)
        assert self.story(world, at(2, 23)) == [(100, "open")]
        assert self.story(world, at(3, 0)) == [(100, "settling")]
        assert self.story(world, at(4, 23)) == [(100, "settling")]
        assert self.story(world, at(5, 0)) == [(100, "final")]

    def test_what_was_paid_stays_and_is_corrected_beside_it(self) -> None:
        """100 paid; 130 by a late reading: 30 more, paid; an earlier count was 90: 10 back."""
        world = self.world()
        self.pay(world, at(10))
        world.read(self.post, at(2, 13), 1_300)
        assert self.story(world, at(11)) == [(100, "paid"), (30, "final")]
        self.pay(world, at(11))
        assert self.story(world, at(11)) == [(100, "paid"), (30, "paid")]
        world.tables["payout_versions"][0]["criteria_params"]["max_payout_cents"] = 120
        assert self.story(world, at(12)) == [(100, "paid"), (30, "paid"), (-10, "final")]
        adjustment = world.shown(at(12))[2]
        assert adjustment["adjustment_number"] == 2
        assert adjustment["booked_in"] == day(12)
        (balance,) = balances(world.facts(at(12)), world.shown(at(12))).values()
        assert (balance.accrued_cents, balance.paid_cents, balance.balance_cents) == (120, 130, -10)

    def test_a_payment_taken_back_leaves_what_its_adjustments_settled(self) -> None:
        world = self.world()
        self.pay(world, at(10))
        world.read(self.post, at(2, 13), 1_300)
        self.pay(world, at(11))
        first = world.tables["payout_payments"][0]
        self.ledger.change(first, "void", at(12))
        assert self.story(world, at(12)) == [(130, "final"), (30, "paid"), (-30, "final")]

    def test_an_exclusion_claws_nothing_back(self) -> None:
        world = self.world()
        world.read(self.post, at(5), 2_000)
        self.pay(world, at(5))
        self.post["tracking_status"] = "excluded"
        world.add(
            "video_statuses", video_id=self.post["id"], tracking_status="excluded", valid_from=at(6)
        )
        assert self.story(world, at(10)) == [(100, "paid")]

    def test_an_approval_is_of_an_amount(self) -> None:
        world = self.world()
        (row,) = world.shown(at(10))
        self.ledger.write(row, "approved", at(10))
        assert self.story(world, at(10)) == [(100, "approved")]
        world.read(self.post, at(2, 13), 1_300)
        (row,) = world.shown(at(10))
        assert row["status"] == "final"
        assert row["note"] == "approved at 100 cents, recomputed to 130"

    def test_a_waived_adjustment_is_settled(self) -> None:
        world = self.world()
        self.pay(world, at(10))
        world.read(self.post, at(2, 13), 1_300)
        adjustment = world.shown(at(11))[1]
        self.ledger.write(adjustment, "void", at(11))
        assert self.story(world, at(12)) == [(100, "paid"), (30, "void")]

    def test_an_accrual_whose_facts_are_gone_is_taken_back(self) -> None:
        world = self.world()
        self.pay(world, at(10))
        world.readings.clear()
        assert self.story(world, at(11)) == [(100, "paid"), (-100, "final")]
