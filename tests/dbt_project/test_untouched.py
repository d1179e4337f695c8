"""A run leaves out what nothing touched; test_whole_history compares it with complete builds."""

import re
from datetime import date, timedelta
from pathlib import Path

import duckdb
import pytest
from dbt.adapters.duckdb.environments.local import LocalEnvironment

from orchestration.building import contents
from orchestration.building.contents import of_table
from orchestration.building.dbt import manifest_of_run
from orchestration.building.dbt_command import UNBUILT
from orchestration.building.written_nodes import statements_of
from tests.dbt_project.harness import UNTESTED, Harness, dbt
from tests.dbt_project.histories import BEGIN
from tests.dbt_project.payout_histories import PayoutHistory
from tests.dbt_project.stories import as_copied
from tests.dbt_project.test_written_statements import CONTINUING
from warehouse.control import Run

# What is left out

MADE_OF_READINGS = ("video_deltas", "video_daily", "creator_daily", "payout_earned", "accounts")
MADE_OF_THE_TIME = ("run", "goal_compliance", "payout_zones", "int_touched_videos")


@pytest.fixture(scope="module")
def settled(tmp_path_factory: pytest.TempPathFactory) -> Harness:
    """A warehouse after runs of which the last had nothing new."""
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
    """Build and test as a pass does, promote, and tell how each node ended, by its name."""
    results = dbt("build", *UNBUILT, path=harness.path, state=harness.folder, run=begun)
    harness.promote(begun)
    return {each.node.name: str(each.status) for each in results if each.node.name}


@pytest.mark.slow
def test_what_nothing_touched_is_left_out_with_its_tests(settled: Harness) -> None:
    """By dbt's own status; what asks for the time is made, and held to what holds of it."""
    with settled.connect() as connection:
        connection.execute("insert into marts.videos from marts.videos limit 1")
    statuses = run(settled, later(settled))
    assert {statuses[name] for name in MADE_OF_READINGS} == {"no-op"}
    assert {statuses[name] for name in MADE_OF_THE_TIME} == {"success"}


@pytest.mark.slow
def test_days_that_are_computed_once_more_leave_nothing_out(
    settled: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thread makes it all through one connection; dbt's own steps have some more."""
    day = BEGIN.date()
    begun = later(settled, from_day=day, to_day=day)
    manifest_of_run(begun)  # the first time dbt makes the statements, by connections of its own
    opened: list[int] = []
    handle = LocalEnvironment.handle

    def noted(environment: LocalEnvironment) -> object:
        opened.append(id(environment))  # itself it would keep the file open
        return handle(environment)

    monkeypatch.setattr(LocalEnvironment, "handle", noted)
    statuses = run(settled, begun)
    assert {statuses[name] for name in (*MADE_OF_READINGS, *MADE_OF_THE_TIME)} == {"success"}
    assert len(opened) * 10 < len(statuses)


@pytest.mark.slow
def test_a_full_refresh_leaves_nothing_out_however_often(settled: Harness) -> None:
    for _ in range(2):
        with settled.connect() as connection:
            connection.execute("delete from marts.videos")
            ((as_of,),) = connection.execute("select as_of from control.published").fetchall()
        run(settled, settled.begin(as_of=as_of, full_refresh=True))
        assert settled.rows("videos")


def test_what_an_unpublished_run_left_is_made_again(settled: Harness, tmp_path: Path) -> None:
    harness = settled.copy(tmp_path)
    before = harness.rows("videos")
    later(harness)
    with harness.connect() as connection:
        connection.execute("delete from marts.videos")
    begun, selected = later(harness), ("--select", "+videos", *UNTESTED)
    dbt("build", *selected, path=harness.path, state=harness.folder, run=begun)
    assert harness.rows("videos") == before != []


# How it is known


def test_a_node_reads_what_dbt_knows_that_it_reads() -> None:
    """What it is made of is looked up there."""
    manifest = manifest_of_run(CONTINUING)
    names = {
        each.relation_name: unique_id
        for unique_id, each in (*manifest.nodes.items(), *manifest.sources.items())
        if getattr(each, "relation_name", None)
    }
    for node in manifest.nodes.values():
        statements = " ".join(statements_of(node))
        read = {names[name] for name in RELATION.findall(statements) if name in names}
        assert read - {node.unique_id} <= set(node.depends_on.nodes), node.unique_id


RELATION = re.compile(r'"warehouse"\."\w+"\."\w+"')


@pytest.mark.slow
def test_only_what_reads_the_runs_row_asks_the_clock_or_for_chance() -> None:
    """Such a node is never left out: each run has another row."""
    asking = [
        node.name
        for node in manifest_of_run(CONTINUING).nodes.values()
        if VOLATILE.search(" ".join(statements_of(node)))
        and "source.creator_tracker.control.run" not in node.depends_on.nodes
    ]
    assert asking == []


VOLATILE = re.compile(
    r"\b(current_(date|time|timestamp)|localtime|localtimestamp|nextval|currval)\b"
    r"|\b(now|today|random|uuid|gen_random_uuid|uuidv4|uuidv7|setseed|get_current_\w+)\(",
    re.IGNORECASE,
)


def test_views_of_facts_are_known_as_such() -> None:
    """One that is not would count as changed in each run, and so what is made of it."""
    views = {
        node.name
        for node in manifest_of_run(CONTINUING).nodes.values()
        if node.name.startswith("stg_") and str(CONTINUING.as_of.date()) in str(node.compiled_code)
    }
    names = {
        node.name
        for node in manifest_of_run(CONTINUING).nodes.values()
        if any(contents.FACTS.fullmatch(statement.strip()) for statement in statements_of(node))
    }
    assert names == views


@pytest.mark.parametrize(
    "query",
    [
        "select distinct a from observed where at <= timestamptz '2026-01-01'",
        "select max(a) from observed where at <= timestamptz '2026-01-01'",
        "select a from observed where at <= timestamptz '2026-01-01' or a = 1",
        "select a from observed, other where at <= timestamptz '2026-01-01'",
        "select a from observed where at <= timestamptz '2026-01-01' limit 1",
    ],
)
def test_a_view_that_shows_more_than_facts_up_to_an_instant_is_none_of_facts(query: str) -> None:
    view = "create or replace view v as ( with observed as ( select * from raw.t ) {} )"
    plain = "select a from observed where at <= timestamptz '2026-01-01'"
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
    ],
)
def test_tables_have_one_signature_where_their_rows_are_the_same(
    rows: str, other: str, is_same: bool
) -> None:
    with duckdb.connect() as connection:
        for name, values in {"one": rows, "other": other}.items():
            connection.execute(f"create table {name} as from (values {values}) as t (a, b)")
        signatures = [of_table(connection, name) for name in ("one", "other")]
    assert (signatures[0] == signatures[1]) is is_same
