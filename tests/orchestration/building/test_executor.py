"""How a build opens the warehouse and reports a model's error."""

import os
import resource
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import pytest

from orchestration.building import executor
from orchestration.building.executor import CHECKPOINT, attached, execute
from orchestration.building.manifests import manifest_json
from orchestration.building.results import NodeResult
from warehouse.connection import open_warehouse
from warehouse.control import begin_run
from warehouse.settings import Settings

OBSERVER = "model.creator_tracker.recent_looks"
MINE = f"spilled-{os.getuid()}"
SORT = "create table spilled as select range from range(4_000_000) order by hash(range)"
Build = Callable[..., NodeResult]


@pytest.fixture
def build(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Build:
    """Build one observing model from `sql`, after the statements `before`."""

    def built(sql: str, *before: str, **changed: object) -> NodeResult:
        def failing(node_id: str, *, is_full: bool) -> Sequence[str]:
            return [sql]

        monkeypatch.setattr(executor, "statements", failing)
        with open_warehouse(settings) as connection:
            run = begin_run(connection, as_of=datetime(2026, 3, 1, tzinfo=UTC))
        with attached(settings.model_copy(update=changed)) as connection:
            connection.execute(f"create schema marts; {'; '.join(before)}")
            return execute(connection, run, [manifest_json()["nodes"][OBSERVER]])[0]

    return built


def columns() -> dict[str, str]:
    nodes = manifest_json()["nodes"]
    return {name: each["data_type"] for name, each in nodes[OBSERVER]["columns"].items()}


def table_of(kinds: dict[str, str]) -> str:
    return f"create table marts.recent_looks ({', '.join(map(' '.join, kinds.items()))})"


def test_concurrent_builds_spill_apart_and_remove_files_of_killed_ones(
    settings: Settings, tmp_path: Path
) -> None:
    """DuckDB uses the same file names: in one folder, builds overwrite each other's rows."""
    spilled = tmp_path / "spilled"
    (killed := spilled / MINE / ".tmp-killed").mkdir(parents=True)
    settings = settings.model_copy(
        update={"duckdb_temp_directory": str(spilled), "duckdb_memory_limit": "24MB"}
    )
    with ExitStack() as builds:
        for shard in ("main", "eu"):
            of_shard = settings.of_shard(shard)
            of_shard.warehouse_path.parent.mkdir(parents=True, exist_ok=True)
            builds.enter_context(attached(of_shard)).execute(SORT.replace("table", "temp table"))
        assert len([*spilled.glob(f"{MINE}/.tmp-*/duckdb_temp_storage_DEFAULT-0.tmp")]) == 2
        assert not killed.exists()
    assert not [*(spilled / MINE).iterdir()]


def test_an_observing_model_that_fails_keeps_its_rows(build: Build) -> None:
    assert build("select error('no')", table_of(columns())).status == "warn"


def test_an_observing_model_that_got_a_column_does_not_keep_the_older_table(build: Build) -> None:
    """Otherwise it is published without the column, and its readers' queries fail."""
    older = dict([*columns().items()][:-1])
    assert build("select error('no')", table_of(older)).status == "error"


def test_too_little_memory_names_its_setting(build: Build) -> None:
    sql = "select list(range) from range(9_000_000)"
    result = build(sql, duckdb_memory_limit="24MB", duckdb_threads=1)
    assert str(result.message).startswith(
        "Raise TRACKER_DUCKDB_MEMORY_LIMIT (22.8 MiB), and run again: Out of Memory Error: "
    )
    assert "SET memory_limit" not in str(result.message)


def test_too_little_space_to_spill_names_its_folder_and_setting(
    build: Build, tmp_path: Path
) -> None:
    changed = {"duckdb_memory_limit": "24MB", "duckdb_threads": 1}
    limit = "set max_temp_directory_size = '1MB'"
    result = build(SORT, limit, duckdb_temp_directory=str(tmp_path / "spilled"), **changed)
    assert str(result.message).startswith(
        f"Free space in {tmp_path / 'spilled'}, or name another in TRACKER_DUCKDB_TEMP_DIRECTORY,"
        " and run again: Out of Memory Error: "
    )
    assert "max_temp_directory_size" in str(result.message)


def test_a_failed_final_checkpoint_is_a_result(settings: Settings) -> None:
    """After a failed checkpoint DuckDB answers no query, not even for the file's location."""
    with open_warehouse(settings) as connection:
        run = begin_run(connection, as_of=datetime(2026, 3, 1, tzinfo=UTC))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    with attached(settings) as connection:
        connection.execute("create table built as select hash(range) from range(1_000_000)")
        full = settings.warehouse_path.stat().st_size
        resource.setrlimit(resource.RLIMIT_FSIZE, (full, limits[1]))
        try:
            (ended,) = execute(connection, run, [])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (ended.unique_id, ended.status) == (CHECKPOINT, "error")
    assert str(settings.warehouse_path) in str(ended.message)
