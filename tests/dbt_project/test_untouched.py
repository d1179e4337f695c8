"""A run leaves out what nothing touched, and gives the rows of one that makes everything."""

import re
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from pathlib import Path
from random import Random

import duckdb
import pytest
from dbt.adapters.duckdb.environments.local import LocalEnvironment

from orchestration.building import contents
from orchestration.building.contents import of_table
from orchestration.building.dbt import manifest_of_run
from orchestration.building.dbt_command import UNBUILT
from orchestration.building.written_nodes import statements_of
from tests.dbt_project.harness import UNTESTED, Harness, dbt
from tests.dbt_project.histories import BEGIN, Tables
from tests.dbt_project.payout_histories import PayoutHistory
from tests.dbt_project.test_growth import pay
from tests.dbt_project.test_payouts import as_copied
from tests.dbt_project.test_same_bytes import views_of
from tests.dbt_project.test_written_statements import CONTINUING
from tests.doses import TRIED_SEED, dose
from warehouse.control import Run

HISTORIES = dose(small=1, full=3)
"""How many sequences of runs to try; each is of all KINDS, built by dbt and without it."""

AT_ONCE = dose(small=4, full=1)
"""How many kinds come before a run."""

OF_THE_RUN = {"marts.run"}
"""Says when and by which run it was made."""


class Turns:
    """Runs of a random history over two warehouses: dbt leaves out what nothing touched in one.

    In the other the statements of all models are executed in each run.
    """

    def __init__(self, folder: Path, seed: int) -> None:
        self.random = Random(seed)
        self.history = PayoutHistory(seed, organizations=4, runs=3)
        self.steps = self.history.steps()
        for name in ("one", "other"):
            (folder / name).mkdir()
        self.sparing = Harness(folder / "one", by_dbt=True)
        self.making_all = Harness(folder / "other")
        self.tables: Tables = {}
        self.arrived: list[Tables] = []
        self.as_of = BEGIN
        self.arrive()

    @property
    def both(self) -> tuple[Harness, Harness]:
        return self.sparing, self.making_all

    def arrive(self) -> None:
        """Let everything come that the history's next step brings."""
        step = next(self.steps)
        self.as_of = max(self.as_of + timedelta(seconds=1), step.as_of)
        self.tables, self.arrived = dict(step.operational), step.batches
        for harness in self.both:
            for batch in step.batches:
                harness.ingest(**batch)
            if harness.batch_seq > len(step.batches):
                pay(harness, step)
            harness.decide(**as_copied(step.operational))

    def nothing(self) -> None:
        """Let time pass alone: within a day, over some, to where periods and goals end."""
        self.as_of += timedelta(minutes=self.random.choice((1, 50, 400, 1500, 10000)))

    def decide(self) -> None:
        """Take back or restore a third of what people decided of one kind."""
        table = self.random.choice(sorted(name for name, rows in self.tables.items() if rows))
        remaining = [row for row in self.tables[table] if self.random.random() < 0.67]
        for harness in self.both:
            harness.decide(**as_copied({table: remaining}))

    def read(self) -> None:
        """Let old readings of one kind come once more, later and higher."""
        batch = self.random.choice([each for each in self.arrived if each])
        table = self.random.choice(sorted(batch))
        instant = "finished_at" if table == "scrape_outcomes" else "captured_at"
        rows = [{**row, instant: row[instant] + timedelta(hours=5)} for row in batch[table][:5]]
        for harness in self.both:
            harness.ingest(**{table: rows})

    def comment(self) -> None:
        """Let somebody say something under a post."""
        at = self.as_of - timedelta(hours=1)
        video = self.random.choice(self.tables["videos"])["id"]
        text = f"text {self.random.random()}"
        comment = {"platform_comment_id": text, "text": text, "captured_at": at, "source": "web"}
        walk = {"outcome": "ok", "is_complete": True, "collected_count": 1, "source": "web"}
        for harness in self.both:
            harness.ingest(
                comments=[{**comment, "video_id": video}],
                comment_walks=[{**walk, "video_id": video, "started_at": at, "finished_at": at}],
            )

    def end_unpublished(self) -> None:
        """Build what is then taken back, whole or in part, and publish nothing of it."""
        self.decide()
        part = self.random.choice(((), ("+creator_daily",), ("+int_touched_payees",)))
        for harness in self.both:
            harness.build(harness.begin(as_of=self.as_of), *part)
            harness.decide(**as_copied(self.tables))

    def upgrade(self) -> None:
        """Let the models be others than those that built what there is."""
        for harness in self.both:
            with harness.connect() as connection:
                connection.execute("update control.models set version = 'an earlier one'")

    def run(self) -> None:
        for harness in self.both:
            harness.run(as_of=self.as_of)


KINDS: Mapping[str, Callable[[Turns], None]] = {
    name: getattr(Turns, name)
    for name in ("arrive", "nothing", "decide", "read", "comment", "end_unpublished", "upgrade")
}


@pytest.mark.parametrize("seed", range(TRIED_SEED, TRIED_SEED + HISTORIES))
def test_runs_that_leave_out_give_the_rows_of_runs_that_make_everything(
    tmp_path: Path, seed: int
) -> None:
    """In any order, each kind followed by a run for which nothing is new, or something else."""
    turns, random = Turns(tmp_path, seed), Random(seed)
    turns.run()
    kinds = random.sample([*KINDS, "decide"], len(KINDS) + 1)
    turn = [kinds[first : first + AT_ONCE] for first in range(0, len(kinds), AT_ONCE)]
    for some in (*turn, ["nothing"]):
        for kind in some:
            KINDS[kind](turns)
        turns.as_of += timedelta(minutes=1)
        turns.run()
        assert_same(turns, f"after {some}, seed {seed}")


def assert_same(turns: Turns, when: str) -> None:
    with turns.sparing.connect() as sparing, turns.making_all.connect() as making_all:
        for relation in sorted(set(relations_of(sparing)) - OF_THE_RUN):
            rows, other_rows = (
                connection.execute(f"from {relation} order by all").fetchall()
                for connection in (sparing, making_all)
            )
            assert rows == other_rows, f"{relation}, {when}"
    assert views_of(turns.sparing) == views_of(turns.making_all), when


def relations_of(connection: duckdb.DuckDBPyConnection) -> list[str]:
    rows = connection.execute(
        "select schema_name || '.' || table_name from duckdb_tables()"
        " where schema_name in ('intermediate', 'marts', 'machinery')"
        " union all select schema_name || '.' || view_name from duckdb_views()"
        " where schema_name in ('staging', 'intermediate', 'marts', 'machinery')"
    ).fetchall()
    return [relation for (relation,) in rows]


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


def test_what_nothing_touched_is_left_out_with_its_tests(settled: Harness) -> None:
    """By dbt's own status; what asks for the time is made, and held to what holds of it."""
    with settled.connect() as connection:
        connection.execute("insert into marts.videos from marts.videos limit 1")
    statuses = run(settled, later(settled))
    assert {statuses[name] for name in MADE_OF_READINGS} == {"no-op"}
    assert {statuses[name] for name in MADE_OF_THE_TIME} == {"success"}


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
