"""Whatever posts did, a forecast of them is a number, and the pass that works it out ends well."""

from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from tests.dbt_project.harness import Harness
from tests.dbt_project.histories import ORGANIC
from tests.dbt_project.simulated_views import BEGIN, DAY, PROJECT, world

LIKE = 4
"""Each day has so many times the views of the day before: a step that counts in full."""
LAST = 13
AS_OF = BEGIN + (LAST + 1) * DAY + timedelta(hours=6)
FORECASTS = ("view_forecasts", "goal_forecasts", "payout_forecasts")


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Harness:
    """Posts of 100 days old that grow fourfold a day."""
    decided, _ = world(7, 1, 1)
    whose = decided["videos"][0]
    old = {"posted_at": BEGIN - 100 * DAY, "created_at": BEGIN - 100 * DAY}
    ids = [video["id"] for video in world(7, 1, 30)[0]["videos"][:4]]
    videos = [
        whose | old | {"id": video_id, "platform_video_id": str(number)}
        for number, video_id in enumerate(ids)
    ]
    harness = Harness(tmp_path_factory.mktemp("grown"))
    harness.decide(**{**decided, "videos": videos})
    harness.ingest(
        video_snapshots=[
            {
                "video_id": video_id,
                "captured_at": BEGIN + day * DAY,
                "view_count": 100 * LIKE**day,
                "is_exact": True,
                "source": "web",
            }
            for video_id in ids
            for day in range(LAST + 1)
        ]
    )
    harness.build(harness.begin(as_of=AS_OF), *(f"+{model}" for model in FORECASTS))
    return harness


def test_posts_that_grow_fourfold_a_day_do_not_end_the_pass(grown: Harness) -> None:
    """The last age's growth goes on for 92 days, to four to the 92nd."""
    views = {
        row["days"]: row["views"]
        for row in grown.rows("int_forecasts")
        if row["entity_id"] == PROJECT
    }
    assert views[1] == 4 * 100 * LIKE**LAST * (LIKE - 1)
    assert views[92] == 10**12
    assert {row["hidden_because"] for row in grown.rows("view_forecasts")} == {"too_little_history"}


@pytest.mark.slow
def test_a_post_that_loses_more_views_than_it_gained_does_not_end_the_pass(tmp_path: Path) -> None:
    """The platform removes paid views, which count from when they were first read."""
    decided, _ = world(7, 1, 1)
    [post, *_] = decided["videos"]
    harness = Harness(tmp_path)
    harness.decide(**{**decided, "videos": [post | {"posted_at": BEGIN, "created_at": BEGIN}]})
    harness.ingest(
        video_snapshots=[
            {
                "video_id": post["id"],
                "captured_at": BEGIN + day * DAY,
                "view_count": views,
                "is_exact": True,
                "source": source,
            }
            for day, (views, source) in enumerate(
                ((5, ORGANIC), (1_000_000, "web"), (400_000, "web"))
            )
        ]
    )
    harness.build(harness.begin(as_of=BEGIN + 4 * DAY), "+growth_curves")
    growths = {row["growth_p10"] for row in harness.rows("growth_curves")}
    assert growths == {Decimal(0), Decimal(-120_000)}


def test_an_interval_of_any_width_does_not_end_the_pass(grown: Harness) -> None:
    with grown.connect() as connection:
        connection.execute(SPREAD)
    run = grown.begin(as_of=AS_OF)

    grown.build(run, "view_forecasts", "payout_forecasts", "goal_forecasts")

    [ends] = {
        (row["low_views"], row["high_views"])
        for row in grown.rows("view_forecasts")
        if row["entity_id"] == PROJECT and row["views"] == 10**12
    }
    assert ends == (0, 10**12)


SPREAD = """
    insert into intermediate.int_forecast_spread by name
    select
        organization_id,
        unnest(['project', 'creator']) as entity,
        0 as low_ratio,
        100000000000 as high_ratio
    from (select distinct organization_id from intermediate.int_forecasts)
"""
"""The largest ratio that the model stores."""
