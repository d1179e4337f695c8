"""Eight times the data in any dimension takes at most eight times the work.

The work of a statement is the rows that its operators process (tests.dbt_project.profiles): a join
of organizations with organizations processes 64 times as many. The tests cover all models and data
tests, in a full and an incremental run.
"""

import json
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from uuid import uuid5

import duckdb
import pytest

from tests.dbt_project import statements
from tests.dbt_project.harness import Harness, parsed_nodes
from tests.dbt_project.histories import Row, Step
from tests.dbt_project.multiplied import DIMENSIONS, WHOLE, multiplied
from tests.dbt_project.payout_histories import PayoutHistory
from tests.dbt_project.payout_ledger import COPIED
from tests.dbt_project.profiles import ALL_WITH_ALL, OF_PAIRS, Handled, operators
from tests.dbt_project.stories import as_copied
from tests.doses import dose, sample

ORGANIZATIONS = dose(small=6, full=12)
TIMES = 8
SPARE = 1.5
"""Tolerance factor above `TIMES` for an operator: DuckDB may order joins differently."""
FEW = 100
"""Smaller row counts in the small world are raised to this number."""

pytestmark = pytest.mark.slow


def steps() -> Sequence[Step]:
    return list(PayoutHistory(1, organizations=ORGANIZATIONS, runs=2).steps())


def handled_in(folder: Path, dimension: str, times: int) -> list[Handled]:
    """Build a full and an incremental run, and return the rows that each processed."""
    folder.mkdir()
    harness = Harness(folder)
    runs: list[Handled] = []
    for number, step in enumerate(multiplied(each, dimension, times) for each in steps()):
        for batch in step.batches:
            harness.ingest(**batch)
        if number:
            pay(harness, step)
        harness.decide(**as_copied(step.operational))
        runs.append({})
        build(harness, step, runs[-1])
    return runs


def build(harness: Harness, step: Step, handled: Handled) -> None:
    """Build and test without skipping anything."""
    run = harness.begin(as_of=step.as_of)
    statements.build(harness.path, run, is_tested=True, handled=handled)
    harness.promote(run)


def pay(harness: Harness, step: Step) -> None:
    """Pay the final amounts of the last run, and decide on the others."""
    paid: list[Row] = []
    decided: list[Row] = []
    for row in harness.rows("payout_accruals"):
        copy = {name: row[name] for name in COPIED}
        (paid if row["status"] == "final" else decided).append(copy)
    at = step.as_of - timedelta(hours=1)
    step.operational["payout_payments"] = [
        {
            name: row[name]
            for name in ("organization_id", "project_id", "creator_id", "amount_cents")
        }
        | {"id": payment_of(row), "currency": "USD", "status": "paid", "paid_at": at}
        | {"created_at": at}
        for row in paid
    ]
    step.operational["payout_payment_accruals"] = [
        {**row, "payment_id": payment_of(row), "is_live": True, "frozen_at": at} for row in paid
    ]
    step.operational["payout_accrual_decisions"] = [
        {**row, "decision": "approved", "decided_at": at} for row in decided
    ]


def payment_of(row: Row) -> object:
    return uuid5(row["accrual_id"], "payment")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("few") / "world"


@pytest.fixture(scope="module")
def few(small: Path) -> list[Handled]:
    """Rows processed in a small world."""
    return handled_in(small, "organizations", 1)


@pytest.mark.parametrize("dimension", sample([*WHOLE, *DIMENSIONS], small=1))
def test_work_grows_at_most_linearly(tmp_path: Path, few: list[Handled], dimension: str) -> None:
    many = handled_in(tmp_path / "world", dimension, TIMES)
    runs = enumerate(zip(few, many, strict=True))
    assert [
        line for number, (before, after) in runs for line in outgrown(number, before, after)
    ] == []


def outgrown(run: int, before: Handled, after: Handled) -> list[str]:
    """Return the operators that process too many rows for `TIMES` as much data.

    A join that checks every pair is compared with itself. Other operators are compared with the
    largest one of their statement in the small world, as their rows depend on DuckDB's join order.
    Scans do not count: the rows that they skip depend on statistics.
    """
    most: dict[str, int] = {}
    for (node, _), rows in before.items():
        most[node] = max(most.get(node, 0), rows)
    lines = []
    for (node, operator), rows in after.items():
        own = before.get((node, operator)) if operator.split()[0] in OF_PAIRS else None
        was = most.get(node, 0) if own is None else own
        if rows > SPARE * TIMES * max(was, FEW) and not operator.startswith("TABLE_SCAN"):
            lines.append(f"run {run}, {node}: {operator} handles {rows} rows, {was} before")
    return lines


def test_no_statement_compares_all_pairs(few: list[Handled]) -> None:
    """A left or anti join with a condition on its left side alone checks every pair of rows in
    DuckDB, even if it also joins on keys (`on not videos.is_counted and ...`).
    """
    nodes = [node for run in few for node, operator in run if operator == ALL_WITH_ALL]
    assert nodes == []


def test_no_view_compares_all_pairs(few: list[Handled], small: Path) -> None:
    """Publications, not builds, read these views: for each question about costs and budgets."""
    assert few
    compared = []
    with duckdb.connect(str(small / "warehouse.duckdb"), config={"threads": 1}) as connection:
        connection.execute("pragma enable_profiling='no_output'")
        for view in views_in(connection):
            connection.execute(f"select * from {view}").fetchall()
            profile = json.loads(connection.get_profiling_information("json"))
            if ALL_WITH_ALL in {operator["operator_type"] for operator in operators(profile)}:
                compared.append(view)
    assert compared == []


def test_sums_of_amounts_read_no_evidence(few: list[Handled], small: Path) -> None:
    """Evidence is the widest column, and for open amounts it is not yet written."""
    assert few
    with duckdb.connect(str(small / "warehouse.duckdb")) as connection:
        [(_, plan)] = connection.execute(
            "explain select sum(amount_cents) from marts.payout_accruals"
        ).fetchall()
    assert "amount_cents" in plan
    assert "evidence" not in plan


def views_in(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Return the views of publications, including those of costs."""
    rows = connection.execute(
        "select schema_name || '.' || view_name from duckdb_views()"
        " where schema_name in ('marts', 'machinery') order by all"
    ).fetchall()
    views = [view for (view,) in rows]
    assert {"marts.payout_costs", "marts.budget_committed"} <= {*views}
    return views


def test_every_table_and_data_test_is_profiled(few: list[Handled]) -> None:
    built = {
        node["name"]
        for node in parsed_nodes()
        if node["resource_type"] == "test" or node["config"]["materialized"] != "view"
    }
    for run in few:
        assert built - {node for node, _ in run} == set()
