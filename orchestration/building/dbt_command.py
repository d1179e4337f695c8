"""dbt's command line, in this process: how it is called, and what it writes and does not."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dbt.adapters.duckdb.connections import DuckDBConnectionManager
from dbt.cli.main import dbtRunner, dbtRunnerResult
from dbt.contracts.graph.manifest import Manifest

from warehouse.settings import REPOSITORY

PROJECT = REPOSITORY / "dbt_project"
QUIET = ("--log-level", "none", "--log-level-file", "none", "--no-use-colors")
UNREAD = ("--no-write-json",)
"""Artifacts that nobody here reads."""

UNBUILT = ("--exclude-resource-type", "unit_test", "--exclude-resource-type", "exposure")
"""A pass builds the models and runs the data tests, and no worked examples."""

DbtCallback = Callable[[Any], None]


class DbtFailed(Exception):  # noqa: N818 (reads as what happened)
    """dbt could not parse or build. The message names the first culprit and dbt's own reason."""


def invoke(
    command: str,
    *arguments: str,
    warehouse: Path,
    state: Path,
    manifest: Manifest | None = None,
    profile: Mapping[str, str] | None = None,
    callbacks: Sequence[DbtCallback] = (),
) -> dbtRunnerResult:
    """Run one command of dbt over the file `warehouse`, and let go of the file afterwards.

    dbt writes into `state`. A `manifest` is used up: it remembers compiled SQL. `profile`: the
    variables of dbt's profile, by their names in the environment, the only way it has. Raises
    DbtFailed where dbt itself broke.
    """
    folders = ("--project-dir", str(PROJECT), "--profiles-dir", str(PROJECT))
    environment = {
        **(profile or {}),
        "TRACKER_WAREHOUSE_PATH": str(warehouse),
        "DBT_TARGET_PATH": str(state / "target"),
        "DBT_LOG_PATH": str(state / "logs"),
        "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
    }
    with _environment(environment):
        try:
            runner = dbtRunner(manifest=manifest, callbacks=list(callbacks))
            ended = runner.invoke([command, *folders, *QUIET, *UNREAD, *arguments])
        finally:
            DuckDBConnectionManager.close_all_connections()
    if ended.exception is not None:
        raise DbtFailed(f"dbt broke: {ended.exception}") from ended.exception
    return ended


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    before: dict[str, str | None] = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
