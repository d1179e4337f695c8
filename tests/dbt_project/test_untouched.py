"""Runs skip untouched models; test_whole_history compares the results with complete builds."""

import re
from datetime import date, timedelta
from pathlib import Path

import duckdb
import pytest

from orchestration.building import contents
from orchestration.building.contents import of_table
from orchestration.building.manifests import manifest_json, rendered
from tests.dbt_project import statements
from tests.dbt_project.harness import Harness
from tests.dbt_project.histories import BEGIN
from tests.dbt_project.payout_histories import PayoutHistory
from tests.dbt_project.stories import as_copied
from warehouse.control import Run

# Skipped models

MADE_OF_READINGS = ("video_deltas", "video_daily", "creator_daily", "payout_earned", "accounts")
MADE_OF_THE_TIME = ("run", "goal_compliance", "payout_zones", "int_touched_videos")


@pytest.fixture(scope="module")
def settled(tmp_path_factory: pytest.TempPathFactory) -> Harness:
    """A warehouse whose last run had nothing new."""
    harness = Harness(tmp_path_factory.mktemp("settled"))
    (step,) = PayoutHistory(7, organizations=4, runs=1).steps()
    for batch in step.batches:
        harness.ingest(**batch)
    harness.decide(**as_copied(step.operational))
    harness.run(as_of=step.as_of)
    run(harness, later(harness))
    run(harness, later(harness))
    return harness


def later(harness: Harness, **days: date) -> Run:
    with harness.connect() as connection:
        ((as_of,),) = connection.execute("select as_of from control.published").fetchall()
    return harness.begin(as_of=as_of + timedelta(seconds=1), **days)


def run(harness: Harness, begun: Run) -> dict[str, str]:
    """Build and test, promote, and return the status of each node by name."""
    results = statements.build(harness.path, begun, is_tested=True, skips=True)
    harness.promote(begun)
    return {each.name: each.status for each in results}


@pytest.mark.slow
def test_untouched_models_are_skipped_with_their_tests(settled: Harness) -> None:
    """Models that depend on the time are built and tested."""
    with settled.connect() as connection:
        connection.execute("insert into marts.videos from marts.videos limit 1")
    statuses = run(settled, later(settled))
    assert {statuses[name] for name in MADE_OF_READINGS} == {"no-op"}
    assert {statuses[name] for name in MADE_OF_THE_TIME} == {"success"}


@pytest.mark.slow
def test_a_conversion_reported_late_is_counted(settled: Harness, tmp_path: Path) -> None:
    """It occurred before the last published run."""
    home, count = settled.copy(tmp_path), "select count(*) from marts.conversions"
    with home.connect() as connection:
        ((before,),) = connection.execute(count).fetchall()
        connection.execute(
            "insert into operational.conversions by name"
            " select * replace (gen_random_uuid() as id) from operational.conversions"
            " where occurred_at < (select as_of from control.published) limit 1"
        )
    run(home, later(home))
    with home.connect() as connection:
        assert connection.execute(count).fetchall() == [(before + 1,)]


@pytest.mark.slow
def test_a_backfill_skips_nothing(settled: Harness) -> None:
    day = BEGIN.date()
    statuses = run(settled, later(settled, from_day=day, to_day=day))
    assert {statuses[name] for name in (*MADE_OF_READINGS, *MADE_OF_THE_TIME)} == {"success"}


@pytest.mark.slow
def test_repeated_full_refreshes_skip_nothing(settled: Harness) -> None:
    for _ in range(2):
        with settled.connect() as connection:
            connection.execute("delete from marts.videos")
            ((as_of,),) = connection.execute("select as_of from control.published").fetchall()
        run(settled, settled.begin(as_of=as_of, full_refresh=True))
        assert settled.rows("videos")


def test_models_of_an_unpublished_run_are_built_again(settled: Harness, tmp_path: Path) -> None:
    harness = settled.copy(tmp_path)
    before = harness.rows("videos")
    later(harness)
    with harness.connect() as connection:
        connection.execute("delete from marts.videos")
    begun = later(harness)
    statements.build(harness.path, begun, "+videos", skips=True)
    assert harness.rows("videos") == before != []


# Detection of untouched models


def test_dbt_knows_the_inputs_of_each_node() -> None:
    """The inputs of a node are looked up in dbt's manifest."""
    manifest = manifest_json()
    every = manifest["nodes"] | manifest["sources"]
    names = {node["relation_name"]: unique_id for unique_id, node in every.items()}
    for unique_id in manifest["nodes"]:
        sql = "".join(rendered(unique_id, is_full=is_full) for is_full in (True, False))
        read = {names[name] for name in RELATION.findall(sql) if name in names}
        assert read - {unique_id} <= set(manifest["parent_map"][unique_id]), unique_id


RELATION = re.compile(r'"warehouse"\."\w+"\."\w+"')


def test_only_nodes_that_read_the_run_are_volatile() -> None:
    """Such nodes are never skipped, as each run has a new row."""
    manifest = manifest_json()
    asking = [
        unique_id
        for unique_id in manifest["nodes"]
        if VOLATILE.search(rendered(unique_id, is_full=False))
        and "source.creator_tracker.control.run" not in manifest["parent_map"][unique_id]
    ]
    assert asking == []


VOLATILE = re.compile(
    r"\b(current_(date|time|timestamp)|localtime|localtimestamp|nextval|currval)\b"
    r"|\b(now|today|random|uuid|gen_random_uuid|uuidv4|uuidv7|setseed|get_current_\w+)\(",
    re.IGNORECASE,
)


def test_views_of_facts_are_recognized() -> None:
    """An unrecognized view would count as changed in each run, and so would its children."""
    staging = {
        node["name"]: rendered(unique_id, is_full=False)
        for unique_id, node in manifest_json()["nodes"].items()
        if node["name"].startswith("stg_")
    }
    views = {name for name, sql in staging.items() if "control.as_of()" in sql}
    recognized = {name for name, sql in staging.items() if contents.FACTS.fullmatch(sql)}
    assert recognized == views != set()


@pytest.mark.parametrize(
    "query",
    [
        "select distinct a from observed where at <= control.as_of()",
        "select max(a) from observed where at <= control.as_of()",
        "select a from observed where at <= control.as_of() or a = 1",
        "select a from observed, other where at <= control.as_of()",
        "select a from observed where at <= control.as_of() limit 1",
    ],
)
def test_views_with_other_conditions_are_not_views_of_facts(query: str) -> None:
    view = "with observed as ( select * from raw.t ) {}"
    plain = "select a from observed where at <= control.as_of()"
    assert contents.FACTS.fullmatch(view.format(plain))
    assert not contents.FACTS.fullmatch(view.format(query))


@pytest.mark.parametrize(
    ("rows", "other", "is_same"),
    [
        ("(1, 2), (3, 4)", "(3, 4), (1, 2)", True),
        ("(1, 2), (3, 4)", "(1, 4), (3, 2)", False),
        ("(1, 2), (3, 4)", "(2, 1), (4, 3)", False),
        ("(1, 2), (1, 2)", "(1, 2)", False),
        ("(1, 2), (1, 2), (3, 4)", "(1, 2), (3, 4), (3, 4)", False),
        ("(1, null)", "(null, 1)", False),
        ("(1, null)", "(1, 0)", False),
        ("(1, 2)", "(1, 3)", False),
        ("(['a', 'b'], ['c'])", "(['a'], ['b', 'c'])", False),
        ("(null, ['a'])", "([], ['a'])", False),
        ("({'x': [['a'], ['b']]}, 1)", "({'x': [['a', 'b']]}, 1)", False),
        ("(['a'], 1), (['b'], 2)", "(['b'], 2), (['a'], 1)", True),
    ],
)
def test_tables_with_equal_rows_have_equal_signatures(rows: str, other: str, is_same: bool) -> None:
    with duckdb.connect() as connection:
        for name, values in {"one": rows, "other": other}.items():
            connection.execute(f"create table {name} as from (values {values}) as t (a, b)")
        signatures = [of_table(connection, name) for name in ("one", "other")]
    assert (signatures[0] == signatures[1]) is is_same
