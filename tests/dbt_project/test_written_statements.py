"""Every node has statements that are written ahead of the runs; that they do what dbt does when it
makes them for one run is tested with equal rows."""

from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

import pytest

from orchestration.building.dbt import manifest_of_run
from orchestration.building.written_nodes import statements_of
from warehouse.catalogue.models import incremental, touching
from warehouse.control import Run

CONTINUING = Run(
    run_id=UUID(int=1),
    as_of=datetime(2026, 2, 3, 4, 5, 6, 500000, tzinfo=UTC),
    is_full_refresh=False,
    follows_unfinished=False,
    from_batch_seq=41,
    to_batch_seq=42,
    from_copy=2,
    to_copy=3,
    from_score_seq=4,
    to_score_seq=5,
    retracted="7, 9",
    previous_as_of=datetime(2026, 2, 2, tzinfo=UTC),
    first_reading_at=datetime(2025, 12, 31, 23, tzinfo=UTC),
    backfill_from=None,
    backfill_to=None,
)


@pytest.mark.parametrize(
    "run",
    [
        CONTINUING,
        replace(CONTINUING, is_full_refresh=True),
        replace(CONTINUING, follows_unfinished=True),
    ],
    ids=["continuing", "full refresh", "after an unpublished one"],
)
def test_every_node_of_a_pass_has_them(run: Run) -> None:
    """One without would be made by dbt for each run, at ten times the cost."""
    nodes = manifest_of_run(run).nodes.values()
    built = [node for node in nodes if node.resource_type in ("model", "test")]
    assert [node.unique_id for node in built if not statements_of(node)] == []
    sql = "".join(node.compiled_code for node in built)
    assert "@run." not in sql
    assert "batch_seq <= 42" in sql
    assert "timestamptz '2026-02-03 04:05:06.5+00'" in sql


def test_a_run_after_one_that_was_not_published_reads_what_that_one_touched() -> None:
    """Control lets a run continue only where those tables are."""
    after = manifest_of_run(replace(CONTINUING, follows_unfinished=True))
    reading_themselves = {
        node.name
        for node in after.nodes.values()
        if node.resource_type == "model"
        and " ".join(statements_of(node)).count(f"{node.relation_name}") > 1
        and node.get_materialization() == "table"
    }
    assert reading_themselves == touching()


def test_a_run_continues_only_where_every_model_is_that_it_adds_to() -> None:
    added_to = {
        node.name
        for node in manifest_of_run(CONTINUING).nodes.values()
        if node.resource_type == "model" and node.get_materialization() == "incremental"
    }
    assert added_to == incremental()
