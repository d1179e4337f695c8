"""Whatever dies while publishing, the last good publication stays and the next one cleans up."""

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest

from tests.factories.marts import History, Video, fill_marts
from warehouse.publication.current import CurrentPublication
from warehouse.publication.publish import publish
from warehouse.settings import REPOSITORY, Settings

JULY = datetime(2026, 7, 20, tzinfo=UTC)
MARCH = datetime(2026, 3, 10, tzinfo=UTC)


class DiskFullError(Exception):
    pass


def fail() -> datetime:
    raise DiskFullError


def views(settings: Settings) -> int:
    with CurrentPublication(settings.publications_path).cursor() as cursor:
        total: int = cursor.execute(
            "select sum(view_delta)::bigint from marts.video_deltas"
        ).fetchall()[0][0]
    return total


def fill(warehouse: duckdb.DuckDBPyConnection, count: int) -> None:
    readings = {MARCH: {"view": count - 1}, JULY: {"view": count}}
    fill_marts(warehouse, History(videos=[Video("video", readings)]))


def test_a_failure_leaves_the_last_good_one_and_nothing_else(
    settings: Settings, few_marts: duckdb.DuckDBPyConnection
) -> None:
    fill(few_marts, 100)
    good = publish(settings, few_marts, as_of=JULY)
    fill(few_marts, 200)
    with pytest.raises(DiskFullError):
        publish(settings, few_marts, as_of=JULY, real_clock=fail)
    assert views(settings) == 100
    left = {path.name for path in settings.publications_path.iterdir()}
    assert left == {str(good.id), "current.duckdb"}
    publish(settings, few_marts, as_of=JULY)
    assert views(settings) == 200


def test_a_kill_at_any_file_operation_leaves_a_good_one(
    settings: Settings, few_marts: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    fill(few_marts, 100)
    publish(settings, few_marts, as_of=JULY)
    few_marts.close()
    publisher = "tests.warehouse.publication.killed_publisher"
    arguments = [str(settings.home_path), str(tmp_path / "warehouse.duckdb"), "100"]
    ended = subprocess.run(
        [sys.executable, "-m", publisher, *arguments],
        check=True,
        capture_output=True,
        text=True,
        cwd=REPOSITORY,
    )
    assert int(ended.stdout) >= 10
    assert views(settings) == 100
    hidden = [name for name in os.listdir(settings.publications_path) if name.startswith(".")]
    links = [path.name for path in settings.publications_path.iterdir() if path.is_symlink()]
    assert (hidden, links) == ([], ["current.duckdb"])
