"""The next run shows each change to an accrual with a decision (money.md M17, M18).

Each cause of int_touched_accruals affects one day's accrual of a creator who earns daily.
"""

from collections.abc import Sequence
from functools import partial

import pytest

from tests.dbt_project.changed_worlds import ChangedWorld
from tests.dbt_project.harness import Harness
from tests.dbt_project.payout_ledger import Ledger
from tests.dbt_project.test_carried_exclusions import Exact, accruals, run
from tests.oracles.goals import Row
from tests.oracles.payout_world import at

DAYS = {
    "a decision": 3,
    "a decision that is undone": 4,
    "a payment": 5,
    "a payment that is taken back": 6,
    "a pending payment that is made": 7,
    "an adjustment whose day ends": 8,
    "a touched payee": 9,
    "nothing is owed any more": 10,
}
"""Day of March whose accrual a cause changes; a touched payee also touches later ones."""

FIRST_RUN, SECOND_RUN = at(12, 6), at(12, 18)

Shown = dict[int, list[Row]]


class AlteredLedger(Ledger):
    ALTERED_SHARE = 1


class Deciding:
    """A creator gains 1,000 views a day for $1; the 11th ends between the runs in that zone."""

    def __init__(self) -> None:
        self.world = ChangedWorld("America/Los_Angeles")
        self.world.cpm("daily")
        self.world.assign(2)
        self.post = self.world.post(at(2))
        for number in range(2, 12):
            self.world.read(self.post, at(number, 20), 1_000 * number)
        self.ledger = Exact(0, self.world.tables)

    def decide_before(self, rows_by_day: Shown) -> None:
        now = at(12, 5)
        self.ledger.write(*rows_by_day[DAYS["a decision that is undone"]], "approved", now)
        self.ledger.pay(rows_by_day[DAYS["a payment that is taken back"]], now, "paid")
        self.ledger.pay(rows_by_day[DAYS["a pending payment that is made"]], now, "pending")
        for name in ("a touched payee", "nothing is owed any more"):
            self.ledger.pay(rows_by_day[DAYS[name]], now, "paid")
        altered = AlteredLedger(0, self.world.tables)
        altered.pay(rows_by_day[DAYS["an adjustment whose day ends"]], now, "paid")

    def decide(self, rows_by_day: Shown) -> None:
        now = at(12, 13)
        taken_back, made, *_ = self.world.tables["payout_payments"]
        self.ledger.write(*rows_by_day[DAYS["a decision"]], "approved", now)
        self.ledger.write(*rows_by_day[DAYS["a decision that is undone"]], None, now)
        self.ledger.pay(rows_by_day[DAYS["a payment"]], now, "paid")
        self.ledger.change(taken_back, "void", now)
        self.ledger.change(made, "paid", now)
        self.world.read(self.post, at(9, 23), 10_000)


def by_day(harness: Harness) -> Shown:
    """Return accruals by their day of March, without the time of the run."""
    rows = [{**row, "computed_at": None} for row in accruals(harness)]
    return {day: [row for row in rows if row["period_start"].day == day] for day in range(2, 13)}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Sequence[Shown]:
    """Return the accruals before the changes, after them, and after a full refresh."""
    harness, deciding = Harness(tmp_path_factory.mktemp("accruals")), Deciding()
    play = partial(run, harness, deciding.world)
    harness.ingest(**deciding.world.observed)
    play(at(12, 4))
    deciding.decide_before(by_day(harness))
    play(FIRST_RUN)
    before = by_day(harness)
    deciding.decide(before)
    harness.ingest(video_snapshots=deciding.world.readings[-1:])
    play(SECOND_RUN)
    after = by_day(harness)
    harness.run(as_of=SECOND_RUN, full_refresh=True)
    return before, after, by_day(harness)


@pytest.mark.parametrize("cause", DAYS)
def test_each_cause_updates_the_accrual(runs: Sequence[Shown], cause: str) -> None:
    before, after, refreshed = (days[DAYS[cause]] for days in runs)
    assert before != after, "changes nothing"
    assert after == refreshed


def test_an_untouched_accrual_stays(runs: Sequence[Shown]) -> None:
    before, after, refreshed = (days[2] for days in runs)
    assert before == after == refreshed
