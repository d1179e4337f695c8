"""The oracle of payouts pays periods as pencil and paper do (money.md M5, M6, M10 to M12)."""

from decimal import Decimal

import pytest

from tests.oracles.payout_world import CREATOR, EVENT, World, at

END = at(31, 23)


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
