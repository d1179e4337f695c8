"""Builds a warehouse from facts given as Python rows: begin_run, dbt, promote, as a pipeline does.

Facts are written to raw.* and operational.* directly; how they get there in a pipeline is tested
with ingestion and the operational copy.
"""

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import duckdb
import polars as pl
from dbt.artifacts.schemas.run import RunResult
from dbt.contracts.graph.manifest import Manifest
from dbt.node_types import NodeType

from orchestration.building import manifests, rendering
from orchestration.building.dbt import manifest_of_run
from orchestration.building.dbt_command import UNBUILT, invoke
from tests.dbt_project import statements
from tests.dbt_project.numbered_copies import NumberedCopies
from tests.factories.tables import taking_nulls
from warehouse.catalogue.models import relation_of
from warehouse.catalogue.operational import OPERATIONAL
from warehouse.catalogue.past import PAST, model_of
from warehouse.catalogue.raw import RAW
from warehouse.control import Run, begin_run, promote
from warehouse.loading import collecting_no_garbage

UNTESTED = (*UNBUILT, "--exclude-resource-type", "test")
ONE_THREAD = {"TRACKER_DBT_THREADS": "1", "TRACKER_DUCKDB_THREADS": "1"}
"""What the environment may say otherwise. To spread small builds takes more processor."""

Row = Mapping[str, Any]


@dataclass
class Harness:
    """One warehouse file and the runs over it; `by_dbt` where dbt is the point."""

    folder: Path
    batch_seq: int = 0
    copies: NumberedCopies = field(default_factory=NumberedCopies)
    by_dbt: bool = False
    _open: duckdb.DuckDBPyConnection | None = None

    def __post_init__(self) -> None:
        if self.path.exists():
            return
        with self.connect() as connection:
            connection.execute("create schema raw")
            connection.execute("create schema operational")
            for table in (*RAW, *OPERATIONAL):
                connection.execute(taking_nulls(table))

    def copy(self, folder: Path) -> "Harness":
        """Return a warehouse in a folder that goes on from this one; this one stays as it is."""
        shutil.copy(self.path, folder)
        return Harness(folder, self.batch_seq, deepcopy(self.copies), self.by_dbt)

    @property
    def path(self) -> Path:
        """The warehouse's file, closed: whoever asks for it opens it, as dbt does."""
        if self._open:
            self._open.close()
            self._open = None
        return self.folder / "warehouse.duckdb"

    @contextmanager
    def connect(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Yield a connection on the warehouse, in UTC.

        The file stays open until dbt needs it: to open and close it takes longer than most queries.
        """
        self._open = self._open or duckdb.connect(str(self.path), config={"threads": 1})
        with self._open.cursor() as connection:
            connection.execute("set TimeZone = 'UTC'")
            yield connection

    def ingest(self, **facts: Sequence[Row]) -> None:
        """Add one batch: rows of `video_snapshots`, `account_snapshots`, `scrape_outcomes`."""
        self.batch_seq += 1
        with self.connect() as connection:
            for table, rows in facts.items():
                numbered = [{**row, "batch_seq": self.batch_seq} for row in rows]
                insert(connection, f"raw.{table}", numbered)
            batch = {
                "batch_id": UUID(int=self.batch_seq),
                "batch_seq": self.batch_seq,
                "kind": "scrape",
                "ingested_at": datetime(2026, 1, 1, tzinfo=UTC),
                "video_snapshots": 0,
                "account_snapshots": 0,
                "scrape_outcomes": 0,
            }
            insert(connection, "raw.batches", [batch])

    def decide(self, **tables: Sequence[Row]) -> None:
        """Replace tables of operational.*: they are what every run's copy makes of them."""
        self.copies.begin()
        with self.connect() as connection:
            for table, rows in tables.items():
                connection.execute(f"delete from operational.{table}")
                numbered = self.copies.numbered(connection, table, rows)
                insert(connection, f"operational.{table}", numbered)

    def run(
        self,
        *,
        as_of: datetime,
        full_refresh: bool = False,
        from_day: date | None = None,
        to_day: date | None = None,
    ) -> Run:
        """Run the pipeline's part that concerns the models, up to and with its promotion."""
        run = self.begin(as_of=as_of, full_refresh=full_refresh, from_day=from_day, to_day=to_day)
        self.build(run)
        self.promote(run)
        return run

    def begin(self, *, as_of: datetime, **options: Any) -> Run:
        with self.connect() as connection:
            return begin_run(connection, as_of=as_of, **options)

    def build(self, run: Run, *select: str) -> None:
        """Make the models that `select` names, all without it; `by_dbt` as a pass does."""
        if not self.by_dbt:
            statements.build(self.path, run, *select)
            return
        arguments = ["--select", *select] if select else []
        with collecting_no_garbage():
            dbt("build", *UNTESTED, *arguments, path=self.path, state=self.folder, run=run)

    def promote(self, run: Run) -> None:
        with self.connect() as connection:
            promote(connection, run)

    def rows(self, table: str) -> list[dict[str, Any]]:
        """Return all rows of a model, in the order of all its columns."""
        with self.connect() as connection:
            result = connection.execute(f"from {relation_of(table)} order by all")
            names = [column[0] for column in result.description or []]
            return [dict(zip(names, row, strict=True)) for row in result.fetchall()]

    def column(self, table: str, column: str, where: str = "true") -> set[Any]:
        """Return the values of a column, of the rows that satisfy a condition."""
        with self.connect() as connection:
            rows = connection.execute(f"select {column} from {table} where {where}").fetchall()
        return {value for (value,) in rows}


def selected(*models: str) -> tuple[str, ...]:
    """Return how dbt selects models, what they are made of, and what the next run continues."""
    return tuple(f"+{model}" for model in (*models, *map(model_of, PAST)))


def insert(connection: duckdb.DuckDBPyConnection, table: str, rows: Iterable[Row]) -> None:
    """Insert rows given as mappings; columns left out are null."""
    listed = list(rows)
    if not listed:
        return
    texts = [
        {name: str(value) if isinstance(value, UUID) else value for name, value in row.items()}
        for row in listed
    ]
    frame = pl.DataFrame(texts, infer_schema_length=None)  # noqa: F841  (DuckDB finds it by name)
    connection.execute(f"insert into {table} by name select * from frame")


def dbt(
    command: str, *arguments: str, path: Path, state: Path, run: Run | None = None
) -> list[RunResult]:
    """Run one dbt command in this process; with the statements of a run, where one is given.

    Raises AssertionError with what failed.
    """
    manifest = manifest_of_run(run) if run else rendering.parsed()
    if UNTESTED[-1] in arguments:
        leave_tests_out(manifest)
    profile = {name: os.environ.get(name, default) for name, default in ONE_THREAD.items()}
    ended = invoke(
        command, *arguments, warehouse=path, state=state, manifest=manifest, profile=profile
    )
    if not ended.success:
        raise AssertionError(_failures(ended.result.results))
    return list(ended.result.results)


def leave_tests_out(manifest: Manifest) -> None:
    """Remove what a build of models passes over: its graph takes dbt a third of a small build."""
    nodes = manifest.nodes.items()
    manifest.nodes = {name: each for name, each in nodes if each.resource_type != NodeType.Test}
    manifest.unit_tests, manifest.exposures = {}, {}


def parsed_nodes() -> list[dict[str, Any]]:
    """Return what dbt knows of each node of the project, as its manifest.json would hold it."""
    return list(manifests.manifest_json()["nodes"].values())


def _failures(results: Iterable[RunResult]) -> str:
    return "\n".join(
        f"{each.node.name}: {each.message}" for each in results if each.status in {"error", "fail"}
    )
