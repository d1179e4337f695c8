"""An import process is killed (SIGKILL) at a named step or at a random time.

Before the commit nothing of the file is imported, after it everything is. Importing it again adds
what is missing, duplicates nothing and leaves no temporary files.
"""

import random
from pathlib import Path

import pytest

from tests.doses import sample
from tests.fixtures.forked import assert_kills_itself, kill_after
from tests.warehouse.imports.conftest import Importer
from tests.warehouse.imports.killed_import import work
from warehouse.imports.layouts import VIDEO_SNAPSHOTS

ROWS = 3000
COUNTED = (
    "select count(*), count(distinct (video_id, captured_at)), count(distinct batch_seq)"
    " from raw.video_snapshots"
)

BEFORE_THE_COMMIT = [
    "warehouse.imports.snapshots:check_file after",
    "warehouse.imports.snapshots:waiting_imports before",
    "warehouse.imports.snapshots:write_fresh after",
    "warehouse.landing.folders:_sync_files after",
    "warehouse.landing.folders:sync after",
]
AFTER_THE_COMMIT = ["warehouse.imports.snapshots:register after"]


@pytest.fixture
def history(importer: Importer) -> Path:
    """A file of readings of three posts."""
    for number in range(3):
        importer.video(f"700{number}")
    lines = [
        f"tiktok,700{row % 3},2026-05-{1 + row // 1440:02}T{row // 60 % 24:02}:{row % 60:02}:00Z,"
        f"{row},,,,"
        for row in range(ROWS)
    ]
    return importer.write_csv(VIDEO_SNAPSHOTS, *lines)


def import_again_and_check(importer: Importer, file: Path) -> None:
    report = importer.snapshots(file)
    assert (report.rows, report.bad) == (ROWS, 0)
    assert report.loaded in {0, ROWS}
    assert importer.ingested(COUNTED) == [(ROWS, ROWS, 1)]
    landing = importer.settings.landing_path
    for place in ("imports", "registered"):
        assert list((landing / place).iterdir()) == []


@pytest.mark.parametrize("step", BEFORE_THE_COMMIT + AFTER_THE_COMMIT)
def test_a_kill_at_a_step_leaves_nothing_or_everything(
    importer: Importer, history: Path, step: str
) -> None:
    file = importer.settings, importer.project_id, history
    assert_kills_itself(work, None, *file, *step.split())
    arrived = ROWS if step in AFTER_THE_COMMIT else 0
    assert importer.ingested(COUNTED)[0][0] == arrived
    import_again_and_check(importer, history)


@pytest.mark.parametrize("seed", sample(range(6), small=2))
def test_a_kill_at_any_moment_loses_and_doubles_nothing(
    importer: Importer, history: Path, seed: int
) -> None:
    moment = random.Random(seed).uniform(0, 0.6)
    kill_after(moment, work, importer.settings, importer.project_id, history)
    import_again_and_check(importer, history)
