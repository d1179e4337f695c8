"""`dbt build` by hand gives the rows that a pipeline run gives, in full and incremental builds."""

from pathlib import Path

import pytest

from tests.dbt_project.continued_line import relations_of
from tests.dbt_project.harness import Harness, dbt
from tests.dbt_project.payout_histories import PayoutHistory
from tests.dbt_project.published_facts import all_rows
from tests.dbt_project.stories import as_copied

pytestmark = pytest.mark.slow


def test_dbt_by_hand_gives_the_rows_of_a_pipeline_run(tmp_path: Path) -> None:
    harness = Harness(tmp_path, skips=True)
    for number, step in enumerate(PayoutHistory(7, organizations=2, runs=2).steps()):
        for batch in step.batches:
            harness.ingest(**batch)
        harness.decide(**as_copied(step.operational))
        run = harness.begin(as_of=step.as_of)
        (tmp_path / str(number)).mkdir()
        by_hand = harness.copy(tmp_path / str(number))
        harness.build(run)
        full = ["--full-refresh"] if run.is_full_refresh else []
        excluded = ("--exclude-resource-type", "unit_test")
        dbt("build", *excluded, *full, path=by_hand.path, folder=by_hand.folder)
        with harness.connect() as one, by_hand.connect() as other:
            assert relations_of(one) == relations_of(other)
            for relation in relations_of(one):
                rows, rows_by_hand = (all_rows(each, relation) for each in (one, other))
                assert rows.equals(rows_by_hand), f"{relation} of build {number}"
        harness.promote(run)


def test_dbt_by_hand_fails_before_the_first_run(tmp_path: Path) -> None:
    harness = Harness(tmp_path)
    with pytest.raises(AssertionError, match="No run has begun in this warehouse"):
        dbt("run", path=harness.path, folder=harness.folder)
    with harness.connect() as connection:
        assert not connection.sql("select 1 from duckdb_views() where schema_name = 'staging'")


def test_a_full_refresh_by_hand_requires_the_flag_of_dbt(tmp_path: Path) -> None:
    harness = Harness(tmp_path)
    harness.begin(as_of=PayoutHistory(7, organizations=1, runs=1).as_of(0))
    with pytest.raises(AssertionError, match="add --full-refresh"):
        dbt("run", path=harness.path, folder=harness.folder)
