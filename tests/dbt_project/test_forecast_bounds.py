"""Whatever posts did, a forecast of them is a number, and the pass that works it out ends well."""

from datetime import timedelta
from pathlib import Path

from tests.dbt_project.harness import Harness
from tests.dbt_project.simulated_views import BEGIN, DAY, PROJECT, world

LIKE = 4
"""Each day has so many times the views of the day before: a step that counts in full."""
LAST = 13


def test_posts_that_grow_fourfold_a_day_do_not_end_the_pass(tmp_path: Path) -> None:
    """Of 100 days old: the last age's growth goes on for 92 days, to four to the 92nd."""
    decided, _ = world(7, 1, 1)
    whose = decided["videos"][0]
    old = {"posted_at": BEGIN - 100 * DAY, "created_at": BEGIN - 100 * DAY}
    ids = [one["id"] for one in world(7, 1, 30)[0]["videos"][:4]]
    videos = [
        whose | old | {"id": one, "platform_video_id": str(number)}
        for number, one in enumerate(ids)
    ]
    harness = Harness(tmp_path)
    harness.decide(**{**decided, "videos": videos})
    harness.ingest(
        video_snapshots=[
            {
                "video_id": one,
                "captured_at": BEGIN + day * DAY,
                "view_count": 100 * LIKE**day,
                "is_exact": True,
                "source": "web",
            }
            for one in ids
            for day in range(LAST + 1)
        ]
    )
    harness.run(as_of=BEGIN + (LAST + 1) * DAY + timedelta(hours=6))
    views = {
        row["days"]: row["views"]
        for row in harness.rows("int_forecasts")
        if row["entity_id"] == PROJECT
    }
    assert views[1] == len(ids) * 100 * LIKE**LAST * (LIKE - 1)
    assert views[92] == 10**12
    assert {row["hidden_because"] for row in harness.rows("view_forecasts")} == {"too_few_tests"}
