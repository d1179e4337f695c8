"""Builds that continue one another, over the history of a world that computes everything each time.

They differ in everything that must not matter: facts arrive in another order, dbt makes the models,
with more threads and in no order of rows, it leaves out what nothing touched, makes the statements
of one build itself, older readings are in files, and some builds die before they are published or
noted as published.
"""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pytest
from dbt.adapters.duckdb.environments import Environment

from tests.dbt_project.comment_histories import score
from tests.dbt_project.harness import UNTESTED, Harness, dbt
from tests.dbt_project.histories import BEGIN, Row, Step, Tables
from tests.dbt_project.published_facts import LATER, all_rows, left_alone, publish_marts
from tests.dbt_project.stories import STAGES, as_copied, otherwise
from tests.dbt_project.whole_history import AFTER_WEEKS, BUDGETED, FIRST, Build, WholeWorld
from warehouse.catalogue.models import PUBLISHED, relation_of, schemas
from warehouse.control import Run
from warehouse.raw import history

EVERYTHING = -1
MONTHS = (EVERYTHING, EVERYTHING, 0)
"""None before this one, and not even this one: what was published may all be in files."""
OF_THE_RUN = {"run"}
"""Says when and by which run it was made."""


class ContinuedLine:
    """What went wrong in each build, by what was looked at."""

    def __init__(self, folder: Path, world: WholeWorld) -> None:
        self.seed, self.random = world.seed, Random(world.seed)
        self.harness = Harness(folder, by_dbt=True)
        self.own = self.random.randrange(AFTER_WEEKS + 1, len(world.builds))
        self.problems: dict[str, dict[int, str]] = defaultdict(dict)
        self.moved_rows = 0
        with pytest.MonkeyPatch.context() as changed:
            changed.setattr(history, "FEW_ROWS", 1)
            write_in_no_order(changed)
            for build in world.builds:
                self._continue(build)
            self._refresh(build)

    def _continue(self, build: Build) -> None:
        for batch in build.step.batches:
            self.harness.ingest(**self._shuffled(batch))
        said = build.scoring
        score(self.harness, said.scores, said.mentions, score_seq=build.number + 1)
        if build.number == AFTER_WEEKS:
            self._die(build.step)
        self.harness.decide(**self._shuffled(as_copied(build.step.operational)))
        run = self.harness.begin(as_of=build.as_of)
        with self._noting("continues", build.number):
            assert run.is_full_refresh == (build.number == FIRST)
            self._build(run, build.number)
            self._compare(build)
        with self._noting("publishes", build.number):
            if build.number == BUDGETED:
                assert left_alone(self.harness, BEGIN + timedelta(weeks=4))
            publish_marts(self.harness, build.as_of + LATER, "payout_accruals")
        if build.number != AFTER_WEEKS or self.random.random() < 0.5:
            self.harness.promote(run)
        with self.harness.connect() as connection:
            months = EVERYTHING if build.number == FIRST else self.random.choice(MONTHS)
            history.move_to_history(connection, months)
            moved = connection.execute("select sum(rows) from raw.history_files").fetchall()
        self.moved_rows = moved[0][0] or 0

    def _refresh(self, build: Build) -> None:
        """Compute everything, with older readings in files."""
        self.harness.by_dbt = False
        self.harness.run(as_of=build.as_of, full_refresh=True)
        with self._noting("refreshes", build.number):
            self._compare(build)

    def _compare(self, build: Build) -> None:
        if differences := "\n".join(self._differences(build.harness)):
            raise AssertionError(differences)

    def _build(self, run: Run, number: int) -> None:
        if number == self.own:
            dbt("build", *UNTESTED, path=self.harness.path, state=self.harness.folder)
        else:
            self.harness.build(run)

    def _die(self, step: Step) -> None:
        """Compute what people then take back, and end before it is published."""
        self.harness.decide(**as_copied(otherwise(step.operational)))
        run = self.harness.begin(as_of=step.as_of - timedelta(minutes=7))
        self.harness.build(run, f"+{self.random.choice((*STAGES, 'creator_daily'))}")

    def _shuffled(self, tables: Tables) -> Tables:
        return {name: self.random.sample(rows, len(rows)) for name, rows in tables.items()}

    def _differences(self, whole: Harness) -> Iterator[str]:
        """Yield a line for each mart that differs, with a row of each side."""
        with self.harness.connect() as one, whole.connect() as other:
            for mart, layer in schemas().items():
                if layer in PUBLISHED and mart not in OF_THE_RUN:
                    sides = [all_rows(each, relation_of(mart)) for each in (one, other)]
                    if not sides[0].equals(sides[1]):
                        continued, computed = (side.to_pylist() for side in sides)
                        yield f"{mart}: {_apart(continued, computed)}"

    @contextmanager
    def _noting(self, about: str, number: int) -> Iterator[None]:
        """Leave what fails to the test that asks for it."""
        try:
            yield
        except AssertionError as error:
            self.problems[about][number] = f"build {number}, seed {self.seed}: {error}"


def _apart(continued: list[Row], computed: list[Row]) -> str:
    extra = [row for row in continued if row not in computed]
    missing = [row for row in computed if row not in continued]
    return f"{len(extra)} too many, {len(missing)} missing, such as {extra[:1]}, {missing[:1]}"


def write_in_no_order(changed: pytest.MonkeyPatch) -> None:
    """Let DuckDB write rows in any order below dbt, with more threads."""
    connected = Environment.initialize_db

    def careless(*arguments: Any) -> duckdb.DuckDBPyConnection:
        connection: duckdb.DuckDBPyConnection = connected(*arguments)
        connection.execute("set preserve_insertion_order = false")
        return connection

    changed.setattr(Environment, "initialize_db", staticmethod(careless))
    changed.setenv("TRACKER_DUCKDB_THREADS", "4")
    changed.setenv("TRACKER_DBT_THREADS", "3")
