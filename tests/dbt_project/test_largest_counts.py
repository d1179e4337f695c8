"""No figure that a platform shows or a user may enter is large enough to make a run fail.

One run computes all organizations: a value that it cannot store would stop it for all.
"""

from collections.abc import Collection
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import pytest

from scrapers import counts
from serving_api.resources.payouts.structures.criteria import (
    MAX_CENTS_PER_THOUSAND,
    MAX_PERCENT_BPS,
)
from serving_api.resources.programs.conversion_events.schemas import MAX_VALUE_CENTS
from serving_api.resources.programs.conversions.schemas import MAX_QUANTITY
from tests.dbt_project.harness import Harness
from tests.dbt_project.histories import Row, Step, Tables
from tests.dbt_project.payout_histories import PayoutHistory
from tests.dbt_project.stories import NEEDED, as_copied
from warehouse.amounts import LARGEST_CENTS
from warehouse.imports.layouts import LARGEST_COUNT

LARGEST_TARGET = 2**63 - 1
"""The contract's maximum of a goal."""

LARGEST = {
    "cents_per_thousand": MAX_CENTS_PER_THOUSAND,
    "amount_cents": MAX_VALUE_CENTS,
    "percent_bps": MAX_PERCENT_BPS,
    "max_payout_cents": None,
}
"""Maximum values in rules; a cap would hide their results."""

OWED = ("payout_earned", "payout_accruals", "payout_costs", "budget_committed")


def test_scrapers_accept_no_larger_counts_than_imports() -> None:
    assert counts.LARGEST_COUNT == LARGEST_COUNT


@pytest.mark.slow
def test_extreme_figures_do_not_fail_a_run(tmp_path: Path) -> None:
    """In a full and an incremental run, without effect on amounts of another organization."""
    hostile, plain = (_harness(tmp_path / name) for name in ("hostile", "plain"))
    draw = Random(5)
    seen: set[int | None] = set()
    for step in PayoutHistory(5, organizations=4, runs=2).steps():
        other = step.operational["organizations"][0]["id"]
        for batch in step.batches:
            plain.ingest(**batch)
        for facts in exaggerated(step, other, draw):
            hostile.ingest(**facts)
        hostile.decide(**as_copied(decided(step.operational, other)))
        hostile.run(as_of=step.as_of)
        seen |= hostile.column("marts.video_deltas", "view_delta")
    assert {LARGEST_COUNT, -LARGEST_COUNT} <= seen
    assert_sums_are_bounded(hostile)
    plain.decide(**as_copied({**step.operational, "payout_budgets": budgets(step.operational)}))
    plain.build(plain.begin(as_of=step.as_of), *NEEDED)
    for mart in OWED:
        owed = of_organization(plain, mart, other)
        assert owed
        assert of_organization(hostile, mart, other) == owed, mart


def assert_sums_are_bounded(harness: Harness) -> None:
    """Each rule type that multiplies pays the largest amount, and so do sums of such amounts."""
    earned = harness.rows("payout_earned")
    largest = {row["criteria_type"] for row in earned if row["amount_cents"] == LARGEST_CENTS}
    assert largest == {"cpm", "conversion"}
    assert max(row["amount_cents"] for row in earned) == LARGEST_CENTS
    assert max(harness.column("marts.budget_committed", "exposure_cents")) == LARGEST_CENTS
    parts = sum(row["amount_cents"] for row in harness.rows("payout_costs"))
    assert parts == sum(row["amount_cents"] for row in harness.rows("payout_accruals"))


def exaggerated(step: Step, other: UUID, draw: Random) -> list[dict[str, list[Row]]]:
    """Return the step's batches with minimal or maximal counts, except those of `other`.

    Each post and account is read once more, a microsecond later.
    """
    ids = {
        row["id"]
        for table in ("videos", "accounts")
        for row in step.operational[table]
        if row["organization_id"] == other
    }
    return [
        {
            table: [
                {column: _extreme(column, value, draw) for column, value in copy.items()}
                if not _is_about(row, ids)
                else copy
                for row in rows
                for copy in ((row,) if _is_about(row, ids) else (row, _a_moment_later(row)))
            ]
            for table, rows in batch.items()
        }
        for batch in step.batches
    ]


def decided(operational: Tables, other: UUID) -> Tables:
    """Return decisions with the largest figures that the API accepts, except those of `other`."""
    tables = {
        table: [row if row.get("organization_id") == other else _large(table, row) for row in rows]
        for table, rows in operational.items()
    }
    return {**tables, "payout_budgets": budgets(operational)}


def budgets(operational: Tables) -> list[Row]:
    """Return a budget without dates for each project."""
    projects = {row["project_id"]: row["organization_id"] for row in operational["creators"]}
    return [
        {
            "id": UUID(int=number),
            "organization_id": organization,
            "project_id": project,
            "amount_cents": LARGEST_CENTS,
            "thresholds": [1, 1000],
        }
        for number, (project, organization) in enumerate(projects.items(), start=1)
    ]


def of_organization(harness: Harness, mart: str, organization: UUID) -> list[dict[str, Any]]:
    return [row for row in harness.rows(mart) if row["organization_id"] == organization]


def _harness(folder: Path) -> Harness:
    folder.mkdir()
    return Harness(folder)


def _is_about(row: Row, ids: Collection[UUID]) -> bool:
    return row.get("video_id", row.get("account_id")) in ids


def _a_moment_later(row: Row) -> Row:
    at = "captured_at" if "captured_at" in row else "finished_at"
    return row if at not in row else row | {at: row[at] + timedelta(microseconds=1)}


def _extreme(column: str, value: object, draw: Random) -> object:
    if column.endswith("_count") and isinstance(value, int):
        return draw.choice((0, LARGEST_COUNT))
    return value


def _large(table: str, row: Row) -> Row:
    if table == "payout_versions":
        terms: Row = _largest_terms(row)
        return terms
    if table == "goal_states":
        return row | {"target_value": LARGEST_TARGET}
    if table == "conversions":
        total = MAX_VALUE_CENTS * MAX_QUANTITY
        large = {"value_cents": MAX_VALUE_CENTS, "quantity": MAX_QUANTITY}
        return row | large | {"total_value_cents": total}
    return row


def _largest_terms(terms: Any) -> Any:
    """Return terms with all figures at their maximum."""
    if isinstance(terms, dict):
        return {
            name: LARGEST[name] if name in LARGEST and value is not None else _largest_terms(value)
            for name, value in terms.items()
        }
    return [_largest_terms(term) for term in terms] if isinstance(terms, list) else terms
