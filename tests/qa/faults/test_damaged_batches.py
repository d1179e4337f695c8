"""Batches that come damaged or more than once: whole passes go on without them, exactly.

Each kind of damage by itself is tested with landing and registration.
"""

import shutil
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from tests.qa.faults import truth
from tests.qa.faults.installation import Installation
from tests.qa.faults.landings import posts_of
from warehouse.landing.batches import Batch, incoming
from warehouse.landing.in_folder import FolderLanding
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter

pytestmark = pytest.mark.slow


def cut_short(posts: Path) -> None:
    posts.write_bytes(posts.read_bytes()[:-100])


def cut_to_nothing(posts: Path) -> None:
    posts.write_bytes(b"")


def with_text_for_counts(posts: Path) -> None:
    pl.read_parquet(posts).with_columns(pl.col("view_count").cast(pl.String)).write_parquet(posts)


def with_a_torn_page(posts: Path) -> None:
    content = posts.read_bytes()
    third = len(content) // 3
    posts.write_bytes(content[:8] + bytes(third - 8) + content[third:])


DAMAGES = (cut_short, cut_to_nothing, with_text_for_counts, with_a_torn_page)


def land_damaged(installation: Installation, damage: Callable[[Path], None]) -> str:
    """Land a batch that is in no diary, and damage it; return its name."""
    landing = installation.settings.landing_path
    batch_id = LandingWriter(FolderLanding(landing)).land(posts=posts_of(1000))
    damage(waiting(landing)[str(batch_id)].path / "posts.parquet")
    return str(batch_id)


def waiting(landing: Path) -> dict[str, Batch]:
    return {str(batch.batch_id): batch for batch in incoming(landing)}


def test_passes_go_on_without_what_is_damaged_and_count_nothing_twice(
    installation: Installation, tmp_path: Path
) -> None:
    """Damaged batches are set aside with their reasons.

    Batches come again as they were landed, and as they lie in the archive (copied back from a
    backup). Of a platform that was asked twice at one instant both readings stay, under two ids;
    the marts show one.
    """
    landing = installation.settings.landing_path
    damaged = []
    for damage in DAMAGES:
        installation.land()
        damaged.append(land_damaged(installation, damage))
    for name in waiting(landing).keys() - set(damaged):
        shutil.copytree(waiting(landing)[name].path, tmp_path / "again" / name)
    installation.run_pipeline_job()
    aside = landing / "rejected"
    assert sorted(path.name for path in aside.iterdir()) == sorted(damaged)
    reasons = [(aside / name / "reason.txt").read_text() for name in damaged]
    assert all("posts.parquet" in reason for reason in reasons)
    shutil.rmtree(aside)
    installation.compare()

    for folder in (tmp_path / "again").iterdir():
        shutil.copytree(folder, landing / "incoming" / folder.name)
    for folder in (landing / "archive" / "batches").glob("*/*"):
        shutil.copytree(folder, landing / "registered" / folder.name)
    installation.run_pipeline_job()
    installation.compare()

    names = ("videos", "video_deltas", "video_daily", "creator_daily")
    before = truth.marts_of(installation.settings, names)
    LandingWriter(open_landing(installation.settings)).land(posts=posts_of(0))
    installation.run_pipeline_job()
    assert truth.marts_of(installation.settings, names) == before
