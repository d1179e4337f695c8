"""No figure that a platform shows or a person may enter is so large that a run fails over it.

Everybody's numbers are computed by one run: what it cannot hold would end it for all.
"""

from datetime import timedelta
from pathlib import Path
from random import Random

from scrapers import payload
from tests.dbt_project.harness import Harness
from tests.dbt_project.histories import Row, Step
from tests.dbt_project.payout_histories import PayoutHistory
from tests.dbt_project.test_payouts import as_copied
from warehouse.imports.layouts import LARGEST_COUNT

LARGEST_TARGET = 2**63 - 1
"""Of a goal, by the contract."""


def test_scrapers_take_no_larger_counts_than_imports() -> None:
    assert payload.LARGEST_COUNT == LARGEST_COUNT


def test_a_run_ends_well_whatever_counters_jump_to(tmp_path: Path) -> None:
    harness = Harness(tmp_path)
    draw = Random(5)
    seen: set[int | None] = set()
    for step in PayoutHistory(5, organizations=8, runs=2).steps():
        for facts in exaggerated(step, draw):
            harness.ingest(**facts)
        harness.decide(**as_copied(step.operational))
        harness.run(as_of=step.as_of)
        seen |= harness.column("marts.video_deltas", "view_delta")
    assert {LARGEST_COUNT, -LARGEST_COUNT} <= seen


def exaggerated(step: Step, draw: Random) -> list[dict[str, list[Row]]]:
    """Return the step's batches with every count as small or large as may be.

    Each post and account is read once more, a microsecond later.
    """
    for goal in step.operational["goal_states"]:
        goal["target_value"] = LARGEST_TARGET
    return [
        {
            table: [
                {column: _extreme(column, value, draw) for column, value in other.items()}
                for row in rows
                for other in (row, _a_moment_later(row))
            ]
            for table, rows in batch.items()
        }
        for batch in step.batches
    ]


def _a_moment_later(row: Row) -> Row:
    at = "captured_at" if "captured_at" in row else "finished_at"
    return row if at not in row else row | {at: row[at] + timedelta(microseconds=1)}


def _extreme(column: str, value: object, draw: Random) -> object:
    if column.endswith("_count") and isinstance(value, int):
        return draw.choice((0, LARGEST_COUNT))
    return value
