"""Manual launches, in Dagster's UI and with dbt, work or say what to do."""

import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest
from dagster import AssetKey, DagsterInstance

from orchestration.assembly import build_definitions
from orchestration.partitions import add_partition
from tests.factories.marts import create_marts
from warehouse.operational.store import OperationalStore
from warehouse.publication.publish import publish
from warehouse.settings import REPOSITORY, Settings

pytestmark = pytest.mark.slow

Launch = Callable[..., str]


@pytest.fixture
def launch(settings: Settings, store: OperationalStore) -> Launch:
    def launched(**options: Any) -> str:
        job = build_definitions(settings).resolve_job_def("recompute")
        with DagsterInstance.ephemeral() as instance:
            add_partition(instance, "main")
            result = job.execute_in_process(instance=instance, raise_on_error=False, **options)
        [failed] = [event for event in result.all_events if event.is_step_failure]
        why = failed.step_failure_data.user_failure_data
        return (why and why.description) or ""

    return launched


def test_one_mart_alone(launch: Launch) -> None:
    reason = launch(
        asset_selection=[AssetKey(["marts", "videos"])],
        partition_key="main",
    )
    assert reason == (
        "marts are computed together: launch the job `recompute` instead of single assets"
    )


def test_a_job_without_its_partition(launch: Launch) -> None:
    assert launch() == "choose a partition: a shard, such as main"


def test_dbt_checks_how_fresh_a_publication_is(settings: Settings, tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "made.duckdb") as connection:
        create_marts(connection)
        publish(settings, connection, as_of=datetime(2026, 7, 20, 8, tzinfo=UTC))
    folder = str(REPOSITORY / "docs/guides/own-models")
    options = ["--project-dir", folder, "--profiles-dir", folder]
    written = ["--target-path", str(tmp_path / "target"), "--log-path", str(tmp_path / "logs")]
    done = subprocess.run(
        [sys.executable, "-m", "dbt.cli.main", "source", "freshness", *options, *written],
        env=os.environ | {"TRACKER_HOME": str(settings.home)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert "1 of 1 WARN freshness of marts.publication" in done.stdout, done.stdout + done.stderr
    assert done.returncode == 0
