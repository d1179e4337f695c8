"""The dbt project as its readers meet it: tests, documentation, and its claims."""

import re
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from dbt.adapters.duckdb.impl import DuckDBAdapter

from orchestration.building import executor
from orchestration.building.executor import attached, execute
from orchestration.building.rendering import PROJECT
from scrapers.refusing import REFUSALS
from tests.dbt_project import statements
from tests.dbt_project.harness import Harness, dbt, parsed_nodes
from tests.dbt_project.histories import History
from tests.dbt_project.statements import failing_tests
from warehouse.catalogue.meanings import project
from warehouse.catalogue.models import PUBLISHED
from warehouse.registration.posting_times import POSTED_AT_AWAITED
from warehouse.settings import Settings

MODELS = sorted(path.stem for path in PROJECT.glob("models/**/*.sql"))
TYPES = """
    select table_name, column_name, data_type from duckdb_columns()
    where schema_name in ('marts', 'machinery')
"""
WRITTEN = ("timestamptz", "timestamp with time zone")
"""A type that DuckDB reports by another name, even within other types."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Harness:
    """A warehouse after a full and an incremental run."""
    harness = Harness(tmp_path_factory.mktemp("built"))
    for step in History(5, organizations=10, runs=2).steps():
        for batch in step.batches:
            harness.ingest(**batch)
        harness.decide(**step.operational)
        harness.run(as_of=step.as_of)
    return harness


@pytest.fixture
def damaged(built: Harness, tmp_path: Path) -> Harness:
    """A copy for a test that damages rows or leaves a run unfinished."""
    return built.copy(tmp_path)


@pytest.fixture(scope="module")
def manifest(built: Harness) -> dict[str, Any]:
    return {node["name"]: node for node in parsed_nodes() if node["name"] in MODELS}


def test_worked_examples_hold(built: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    """No example changes a table, so dbt needs to describe each input only once."""
    columns_once = cache(DuckDBAdapter.get_columns_in_relation)
    monkeypatch.setattr(DuckDBAdapter, "get_columns_in_relation", columns_once)
    results = dbt("test", "--select", "test_type:unit", path=built.path, folder=built.folder)
    nodes = [each for each in results if each.node.resource_type != "operation"]
    assert {str(each.status) for each in nodes} == {"pass"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("test", "damage"),
    [
        (
            "assert_deltas_add_up_to_the_last_count",
            "update marts.video_deltas set view_delta = view_delta + 1",
        ),
        (
            "assert_campaigns_count_each_member_once",
            "update marts.campaign_daily set cumulative_likes = 1 - cumulative_likes",
        ),
        ("assert_new_readings_are_in_the_marts", "delete from marts.account_snapshots"),
        ("assert_new_readings_are_in_the_marts", "delete from marts.video_deltas"),
        (
            "assert_what_was_copied_and_said_is_in_the_marts",
            "update marts.accounts set handle = 'another'",
        ),
    ],
)
def test_data_tests_report_damaged_rows(damaged: Harness, test: str, damage: str) -> None:
    """Only a full refresh checks all history."""
    run = damaged.begin(as_of=as_of(damaged), full_refresh=True)
    with damaged.connect() as connection:
        connection.execute(damage)
        assert test in failing_tests(connection, run)


def test_models_have_one_body_for_full_and_incremental_runs() -> None:
    """A model that branches would have two bodies, and a change may reach only one of them."""
    pattern = re.compile("computes_everything|is_incremental|FULL_REFRESH")
    asking = {
        path.relative_to(PROJECT).as_posix()
        for folder in ("macros", "models", "tests")
        for path in (PROJECT / folder).rglob("*.sql")
        if pattern.search(path.read_text("utf-8"))
    }
    assert asking == {
        "macros/incremental/growing.sql",
        "macros/incremental/run_parameters.sql",
        "macros/materializations/incremental.sql",
    }


@pytest.mark.slow
def test_a_full_refresh_replaces_relations_of_other_kinds(built: Harness) -> None:
    """A model may have been a view or a table before an upgrade, and data tests pass."""
    before = built.rows("account_snapshots")
    tables = "intermediate.int_payout_payees", "marts.video_deltas"
    with built.connect() as connection:
        connection.execute("drop view staging.stg_creators")
        connection.execute("create table staging.stg_creators as select 1 as earlier")
        for table in tables:
            connection.execute(f"drop table {table}")
            connection.execute(f"create view {table} as select 1 as earlier")
    run = built.run(as_of=as_of(built), full_refresh=True)
    for relation in ("staging.stg_creators", *tables):
        assert "earlier" not in columns_of(built, relation)
    assert built.rows("account_snapshots") == before != []
    with built.connect() as connection:
        assert failing_tests(connection, run) == {}


@pytest.mark.slow
def test_data_tests_pass_after_an_incremental_run(built: Harness) -> None:
    run = built.run(as_of=as_of(built) + timedelta(hours=1))
    assert not run.is_full_refresh
    with built.connect() as connection:
        assert failing_tests(connection, run) == {}


@pytest.mark.slow
def test_an_incremental_run_builds_only_missing_views(built: Harness) -> None:
    again = as_of(built) + timedelta(hours=1)
    run = built.begin(as_of=again)
    statements.build(built.path, run, skips=True)
    built.promote(run)
    with built.connect() as connection:
        connection.execute("drop view staging.stg_creators")
    run = built.begin(as_of=again + timedelta(hours=1))
    results = statements.build(built.path, run, "stg_creators", "stg_video_snapshots", skips=True)
    assert [result.status for result in results] == ["success", "no-op"]
    assert "creator_id" in columns_of(built, "staging.stg_creators")


@pytest.mark.slow
def test_a_failed_model_reports_its_error_and_keeps_its_rows(
    damaged: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = damaged.rows("video_daily")
    run = damaged.begin(as_of=as_of(damaged), full_refresh=True)
    daily = "warehouse.marts.video_daily"
    wrong = [f"delete from {daily}", f"insert into {daily} by name select 1 as nothing"]
    monkeypatch.setattr(executor, "statements", lambda *_, **__: wrong)
    with pytest.raises(AssertionError, match=r"(?s)^video_daily: .*Binder Error"):
        damaged.build(run, "video_daily")
    assert damaged.rows("video_daily") == before != []


@pytest.mark.slow
def test_children_of_a_failed_model_are_skipped(
    damaged: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executor, "statements", lambda *_, **__: ["select nothing"])
    run = damaged.begin(as_of=as_of(damaged), full_refresh=True)
    with attached(Settings(warehouse_url=str(damaged.path), _env_file=None)) as connection:
        nodes = [n for n in parsed_nodes() if n["name"] in {"video_deltas", "video_daily"}]
        results = execute(connection, run, nodes)
    assert [result.status for result in results] == ["error", "skipped"]


def columns_of(harness: Harness, relation: str) -> set[str]:
    with harness.connect() as connection:
        rows = connection.execute(f"select column_name from (describe {relation})").fetchall()
    return {name for (name,) in rows}


def as_of(harness: Harness) -> datetime:
    with harness.connect() as connection:
        ((instant,),) = connection.execute("select as_of from control.run").fetchall()
    assert isinstance(instant, datetime)
    return instant


def test_columns_of_marts_have_their_declared_types(
    built: Harness, manifest: dict[str, Any]
) -> None:
    with built.connect() as connection:
        rows = connection.execute(TYPES).fetchall()
    actual = {(mart, column): kind.lower() for mart, column, kind in rows}
    assert actual == {
        (mart, column["name"]): column["data_type"].replace(*WRITTEN)
        for mart, node in manifest.items()
        if node["schema"] in PUBLISHED
        for column in node["columns"].values()
    }


@pytest.mark.parametrize("model", MODELS)
def test_every_column_is_described_and_nothing_else_is(
    built: Harness, manifest: dict[str, Any], model: str
) -> None:
    node = manifest[model]
    with built.connect() as connection:
        rows = connection.execute(
            f"select column_name from (describe {node['schema']}.{model})"
        ).fetchall()
    columns = {name for (name,) in rows}
    assert node["columns"].keys() - columns == set()
    for column in columns:
        assert project().column_meaning(model, column)
    assert "Grain: " in node["description"] or "one row" in node["description"]


def test_marts_have_no_types_that_parquet_stores_inexactly(built: Harness) -> None:
    with built.connect() as connection:
        types = connection.execute(
            "select distinct data_type from duckdb_columns()"
            " where schema_name in ('marts', 'machinery')"
        ).fetchall()
    kinds = {kind for (name,) in types for kind in re.findall("[A-Z][A-Z ]*[A-Z]", name)}
    assert kinds == {
        "BIGINT",
        "BOOLEAN",
        "DATE",
        "DECIMAL",
        "INTEGER",
        "JSON",
        "STRUCT",
        "TIMESTAMP WITH TIME ZONE",
        "UUID",
        "VARCHAR",
    }


def test_models_and_scrapers_agree_on_refusals() -> None:
    text = (PROJECT / "macros" / "counts" / "is_refusal.sql").read_text("utf-8")
    assert set(re.findall(r"'(\w+)'", text)) == REFUSALS


@pytest.mark.slow
def test_models_and_registration_await_posting_times_equally_long() -> None:
    text = (PROJECT / "macros" / "time" / "posted_at_awaited.sql").read_text("utf-8")
    hours = re.findall(r"interval (\d+) hours", text)
    assert [timedelta(hours=int(hour)) for hour in hours] == [POSTED_AT_AWAITED]
