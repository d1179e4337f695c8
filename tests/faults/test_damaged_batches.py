"""Batches that come damaged or more than once: whole passes go on without them, exactly.

Each kind of damage by itself is tested with landing and registration.
"""

import shutil
from collections.abc import Callable
from pathlib import Path

import polars as pl

from tests.faults import truth
from tests.faults.installation import Installation
from tests.faults.landings import posts_of
from warehouse.landing.batches import Batch, incoming
from warehouse.landing.in_folder import FolderLanding
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter


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


def test_damaged_batches_are_set_aside_with_reasons_and_the_others_count(
    installation: Installation,
) -> None:
    damaged = []
    for damage in DAMAGES:
        installation.land()
        damaged.append(land_damaged(installation, damage))
    installation.run_pipeline_job()
    aside = installation.settings.landing_path / "rejected"
    assert sorted(path.name for path in aside.iterdir()) == sorted(damaged)
    reasons = [(aside / name / "reason.txt").read_text() for name in damaged]
    assert all("posts.parquet" in reason for reason in reasons)
    shutil.rmtree(aside)
    installation.compare()


def test_batches_that_come_again_after_their_ingestion_count_once(
    installation: Installation, tmp_path: Path
) -> None:
    """As they were landed, and as they lie in the archive (copied back from a backup)."""
    landing = installation.settings.landing_path
    installation.land(2)
    for name, batch in waiting(landing).items():
        shutil.copytree(batch.path, tmp_path / "again" / name)
    installation.run_pipeline_job()
    for folder in (tmp_path / "again").iterdir():
        shutil.copytree(folder, landing / "incoming" / folder.name)
    for folder in (landing / "archive" / "batches").glob("*/*"):
        shutil.copytree(folder, landing / "registered" / folder.name)
    installation.run_pipeline_job()
    installation.compare()


def test_what_was_landed_under_two_ids_changes_no_number(installation: Installation) -> None:
    """A platform that was asked twice at one instant: both readings stay, the marts show one."""
    names = ("videos", "video_deltas", "video_daily", "creator_daily")
    before = truth.marts_of(installation.settings, names)
    LandingWriter(open_landing(installation.settings)).land(posts=posts_of(0))
    installation.run_pipeline_job()
    assert truth.marts_of(installation.settings, names) == before
