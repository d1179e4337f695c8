from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from warehouse.landing.batches import incoming, read_landed
from warehouse.landing.in_folder import FolderLanding
from warehouse.landing.writer import LandingWriter

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


def post(**changes: Any) -> dict[str, Any]:
    values = {
        "platform": "tiktok",
        "platform_video_id": "7682837474828885294",
        "url": "https://www.tiktok.com/@demo/video/7682837474828885294",
        "posted_at_is_estimate": False,
        "view_count": 10,
        "is_exact": True,
        "source": "page",
        "captured_at": NOON,
    }
    return {**values, **changes}


def test_landed_rows_are_read_back_with_unknown_counts(tmp_path: Path) -> None:
    batch_id = LandingWriter(FolderLanding(tmp_path)).land(posts=[post(like_count=0)])
    [batch] = incoming(tmp_path)
    frames = read_landed(batch)
    assert batch.batch_id == batch_id
    row = frames["posts"].row(0, named=True)
    assert (row["view_count"], row["like_count"], row["comment_count"]) == (10, 0, None)
    assert row["captured_at"] == NOON
    assert frames["profiles"].height == frames["outcomes"].height == 0


def test_batches_are_listed_in_the_order_of_landing(tmp_path: Path) -> None:
    writer = LandingWriter(FolderLanding(tmp_path))
    ids = [writer.land(posts=[post(view_count=n)]) for n in range(3)]
    assert [batch.batch_id for batch in incoming(tmp_path)] == sorted(ids)


def test_unstorable_text_is_made_storable(tmp_path: Path) -> None:
    LandingWriter(FolderLanding(tmp_path)).land(posts=[post(caption="a\x00b \ud83d c")])
    [batch] = incoming(tmp_path)
    assert read_landed(batch)["posts"]["caption"].to_list() == ["ab ? c"]


def test_a_batch_without_rows_or_with_an_unknown_column_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="at least one row"):
        LandingWriter(FolderLanding(tmp_path)).land()
    with pytest.raises(ValueError, match="posts has no column veiws"):
        LandingWriter(FolderLanding(tmp_path)).land(posts=[post(veiws=3)])
    assert incoming(tmp_path) == []
