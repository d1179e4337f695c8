"""Runs over a warehouse whose older readings are in files give what they give with all in it."""

from pathlib import Path
from random import Random

import pytest

from tests.dbt_project.harness import Harness
from tests.dbt_project.reaching_histories import ReachingHistory
from tests.dbt_project.test_payouts import as_copied
from tests.dbt_project.test_reaching_back import differences_of
from tests.dbt_project.test_same_bytes import OF_THE_RUN, marts_of
from tests.doses import SEED, dose
from warehouse.raw import history

RUNS = dose(small=3, full=12)
ORGANIZATIONS = dose(small=4, full=20)
MONTHS = (-1, -1, 0)
"""None before this one, and not even this one: what was published may all be in files."""


def test_runs_are_the_same_wherever_older_readings_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Late readings reach into months in files, decisions too; some runs are never published."""
    monkeypatch.setattr(history, "FEW_ROWS", 1)
    random, moved_rows = Random(SEED), 0
    for name in ("moved", "whole"):
        (tmp_path / name).mkdir()
    moved, whole = Harness(tmp_path / "moved"), Harness(tmp_path / "whole")
    for step in ReachingHistory(SEED, organizations=ORGANIZATIONS, runs=RUNS).steps():
        full_refresh, from_day = random.random() < 0.2, random.random() < 0.2
        is_published = random.random() < 0.8
        for harness in (moved, whole):
            for batch in step.batches:
                harness.ingest(**batch)
            harness.decide(**as_copied(step.operational))
            run = harness.begin(
                as_of=step.as_of,
                full_refresh=full_refresh,
                from_day=step.as_of.date().replace(day=1) if from_day else None,
            )
            harness.build(run)
            if is_published:
                harness.promote(run)
        for mart in marts_of(whole):
            if mart not in OF_THE_RUN:
                assert not [*differences_of(mart, moved.rows(mart), whole.rows(mart))], step.as_of
        with moved.connect() as connection:
            history.move_to_history(connection, random.choice(MONTHS))
            [(moved_rows,)] = connection.execute(
                "select sum(rows) from raw.history_files"
            ).fetchall()
    assert moved_rows
