"""Incremental builds over the history of a world that other tests compute in full each time.

They vary what must not matter: order of facts, number of threads, order of rows, skipped models,
older readings in files, backfilled days, and builds that die before publication or before it is
recorded. At the end a copy upgrades its models, and a third of some decisions is deleted.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import duckdb
import pytest

from orchestration.building.executor import attached
from tests.dbt_project import statements
from tests.dbt_project.comment_histories import score
from tests.dbt_project.harness import Harness
from tests.dbt_project.histories import BEGIN, Row, Step, Tables
from tests.dbt_project.published_facts import LATER, all_rows, publish_marts, untouched_facts
from tests.dbt_project.stories import STAGES, as_copied, withdrawn_decisions
from tests.dbt_project.whole_history import AFTER_WEEKS, BUDGETED, FIRST, Build, WholeWorld
from tests.doses import IS_FULL
from warehouse.catalogue.models import PUBLISHED, relation_of, schemas
from warehouse.control import Run
from warehouse.raw import history
from warehouse.settings import Settings

EVERYTHING = -1
MONTHS = (EVERYTHING, EVERYTHING, 0)
"""Months in the warehouse before the current one; -1 moves all published readings to files."""
OF_THE_RUN = {"run"}
"""Relations that record the time and id of the run."""
NEVER_DELETED = {"organizations", "creators", "payout_versions"}
"""Tables of which an incremental build misses deleted rows, because production deletes none.

The service deletes versions only with a structure without assignments, and no organization or
creator. A restore and a shard's new members copy everything again, which makes a full refresh.
"""


class IncrementalBuilds:
    """Problems of each build, by kind of check."""

    def __init__(self, folder: Path, world: WholeWorld) -> None:
        self.seed, self.random = world.seed, Random(world.seed)
        self.harness = Harness(folder, skips=True)
        after_weeks = range(AFTER_WEEKS + 1, len(world.builds))
        self.fully_compared = after_weeks if IS_FULL else [self.random.choice(after_weeks[:-1])]
        self.backfilled = self.random.choice(
            [n for n in (AFTER_WEEKS, *after_weeks) if n != BUDGETED]
        )
        self.problems: dict[str, dict[int, str]] = defaultdict(dict)
        self.moved_rows = 0
        with pytest.MonkeyPatch.context() as changed:
            changed.setattr(history, "FEW_ROWS", 1)
            write_in_no_order(changed)
            for build in world.builds:
                self._build(build)
            self._upgrade(build)
            self._delete_decisions(build)

    def _build(self, build: Build) -> None:
        for batch in build.step.batches:
            self.harness.ingest(**self._shuffled(batch))
        scoring = build.scoring
        score(self.harness, scoring.scores, scoring.mentions, score_seq=build.number + 1)
        if build.number == AFTER_WEEKS:
            self._die(build.step)
        self.harness.decide(**self._shuffled(as_copied(build.step.operational)))
        from_day = self._some_day() if build.number == self.backfilled else None
        run = self.harness.begin(as_of=build.as_of, from_day=from_day)
        with self._recording("continues", build.number):
            assert run.is_full_refresh == (build.number == FIRST)
            if build.number in self.fully_compared:
                with self._full_copy(run) as whole:
                    self.harness.build(run)
                    assert_same_relations(self.harness, whole)
            else:
                self.harness.build(run)
            assert_same_marts(self.harness, build.harness)
        with self._recording("publishes", build.number):
            if build.number == BUDGETED:
                assert untouched_facts(self.harness, BEGIN + timedelta(weeks=4))
            publish_marts(self.harness, build.as_of + LATER, "payout_accruals")
        if build.number != AFTER_WEEKS or self.random.random() < 0.5:
            self.harness.promote(run)
        with self.harness.connect() as connection:
            months = EVERYTHING if build.number == FIRST else self.random.choice(MONTHS)
            history.move_to_history(connection, months)
            moved = connection.execute("select sum(rows) from raw.history_files").fetchall()
        self.moved_rows = moved[0][0] or 0

    def _upgrade(self, build: Build) -> None:
        """Build everything with changed models in a copy, with older readings in files."""
        with TemporaryDirectory() as folder, self._recording("upgrades", build.number):
            upgraded = self._copy(folder)
            with upgraded.connect() as connection:
                connection.execute("update control.models set version = 'an earlier one'")
            assert upgraded.run(as_of=build.as_of).is_full_refresh
            assert_same_marts(upgraded, build.harness)

    def _delete_decisions(self, build: Build) -> None:
        """Delete a third of one kind of decision some time later, despite references to it."""
        tables = {name for name, rows in build.step.operational.items() if rows} - NEVER_DELETED
        table = self.random.choice(sorted(tables))
        remaining = [row for row in build.step.operational[table] if self.random.random() < 0.67]
        self.harness.decide(**as_copied({table: remaining}))
        as_of = build.as_of + timedelta(minutes=self.random.choice((1, 50, 400, 1500, 10000)))
        run = self.harness.begin(as_of=as_of)
        with self._recording("takes back", build.number), self._full_copy(run) as whole:
            self.harness.build(run)
            assert_same_relations(self.harness, whole)
            whole.run(as_of=as_of, full_refresh=True)
            assert_same_marts(self.harness, whole)

    def _copy(self, folder: str) -> Harness:
        """Return a copy that skips no model."""
        copied = self.harness.copy(Path(folder))
        copied.skips = False
        return copied

    @contextmanager
    def _full_copy(self, run: Run) -> Iterator[Harness]:
        """Yield a copy in which this build executes all models."""
        with TemporaryDirectory() as folder:
            whole = self._copy(folder)
            whole.build(run)
            yield whole

    def _some_day(self) -> date:
        return (BEGIN + timedelta(days=self.random.randrange(40))).date()

    def _die(self, step: Step) -> None:
        """Build decisions that are withdrawn later, and stop before publication."""
        self.harness.decide(**as_copied(withdrawn_decisions(step.operational)))
        run = self.harness.begin(as_of=step.as_of - timedelta(minutes=7))
        self.harness.build(run, f"+{self.random.choice((*STAGES, 'creator_daily'))}")

    def _shuffled(self, tables: Tables) -> Tables:
        return {name: self.random.sample(rows, len(rows)) for name, rows in tables.items()}

    @contextmanager
    def _recording(self, about: str, number: int) -> Iterator[None]:
        """Record a failure for the test that checks it."""
        try:
            yield
        except AssertionError as error:
            self.problems[about][number] = f"build {number}, seed {self.seed}: {error}"


def assert_same_marts(harness: Harness, whole: Harness) -> None:
    differences = "\n".join(_differences(harness, whole))
    assert not differences, differences


def _differences(harness: Harness, whole: Harness) -> Iterator[str]:
    """Yield a line for each mart that differs, with a row of each side."""
    with harness.connect() as one, whole.connect() as other:
        for mart, layer in schemas().items():
            if layer in PUBLISHED and mart not in OF_THE_RUN:
                sides = [all_rows(each, relation_of(mart)) for each in (one, other)]
                if not sides[0].equals(sides[1]):
                    continued, computed = (side.to_pylist() for side in sides)
                    yield f"{mart}: {_first_difference(continued, computed)}"


def _first_difference(continued: list[Row], computed: list[Row]) -> str:
    extra = [row for row in continued if row not in computed]
    missing = [row for row in computed if row not in continued]
    return f"{len(extra)} too many, {len(missing)} missing, such as {extra[:1]}, {missing[:1]}"


def assert_same_relations(harness: Harness, whole: Harness) -> None:
    """Compare the rows of all relations and the SQL of views with a build without skips."""
    with harness.connect() as one, whole.connect() as other:
        for name in relations_of(other):
            sides = [all_rows(each, name) for each in (one, other)]
            assert sides[0].equals(sides[1]), f"{name} differs from all models' statements"
        words, other_words = views_of(one), views_of(other)
        assert words == other_words, [n for n in other_words if words.get(n) != other_words[n]]


def relations_of(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Return the relations of models, without those that record the run."""
    rows = connection.execute(
        "select schema_name || '.' || table_name as name from duckdb_tables()"
        " union all select schema_name || '.' || view_name from duckdb_views() order by all"
    ).fetchall()
    schemata = ("staging.", "intermediate.", "marts.", "machinery.")
    return [n for (n,) in rows if n.startswith(schemata) and n.split(".")[1] not in OF_THE_RUN]


def views_of(connection: duckdb.DuckDBPyConnection) -> dict[str, list[str]]:
    """Return the sorted words of each view: DuckDB prints the exclusions of `*` in any order."""
    rows = connection.execute(
        "select view_name, sql from duckdb_views() where not internal and view_name != 'run'"
    ).fetchall()
    return {name: sorted(re.split(r"[\s(),;]+", sql)) for name, sql in rows}


def write_in_no_order(changed: pytest.MonkeyPatch) -> None:
    """Build with 4 threads and without `preserve_insertion_order`."""

    @contextmanager
    def attached_unordered(settings: Settings) -> Iterator[duckdb.DuckDBPyConnection]:
        more = settings.model_copy(update={"duckdb_threads": 4})
        with attached(more) as connection:
            connection.execute("set preserve_insertion_order = false")
            yield connection

    changed.setattr(statements, "attached", attached_unordered)
