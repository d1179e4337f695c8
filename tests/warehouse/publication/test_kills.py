"""After a crash during publishing, the last good publication stays and the next one cleans up."""

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.factories.marts import History, Video
from tests.warehouse.publication.conftest import JULY, Marts
from tests.warehouse.publication.runs import begin_next
from warehouse.publication import marts as publishing
from warehouse.settings import REPOSITORY

pytestmark = pytest.mark.slow

MARCH = datetime(2026, 3, 10, tzinfo=UTC)


class DiskFullError(Exception):
    pass


def fail() -> datetime:
    raise DiskFullError


def views(marts: Marts) -> int:
    with marts.cursor() as cursor:
        total: int = cursor.execute(
            "select sum(view_delta)::bigint from marts.video_deltas"
        ).fetchall()[0][0]
    return total


def fill(marts: Marts, count: int) -> None:
    readings = {MARCH: {"view": count - 1}, JULY: {"view": count}}
    marts.fill(History(videos=[Video("video", readings)]))


def test_a_failure_leaves_the_last_good_one_and_nothing_else(marts: Marts) -> None:
    fill(marts, 100)
    good = marts.publish()
    fill(marts, 200)
    with pytest.raises(DiskFullError):
        marts.publish(real_clock=fail)
    assert views(marts) == 100
    names = {path.name for path in marts.settings.publications_path.iterdir()}
    assert names == {str(good.id), "current.duckdb"}
    marts.publish()
    assert views(marts) == 200


@pytest.mark.parametrize(
    "before",
    [[JULY - timedelta(days=8)], [JULY], [JULY, JULY]],
    ids=["new base", "same base, files of small marts", "linked files of small marts"],
)
def test_a_kill_at_any_file_operation_leaves_a_good_one(
    marts: Marts, tmp_path: Path, before: list[datetime], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publishing, "LEAST_ROWS", 0)
    fill(marts, 100)
    for as_of in before:
        begin_next(marts.warehouse)
        marts.publish(as_of)
    begin_next(marts.warehouse, JULY)
    marts.warehouse.close()
    publisher = "tests.warehouse.publication.killed_publisher"
    arguments = [str(marts.settings.home_path), str(tmp_path / "warehouse.duckdb")]
    ended = subprocess.run(
        [sys.executable, "-m", publisher, *arguments],
        check=True,
        capture_output=True,
        text=True,
        cwd=REPOSITORY,
    )
    assert int(ended.stdout) >= 10
    assert views(marts) == 100
    hidden = [name for name in os.listdir(marts.settings.publications_path) if name.startswith(".")]
    links = [path.name for path in marts.settings.publications_path.iterdir() if path.is_symlink()]
    assert (hidden, links) == ([], ["current.duckdb"])
