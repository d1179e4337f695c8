from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.factories.landing import fetch, post
from warehouse.landing.batches import (
    Batch,
    DamagedBatchError,
    NewerBatchError,
    incoming,
    read_landed,
    reject,
)
from warehouse.landing.in_folder import FolderLanding
from warehouse.landing.schema import LANDED
from warehouse.landing.writer import LandingWriter

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


def landed(landing: Path, **changes: Any) -> Batch:
    row = {
        "platform": "instagram",
        "platform_video_id": "3476543212345678901",
        "url": "https://www.instagram.com/reel/Dc_lW7jqhs8/",
        "posted_at_is_estimate": False,
        "like_count": 4,
        "is_exact": True,
        "source": "page",
        "captured_at": NOON,
    }
    LandingWriter(FolderLanding(landing)).land(posts=[{**row, **changes}])
    return incoming(landing)[-1]


def posts_file(batch: Batch) -> Path:
    return batch.path / "posts.parquet"


def test_a_truncated_file_is_damage(tmp_path: Path) -> None:
    batch = landed(tmp_path)
    whole = posts_file(batch).read_bytes()
    posts_file(batch).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DamagedBatchError, match=r"posts\.parquet is not a complete Parquet file"):
        read_landed(batch)


def test_a_wrong_type_and_a_missing_column_are_damage(tmp_path: Path) -> None:
    batch = landed(tmp_path)
    frame = pl.read_parquet(posts_file(batch))
    for other, message in [
        (frame.cast({"view_count": pl.String}), "view_count is String, not Int64"),
        (frame.drop("source"), "source is None, not String"),
    ]:
        other.write_parquet(posts_file(batch))
        with pytest.raises(DamagedBatchError, match=message):
            read_landed(batch)


def test_a_newer_column_is_unknown_in_an_older_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = landed(tmp_path, save_count=7)
    pl.read_parquet(posts_file(batch)).drop("save_count").write_parquet(posts_file(batch))
    with pytest.raises(DamagedBatchError, match="save_count is None, not Int64"):
        read_landed(batch)
    monkeypatch.setattr("warehouse.landing.batches.CAME_LATER", {("posts", "save_count")})
    posts = read_landed(batch)["posts"]
    assert posts.schema == LANDED["posts"]
    assert posts.select("like_count", "save_count").rows() == [(4, None)]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"like_count": -1}, "like_count is negative"),
        ({"captured_at": None}, "captured_at is missing"),
        ({"platform_video_id": None}, "platform_video_id is missing"),
        ({"captured_at": datetime(1970, 1, 1, tzinfo=UTC)}, "captured_at is not between"),
    ],
)
def test_values_that_no_reading_can_have_are_damage(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    batch = landed(tmp_path, **changes)
    with pytest.raises(DamagedBatchError, match=message):
        read_landed(batch)


def test_an_invalid_job_is_damage(tmp_path: Path) -> None:
    row = {
        "job_type": "video_stats",
        "platform": "tiktok",
        "outcome": "ok",
        "reached_known": False,
        "started_at": NOON,
        "finished_at": NOON,
    }
    LandingWriter(FolderLanding(tmp_path)).land(outcomes=[{**row, "job_id": "42"}, row])
    with pytest.raises(DamagedBatchError, match="job_id is not a UUID"):
        read_landed(incoming(tmp_path)[0])


def test_an_unknown_file_or_column_is_of_a_newer_version(tmp_path: Path) -> None:
    batch = landed(tmp_path)
    frame = pl.read_parquet(posts_file(batch))
    frame.with_columns(mood=pl.lit(1)).drop("source").write_parquet(posts_file(batch))
    with pytest.raises(NewerBatchError, match=r"posts.parquet: unknown column mood"):
        read_landed(batch)
    frame.write_parquet(posts_file(batch))
    frame.write_parquet(batch.path / "thoughts.parquet")
    with pytest.raises(NewerBatchError, match="unknown file thoughts"):
        read_landed(batch)


def test_no_file_at_all_is_damage(tmp_path: Path) -> None:
    batch = landed(tmp_path)
    posts_file(batch).unlink()
    with pytest.raises(DamagedBatchError, match="no Parquet file"):
        read_landed(batch)


@pytest.mark.parametrize("read", ["read_parquet_schema", "read_parquet"])
def test_a_batch_that_another_process_moves_meanwhile_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: str
) -> None:
    """It is neither damaged nor read in part."""
    LandingWriter(FolderLanding(tmp_path)).land(posts=[post("7001")], outcomes=[fetch()])
    [batch] = incoming(tmp_path)
    original, reads = getattr(pl, read), count(1)

    def read_and_move(*files: Path) -> object:
        content = original(*files)
        if next(reads) == (2 if read == "read_parquet_schema" else 1):
            FolderLanding(tmp_path).drop(batch)
        return content

    monkeypatch.setattr(pl, read, read_and_move)
    with pytest.raises(FileNotFoundError):
        read_landed(batch)


def test_columns_in_another_order_are_no_damage(tmp_path: Path) -> None:
    batch = landed(tmp_path)
    pl.read_parquet(posts_file(batch)).select(sorted(LANDED["posts"])).write_parquet(
        posts_file(batch)
    )
    assert read_landed(batch)["posts"].schema == LANDED["posts"]


def test_strays_and_temporary_folders_are_not_batches(tmp_path: Path) -> None:
    batch = landed(tmp_path)
    (tmp_path / "incoming" / "notes").mkdir()
    (tmp_path / "incoming" / str(batch.batch_id).upper()).mkdir()
    assert incoming(tmp_path) == [batch]


def test_a_rejected_batch_has_its_files_and_the_reason(tmp_path: Path) -> None:
    batch = landed(tmp_path)
    aside = reject(tmp_path, batch, "posts: like_count is negative in a row")
    assert incoming(tmp_path) == []
    assert sorted(path.name for path in aside.iterdir()) == ["posts.parquet", "reason.txt"]
    assert "negative" in (aside / "reason.txt").read_text()
