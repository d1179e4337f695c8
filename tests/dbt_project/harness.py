"""Builds a warehouse from facts given as Python rows: begin_run, models, promote.

Facts go directly to raw.* and operational.*. The tests of ingestion and the operational copy cover
how they get there in a pipeline.
"""

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
import pytest
from dbt.adapters.duckdb.connections import DuckDBConnectionManager
from dbt.artifacts.schemas.run import RunResult
from dbt.cli.main import dbtRunner

from orchestration.building import manifests
from orchestration.building.rendering import PROJECT
from tests.dbt_project import statements
from tests.dbt_project.numbered_copies import NumberedCopies
from tests.factories.tables import taking_nulls
from warehouse.catalogue.models import relation_of
from warehouse.catalogue.operational import OPERATIONAL
from warehouse.catalogue.past import PAST, model_of
from warehouse.catalogue.raw import RAW
from warehouse.control import Run, begin_run, promote

QUIET = ("--log-level", "none", "--log-level-file", "none", "--no-use-colors")

Row = Mapping[str, Any]


@dataclass
class Harness:
    """One warehouse file and its runs. With `skips`, builds skip unchanged models, as in
    production.
    """

    folder: Path
    batch_seq: int = 0
    copies: NumberedCopies = field(default_factory=NumberedCopies)
    skips: bool = False
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
        """Copy the warehouse to a folder, with the state for further runs."""
        shutil.copy(self.path, folder)
        return Harness(folder, self.batch_seq, deepcopy(self.copies), self.skips)

    @property
    def path(self) -> Path:
        """The warehouse's file, closed so that a build can open it."""
        if self._open:
            self._open.close()
            self._open = None
        return self.folder / "warehouse.duckdb"

    @contextmanager
    def connect(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Yield a connection to the warehouse, in UTC.

        The file stays open until a build needs it: opening and closing it takes longer than most
        queries.
        """
        self._open = self._open or duckdb.connect(str(self.path), config={"threads": 1})
        with self._open.cursor() as connection:
            connection.execute("set TimeZone = 'UTC'")
            yield connection

    def ingest(self, **facts: Sequence[Row]) -> None:
        """Add one batch: rows by table of `raw.*`."""
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
        """Replace tables of operational.*, as the copy at the start of a run does."""
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
        """Begin a run, build all models and promote it."""
        run = self.begin(as_of=as_of, full_refresh=full_refresh, from_day=from_day, to_day=to_day)
        self.build(run)
        self.promote(run)
        return run

    def begin(self, *, as_of: datetime, **options: Any) -> Run:
        with self.connect() as connection:
            return begin_run(connection, as_of=as_of, **options)

    def build(self, run: Run, *select: str) -> None:
        """Build the selected models, or all."""
        statements.build(self.path, run, *select, skips=self.skips)

    def promote(self, run: Run) -> None:
        with self.connect() as connection:
            promote(connection, run)

    def rows(self, table: str) -> list[dict[str, Any]]:
        """Return all rows of a model, ordered by all columns."""
        with self.connect() as connection:
            result = connection.execute(f"from {relation_of(table)} order by all")
            names = [column[0] for column in result.description or []]
            return [dict(zip(names, row, strict=True)) for row in result.fetchall()]

    def column(self, table: str, column: str, where: str = "true") -> set[Any]:
        with self.connect() as connection:
            rows = connection.execute(f"select {column} from {table} where {where}").fetchall()
        return {value for (value,) in rows}


def selected(*models: str) -> tuple[str, ...]:
    """Return dbt selectors of models with their parents, and of models that the next run reads."""
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


def dbt(command: str, *arguments: str, path: Path, folder: Path) -> Sequence[RunResult]:
    """Run one dbt command on a warehouse in this process.

    Raises AssertionError with the failures.
    """
    folders = ("--project-dir", str(PROJECT), "--profiles-dir", str(PROJECT))
    environment = {
        "TRACKER_WAREHOUSE_PATH": str(path),
        "TRACKER_DBT_THREADS": "1",
        "TRACKER_DUCKDB_THREADS": "1",
        "DBT_TARGET_PATH": str(folder / "target"),
        "DBT_LOG_PATH": str(folder / "logs"),
    }
    with pytest.MonkeyPatch.context() as changed:
        for name, value in environment.items():
            changed.setenv(name, value)
        ended = dbtRunner().invoke([command, *folders, *QUIET, *arguments])
        DuckDBConnectionManager.close_all_connections()
    if ended.exception:
        raise AssertionError(str(ended.exception))
    failed = [each for each in ended.result.results if each.status in {"error", "fail"}]
    assert ended.success, "\n".join(f"{each.node.name}: {each.message}" for each in failed)
    results: Sequence[RunResult] = ended.result.results
    return results


def parsed_nodes() -> list[dict[str, Any]]:
    """Return the nodes of dbt's manifest.json."""
    return list(manifests.manifest_json()["nodes"].values())
