"""The scripts with which benchmarks compare the models give equal results."""

from datetime import datetime
from pathlib import Path

import pytest

from tests.qa.benchmarks import models, payouts, suites
from tests.qa.benchmarks.child import Watch
from tests.qa.benchmarks.world import ENDS, add_day, make_world

pytestmark = pytest.mark.slow


SIZE = suites.size_of(0.002, 30)


def test_the_hand_script_gives_the_marts_of_the_models(open_folder: Path) -> None:
    world, by_hand, watch = (
        make_world(open_folder / "world", SIZE),
        open_folder / "by_hand",
        Watch(),
    )
    models.run_models(watch, world.home, ENDS)
    next_day = add_day(world.settings, 0)
    models.run_models(watch, world.home, next_day)
    models.run_hand_script(watch, world.home, next_day, by_hand)
    models.require_equal(world.home, by_hand)


def test_the_plain_script_gives_the_amounts_of_the_models(open_folder: Path) -> None:
    world = make_world(open_folder / "world", SIZE, payouts.SCRIPT)
    by_hand, watch = open_folder / "by_hand", Watch()
    owe(watch, world.home, ENDS)
    next_day = add_day(world.settings, 0)
    owe(watch, world.home, next_day)
    payouts.run_by_hand(watch, world.home, next_day, SIZE.days, by_hand)
    payouts.require_equal(world.home, by_hand)
    assert payouts.cpm_periods(world.home) > 0


def owe(watch: Watch, home: Path, as_of: datetime) -> None:
    payouts.run_other_models(watch, home, as_of)
    payouts.run_payout_models(watch, home)
