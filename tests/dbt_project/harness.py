"""Builds a warehouse from facts given as Python rows: begin_run, dbt, advance, as a pipeline does.

Facts are written to raw.* and operational.* directly; how they get there in a pipeline is tested
with ingestion and the operational copy.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import duckdb
import polars as pl
from dbt.adapters.duckdb.connections import DuckDBConnectionManager
from dbt.cli.main import dbtRunner
from dbt.contracts.graph.manifest import Manifest

from orchestration.lib.dbt import sparing_what_stays
from warehouse.control import Run, advance, begin_run
from warehouse.settings import REPOSITORY

PROJECT = REPOSITORY / "dbt_project"
RAW_DDL = REPOSITORY / "warehouse" / "raw" / "ddl"
OPERATIONAL_DDL = Path(__file__).with_name("operational_ddl.sql")

Row = Mapping[str, Any]

_manifests: dict[str, Manifest] = {}


@dataclass
class Harness:
    """One warehouse file and the runs over it."""

    folder: Path
    batch_seq: int = 0
    path: Path = field(init=False)

    def __post_init__(self) -> None:
        self.path = self.folder / "warehouse.duckdb"
        with self.connect() as connection:
            connection.execute("create schema raw")
            for ddl in (*sorted(RAW_DDL.glob("*.sql")), OPERATIONAL_DDL):
                connection.execute(ddl.read_text())

    @contextmanager
    def connect(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Yield a connection on the warehouse, in UTC."""
        with duckdb.connect(str(self.path), config={"threads": 2}) as connection:
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
        """Replace tables of operational.*, as every run's copy does."""
        with self.connect() as connection:
            for table, rows in tables.items():
                connection.execute(f"delete from operational.{table}")
                insert(connection, f"operational.{table}", rows)

    def run(
        self,
        *,
        as_of: datetime,
        full_refresh: bool = False,
        from_day: date | None = None,
        to_day: date | None = None,
    ) -> Run:
        """Run the pipeline's part that concerns the models, up to and with advancing."""
        run = self.begin(as_of=as_of, full_refresh=full_refresh, from_day=from_day, to_day=to_day)
        self.build(run)
        self.advance(run)
        return run

    def begin(self, *, as_of: datetime, **options: Any) -> Run:
        with self.connect() as connection:
            return begin_run(connection, as_of=as_of, **options)

    def build(self, run: Run, *select: str) -> None:
        """Run dbt; `select` names the models, all without it."""
        arguments = ["--full-refresh"] if run.is_full_refresh else []
        if select:
            arguments += ["--select", *select]
        dbt("run", *arguments, path=self.path, state=self.folder)

    def advance(self, run: Run) -> None:
        with self.connect() as connection:
            advance(connection, run)

    def rows(self, table: str) -> list[dict[str, Any]]:
        """Return all rows of a mart, in the order of all its columns."""
        with self.connect() as connection:
            result = connection.execute(f"from marts.{table} order by all")
            names = [column[0] for column in result.description or []]
            return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


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


def dbt(command: str, *arguments: str, path: Path, state: Path) -> Any:
    """Run one dbt command in this process, and let go of the warehouse file afterwards."""
    os.environ["TRACKER_WAREHOUSE_PATH"] = str(path)
    folders = ["--project-dir", str(PROJECT), "--profiles-dir", str(PROJECT)]
    quiet = ["--log-level", "none", "--log-level-file", "none"]
    outputs = ["--target-path", str(state / "target"), "--no-write-json", *quiet]
    try:
        runner = dbtRunner(manifest=_parsed(folders, outputs))
        with sparing_what_stays():
            result = runner.invoke([command, *folders, *outputs, *arguments])
    finally:
        DuckDBConnectionManager.close_all_connections()
    if not result.success:
        raise AssertionError(_failures(result))
    return result.result


def parsed_nodes() -> list[dict[str, Any]]:
    """Return what dbt knows of each node of the project, as its manifest.json would hold it."""
    (manifest,) = _manifests.values()
    nodes: dict[str, dict[str, Any]] = manifest.writable_manifest().to_dict()["nodes"]
    return list(nodes.values())


def _parsed(folders: list[str], outputs: list[str]) -> Manifest:
    """Parse the project once for all tests of this process."""
    if "manifest" not in _manifests:
        result = dbtRunner().invoke(["parse", *folders, *outputs])
        if not isinstance(result.result, Manifest):
            raise AssertionError(f"dbt parse failed: {result.exception}")
        _manifests["manifest"] = result.result
    return _manifests["manifest"]


def _failures(result: Any) -> str:
    if result.exception is not None:
        return str(result.exception)
    return "\n".join(
        f"{each.node.name}: {each.message}"
        for each in result.result
        if each.status in {"error", "fail"}
    )
