"""dbt, in process: one parse a process, every build on a fresh copy of what was parsed.

A used manifest remembers compiled SQL (also of ephemeral models), so it is never used twice.
After a build all of dbt's DuckDB connections are closed: they would keep the warehouse file.
Run parameters live in the warehouse's control table; nothing here passes `--vars`.
"""

import errno
import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from dbt.adapters.duckdb.connections import DuckDBConnectionManager
from dbt.cli.main import dbtRunner, dbtRunnerResult

from warehouse.settings import Settings

GREEN = frozenset({"success", "pass", "warn"})


@dataclass(frozen=True, slots=True)
class NodeResult:
    """How one model, seed or test ended. `failures` counts a test's offending rows."""

    unique_id: str
    status: str
    message: str | None
    seconds: float
    failures: int | None

    @property
    def is_green(self) -> bool:
        """Whether the build may go on to a publication."""
        return self.status in GREEN


class DbtFailed(Exception):  # noqa: N818 (reads as what happened)
    """dbt could not parse or build. The message names the first culprit and dbt's own reason."""


_TOTALS = {"LogModelResult": "total", "LogSeedResult": "total", "LogTestResult": "num_models"}
"""dbt's events for an ended node, with the field that tells how many nodes there are."""

OnNode = Callable[[str, int, int], None]
"""Called as each node ends: its name, how many ended, how many there are."""


@cache
def manifest(project: Path, database: str) -> Any:
    """Parse the project once in this process; `database` is the warehouse file's stem."""
    del database  # part of the key: the parsed relations carry it
    parsed = dbtRunner().invoke(["parse", *_common(project)])
    if not parsed.success:
        raise DbtFailed(f"dbt could not parse the project: {parsed.exception}")
    return parsed.result


def manifest_of(settings: Settings) -> Any:
    """Return the parsed project for this warehouse."""
    with _environment(settings):
        return manifest(settings.dbt_project_path, settings.warehouse_path.stem)


def manifest_json(settings: Settings) -> dict[str, Any]:
    """Return the parsed project as manifest.json holds it: what asset specs are made of."""
    written: dict[str, Any] = manifest_of(settings).writable_manifest().to_dict(omit_none=False)
    return written


def build(
    settings: Settings, *, full_refresh: bool = False, on_node: OnNode | None = None
) -> list[NodeResult]:
    """Build and test every model; the caller holds the warehouse lock.

    Returns all node results, green or not; raises DbtFailed where dbt itself broke.
    """
    parsed = manifest_of(settings)
    arguments = ["build", *build_arguments(full_refresh=full_refresh)]
    with _environment(settings), sparing_what_stays():
        try:
            runner = dbtRunner(manifest=parsed.deepcopy(), callbacks=_callbacks(on_node))
            ended = runner.invoke([*arguments, *_common(settings.dbt_project_path)])
        finally:
            DuckDBConnectionManager.close_all_connections()
    return _results(ended, settings.home_path)


@contextmanager
def sparing_what_stays() -> Iterator[None]:
    """Leave what there is by now, dbt's manifest above all, out of garbage collection meanwhile.

    Looking through it again and again took a sixth of a small build.
    """
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def build_arguments(*, full_refresh: bool) -> list[str]:
    """Return what distinguishes a production build: data tests yes, unit tests and exposures no."""
    unbuilt = ["--exclude-resource-type", "unit_test", "--exclude-resource-type", "exposure"]
    return [*unbuilt, *(["--full-refresh"] if full_refresh else [])]


def _common(project: Path) -> list[str]:
    quiet = ["--log-level", "none", "--log-level-file", "none", "--no-use-colors"]
    unread = ["--no-write-json"]  # artifacts that nobody here reads
    return ["--project-dir", str(project), "--profiles-dir", str(project), *quiet, *unread]


@contextmanager
def _environment(settings: Settings) -> Iterator[None]:
    """Give dbt's profile the warehouse through the environment, the only way it has."""
    values = {
        "TRACKER_WAREHOUSE_PATH": str(settings.warehouse_path),
        "TRACKER_DBT_THREADS": str(settings.dbt_threads),
        "TRACKER_DUCKDB_MEMORY_LIMIT": settings.duckdb_memory_limit,
        "TRACKER_DUCKDB_THREADS": str(settings.duckdb_threads),
        "DBT_TARGET_PATH": str(settings.home_path / "dbt" / "target"),
        "DBT_LOG_PATH": str(settings.home_path / "dbt" / "logs"),
        "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
    }
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _callbacks(on_node: OnNode | None) -> list[Callable[[Any], None]]:
    if on_node is None:
        return []

    def tell(event: Any) -> None:
        if event.info.name in _TOTALS:
            total = getattr(event.data, _TOTALS[event.info.name])
            on_node(event.data.node_info.node_name, event.data.index, total)

    return [tell]


def _results(ended: dbtRunnerResult, home: Path) -> list[NodeResult]:
    if ended.exception is not None:
        raise DbtFailed(f"dbt broke: {ended.exception}") from ended.exception
    return [
        NodeResult(
            unique_id=result.node.unique_id,
            status=str(result.status),
            message=_placed(result.message, home),
            seconds=result.execution_time,
            failures=result.failures,
        )
        for result in ended.result.results
    ]


def _placed(message: str | None, home: Path) -> str | None:
    """Return dbt's message; of a full disk it says where, which dbt's own writes do not."""
    full = os.strerror(errno.ENOSPC)
    if message is None or full not in message or str(home) in message:
        return message
    return f"{message} ({home})"


def explain(results: list[NodeResult]) -> str:
    """Say in one line which nodes were not green and why the first of them failed."""
    red = [result for result in results if not result.is_green and result.status != "skipped"]
    first = red[0]
    reason = " ".join((first.message or first.status).split())
    return f"{len(red)} of {len(results)} dbt nodes failed: {first.unique_id}: {reason}"
