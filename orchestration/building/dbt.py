"""Builds the models: dbt in this process, with the run's values put into SQL rendered before.

Run parameters are in the warehouse's control table; there is no `--vars`.
"""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import duckdb
from dbt.contracts.graph.manifest import Manifest

from orchestration.building import rendering
from orchestration.building.dbt_command import UNBUILT, OnNode, followed_by, invoke, placed
from orchestration.building.manifests import RunRow
from orchestration.building.results import NodeResult
from orchestration.building.written_nodes import ROWS_WRITTEN
from warehouse.control import Run
from warehouse.loading import collecting_no_garbage
from warehouse.settings import Settings


def build(settings: Settings, run: Run, *, on_node: OnNode | None = None) -> list[NodeResult]:
    """Build and test every model for the latest run; the caller holds the warehouse lock.

    Returns the results of all nodes, green or not. Raises DbtFailed if dbt itself broke.
    """
    # dbt looking through its manifest took a sixth of a small build
    with followed_by(on_node), collecting_no_garbage():
        ended = invoke(
            "build",
            *UNBUILT,
            warehouse=settings.warehouse_path,
            state=settings.home_path / "dbt",
            manifest=manifest_of_run(run),
            profile=_profile(settings),
        )
    return [_result(result, settings.home_path) for result in ended.result.results]


def manifest_of_run(run: Run) -> Manifest:
    return rendering.written_for(as_text(run))


def as_text(run: Run) -> RunRow:
    """Return the row of control.run as DuckDB's text of each value, in UTC."""
    row = asdict(run)
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute("set TimeZone = 'UTC'")
        texts = connection.execute(
            f"select {', '.join('cast(? as varchar)' for _ in row)}", list(row.values())
        ).fetchone()
    return dict(zip(row, texts or (), strict=True))


def _profile(settings: Settings) -> dict[str, str]:
    return {
        "TRACKER_DBT_THREADS": str(settings.dbt_threads),
        "TRACKER_DUCKDB_MEMORY_LIMIT": settings.duckdb_memory_limit,
        "TRACKER_DUCKDB_THREADS": str(settings.duckdb_threads),
    }


def _result(result: Any, home: Path) -> NodeResult:
    return NodeResult(
        unique_id=result.node.unique_id,
        status=str(result.status),
        message=result.message and placed(result.message, home),
        seconds=result.execution_time,
        failures=result.failures,
        rows_written=result.adapter_response.get(ROWS_WRITTEN),
    )
