"""A run adds to what is published, whatever came before it (test_whole_history has the rest)."""

from datetime import timedelta
from operator import itemgetter
from pathlib import Path
from uuid import UUID

import pytest

from tests.dbt_project.harness import Harness
from tests.dbt_project.histories import BEGIN, ORGANIC
from tests.dbt_project.stories import Story

pytestmark = pytest.mark.slow


def test_counts_go_on_from_before_another_meaning(tmp_path: Path) -> None:
    """Organic views read in a run of their own leave the next run the count from before them."""
    harness = Harness(tmp_path)
    post, readings = UUID(int=1), ((898, "web"), (700, ORGANIC), (1_028, "web"))
    for number, (views, source) in enumerate(readings):
        at = BEGIN + timedelta(hours=number)
        reading = {"video_id": post, "captured_at": at, "view_count": views, "source": source}
        harness.ingest(video_snapshots=[{**reading, "is_exact": True}])
        run = harness.begin(as_of=at)
        harness.build(run, *(() if run.is_full_refresh else Story.NEEDED))
        harness.promote(run)
    deltas = sorted(harness.rows("video_deltas"), key=itemgetter("captured_at"))
    assert [row["view_delta"] for row in deltas] == [898, 0, 130]
    [baseline] = harness.rows("view_baselines")
    assert (baseline["views_read"], baseline["view_count"]) == (700, 898)
