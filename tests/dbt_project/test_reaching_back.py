"""Every run gives what a full refresh gives, however far back decisions reach (money.md M3)."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

from tests.dbt_project.harness import Harness
from tests.dbt_project.histories import Row
from tests.dbt_project.payout_ledger import Ledger
from tests.dbt_project.reaching_histories import ReachingHistory
from tests.dbt_project.test_comments import score
from tests.dbt_project.test_payouts import as_copied
from tests.dbt_project.test_same_bytes import OF_THE_RUN, marts_of
from tests.doses import SEED, dose

OF_A_WORLD = dose(small=5, full=40)
"""Organizations that share the instants of runs."""
RUNS = dose(small=3, full=4)


class World:
    """A history played into two warehouses, one of which computes everything in each run."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.seed = seed
        self.history = ReachingHistory(seed, organizations=OF_A_WORLD, runs=RUNS)
        self.ledger = Ledger(seed, self.history.operational)
        self.random = Random(seed)
        (folder / "one").mkdir()
        (folder / "other").mkdir()
        self.incremental = Harness(folder / "one", by_dbt=True)
        self.full = Harness(folder / "other")

    def play(self) -> Iterator[int]:
        """Yield the number of each run that continues another."""
        for number, step in enumerate(self.history.steps()):
            for harness in (self.incremental, self.full):
                for batch in step.batches:
                    harness.ingest(**batch)
                harness.decide(**as_copied(step.operational))
                score_arguments = (self.history.scores, self.history.mentions)
                score(harness, *score_arguments, score_seq=number + 1)
            self.incremental.run(as_of=step.as_of)
            if number:
                self.full.run(as_of=step.as_of, full_refresh=True)
                yield number
            self.pay(step.as_of)

    def pay(self, as_of: datetime) -> None:
        """Approve, pay and take back some of what the last run shows."""
        if self.random.random() < 0.6:
            accruals = self.incremental.rows("payout_accruals")
            self.ledger.act(accruals, as_of + timedelta(seconds=1))

    def differences(self) -> Iterator[str]:
        for mart in marts_of(self.full):
            if mart not in OF_THE_RUN:
                yield from differences_of(mart, self.incremental.rows(mart), self.full.rows(mart))


def differences_of(mart: str, actual: list[Row], expected: list[Row]) -> Iterator[str]:
    """Yield a line for a mart that differs, with a row of each side."""
    if actual == expected:
        return
    extra, missing = Counter(map(str, actual)), Counter(map(str, expected))
    sides = {"extra": extra - missing, "missing": missing - extra}
    yield f"{mart}: " + "".join(
        f"\n  {rows.total()} {side}, such as {min(rows)}" for side, rows in sides.items() if rows
    )


def test_every_run_gives_what_a_full_refresh_gives(tmp_path: Path) -> None:
    world = World(tmp_path, SEED)
    for run in world.play():
        differences = "\n".join(world.differences())
        assert not differences, f"run {run}\n{differences}"
