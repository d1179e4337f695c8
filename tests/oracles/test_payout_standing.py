"""The oracle of payouts tells what was decided and paid as pencil and paper do (M13 to M19)."""

from datetime import datetime, timedelta
from uuid import uuid5

from tests.dbt_project.payout_ledger import Ledger
from tests.oracles.payout_world import CREATOR, STRUCTURE, World, at, day
from tests.oracles.payouts import balances
from tests.oracles.payouts.payee import NAMESPACE

END = at(31, 23)


class Exact(Ledger):
    """Pays what is shown."""

    OTHERWISE = 0


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
        self.ledger = Exact(0, world.tables)
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
