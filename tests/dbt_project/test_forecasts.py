"""Forecasts of views over the simulator's posts match the documented rules, from the past alone."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from tests.dbt_project.harness import Harness
from tests.dbt_project.histories import ORGANIC, Row, Tables
from tests.dbt_project.simulated_views import BEGIN, DAY, PROJECT, id_of_structure, world
from tests.dbt_project.statements import break_model
from tests.oracles.forecasts import Curves, Post, begin_of, expected

CREATORS, DAYS = 6, 64
FIRST = BEGIN.date() + timedelta(days=27)
"""The last of the first 28 days."""
FOREIGN_ID = UUID(int=9)
FOREIGN = {
    "organization_id": FOREIGN_ID,
    "project_id": UUID(int=10),
    "creator_id": None,
    "posted_at": BEGIN,
}
TABLES = (
    "growth_curves",
    "view_forecasts",
    "int_forecasts",
    "int_forecast_spread",
    "int_growth_increments",
)


@dataclass
class Story:
    """The marts after four weeks, and the warehouse five weeks later."""

    decided: Tables
    readings: list[Row]
    after_four_weeks: Mapping[str, list[dict[str, Any]]]
    cut: date
    harness: Harness


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    decided, readings = world(7, CREATORS, DAYS, projects=3)
    foreign = [video | FOREIGN | {"id": uuid4()} for video in decided["videos"][:40]]
    decided["videos"] += foreign
    decided["organizations"].append(decided["organizations"][0] | {"id": FOREIGN_ID})
    harness = Harness(tmp_path_factory.mktemp("forecasts"))
    harness.decide(**decided)
    harness.ingest(video_snapshots=[*read(readings, BEGIN.date(), FIRST), *fourfold(foreign)])
    harness.run(as_of=morning_after(FIRST))
    after_four_weeks = {mart: harness.rows(mart) for mart in ("view_forecasts", "payout_forecasts")}
    cut = BEGIN.date() + timedelta(days=DAYS - 1)
    harness.ingest(video_snapshots=read(readings, FIRST + timedelta(days=1), cut))
    harness.run(as_of=morning_after(cut))
    return Story(decided, readings, after_four_weeks, cut, harness)


def test_a_failed_model_is_rebuilt_by_the_next_run(story: Story, tmp_path: Path) -> None:
    """Input that the failed run did not handle is not touched in later runs."""
    harness = story.harness.copy(tmp_path)
    harness.skips = True
    grown = [r | {"captured_at": r["captured_at"] + DAY} for r in story.readings[-300:]]
    harness.ingest(video_snapshots=[r | {"view_count": 2 * r["view_count"]} for r in grown])
    run = harness.begin(as_of=morning_after(story.cut + timedelta(days=1)))
    with pytest.MonkeyPatch.context() as patch:
        break_model(patch, "int_growth_increments")
        with pytest.raises(AssertionError, match="no memory"):
            harness.build(run)
    assert harness.rows("int_growth_increments") == story.harness.rows("int_growth_increments")
    harness.promote(run)
    harness.run(as_of=morning_after(story.cut + timedelta(days=1)))
    continued = {table: harness.rows(table) for table in TABLES}
    harness.run(as_of=morning_after(story.cut + timedelta(days=1)), full_refresh=True)
    assert continued == {table: harness.rows(table) for table in TABLES}
    assert continued["growth_curves"] != story.harness.rows("growth_curves")


def test_a_failed_view_does_not_count_as_built(story: Story, tmp_path: Path) -> None:
    """A view whose SQL changed, as after an upgrade."""
    harness = story.harness.copy(tmp_path)
    harness.skips = True
    this = "from control.contents where node like '%.int_forecast_cuts'"
    with harness.connect() as connection:
        connection.execute(f"delete {this}")
    run = harness.begin(as_of=morning_after(story.cut + timedelta(days=1)))
    with pytest.MonkeyPatch.context() as patch:
        break_model(patch, "int_forecast_cuts")
        with pytest.raises(AssertionError, match="no memory"):
            harness.build(run)
    harness.promote(run)
    with harness.connect() as connection:
        assert connection.execute(f"select count(*) {this}").fetchall() == [(0,)]
    harness.run(as_of=morning_after(story.cut + timedelta(days=1)))
    with harness.connect() as connection:
        assert connection.execute(f"select count(*) {this}").fetchall() == [(1,)]


def fourfold(videos: Sequence[Row]) -> Iterator[Row]:
    """Yield readings of posts that grow faster than those of other organizations."""
    for video in videos:
        for day in range(20):
            at = video["posted_at"] + day * DAY
            reading = {"video_id": video["id"], "captured_at": at, "view_count": 4 ** min(day, 12)}
            yield reading | {"is_exact": True, "source": "web"}


def read(readings: Sequence[Row], first: date, last: date) -> list[Row]:
    return [reading for reading in readings if first <= reading["captured_at"].date() <= last]


def test_a_failed_model_keeps_what_an_unpublished_run_touched(story: Story, tmp_path: Path) -> None:
    """A full build of the model reported nothing as touched, so a withdrawn decision remained."""
    harness = story.harness.copy(tmp_path)
    harness.skips = True
    now = morning_after(story.cut)
    run = harness.begin(as_of=now + timedelta(minutes=10))
    with pytest.MonkeyPatch.context() as patch:
        break_model(patch, "int_touched_forecasts")
        with suppress(AssertionError):  # it warns
            harness.build(run)
    harness.promote(run)
    excluded = deepcopy(story.decided)
    for video in excluded["videos"][::3]:
        video["tracking_status"] = "excluded"
    for minutes, decided in ((20, excluded), (30, story.decided)):
        harness.decide(**deepcopy(decided))
        run = harness.begin(as_of=now + timedelta(minutes=minutes))
        harness.build(run)
    harness.promote(run)
    continued = {table: harness.rows(table) for table in TABLES}
    harness.run(as_of=now + timedelta(minutes=30), full_refresh=True)
    assert continued == {table: harness.rows(table) for table in TABLES}


def morning_after(day: date) -> datetime:
    return BEGIN.replace(year=day.year, month=day.month, day=day.day) + DAY + timedelta(hours=6)


def test_four_weeks_of_data_give_forecasts(story: Story) -> None:
    """Three weeks have an earlier week to compare with. The monthly rule has paid nothing yet."""
    marts = story.after_four_weeks
    views = [row for row in marts["view_forecasts"] if row["entity_id"] == PROJECT]
    assert len(views) == 92
    for row in views:
        assert row["hidden_because"] is None
        assert 0 <= row["low_views"] < row["views"] < row["high_views"]
    by_rule = {row["entity_id"]: row for row in marts["payout_forecasts"]}
    cents = by_rule[id_of_structure("weekly")]
    assert cents["hidden_because"] is None
    assert 0 <= cents["low_cents"] < cents["to_come_cents"] < cents["high_cents"]
    assert by_rule[id_of_structure("monthly")]["hidden_because"] == "too_new"


def test_no_forecast_of_a_creator_exceeds_its_project(story: Story, tmp_path: Path) -> None:
    """Creators' views may reach 50 times the forecast, projects' only 1.1 times."""
    harness = story.harness.copy(tmp_path)
    with harness.connect() as connection:
        connection.execute(
            "update intermediate.int_forecast_spread set"
            " low_ratio = if(entity = 'project', 0.1, 0.9),"
            " high_ratio = if(entity = 'project', 1.1, 50)"
        )
    run = harness.begin(as_of=morning_after(story.cut))
    harness.build(run, "view_forecasts", "payout_forecasts")
    for mart in ("view_forecasts", "payout_forecasts"):
        rows = [row for row in harness.rows(mart) if row["hidden_because"] is None]
        wholes = {(row["entity_id"], row["day"]): row for row in rows}
        parts = [row for row in rows if row["entity"] == "creator"]
        assert parts
        for part in parts:
            whole = wholes.get((part["project_id"], part["day"]), part)
            for name in ("views", "to_come_cents", "low_views", "high_views", "high_cents"):
                assert part.get(name, 0) <= whole.get(name, 0), (name, part, whole)


def test_forecasts_match_the_documented_rules(story: Story) -> None:
    """An independent calculation for each project and creator of an organization."""
    views: dict[UUID, dict[date, int]] = defaultdict(dict)
    for reading in story.readings:
        views[reading["video_id"]][reading["captured_at"].date()] = reading["view_count"]
    posts: dict[UUID, list[Post]] = defaultdict(list)
    projects: dict[UUID, UUID] = {}
    for video in story.decided["videos"]:
        if video["organization_id"] != FOREIGN_ID:
            post = Post(video["platform"], video["posted_at"].date(), views[video["id"]])
            for entity in (video["creator_id"], video["project_id"]):
                posts[entity].append(post)
                projects[entity] = video["project_id"]
    begins = {project: begin_of(posts[project]) for project in projects.values()}
    assert len(begins) == 3
    curves = Curves([post for project in begins for post in posts[project]], story.cut)
    rows = [
        row
        for row in story.harness.rows("int_forecasts")
        if row["entity_id"] in posts and row["days"] in {1, 7, 28, 92}
    ]
    assert len(rows) == 4 * len(posts)
    for row in rows:
        begin = begins[projects[row["entity_id"]]]
        forecast = expected(posts[row["entity_id"]], story.cut, row["days"], curves, begin)
        assert row["views"] == pytest.approx(forecast.views, rel=1e-4, abs=100), row
        assert row["baseline_views"] == pytest.approx(forecast.baseline, abs=0.51)


@pytest.mark.parametrize("entity", ["creator", "project"])
def test_the_interval_is_the_spread_of_week_over_week_ratios(story: Story, entity: str) -> None:
    """The first and last decile as ratios to the median, wider if there are few."""
    gained: dict[UUID, dict[date, int]] = defaultdict(dict)
    for row in story.harness.rows("creator_daily"):
        days = gained[row[f"{entity}_id"]]
        days[row["day"]] = days.get(row["day"], 0) + (row["new_views"] or 0)
    ratios: list[int] = []
    for days in gained.values():
        ends = [story.cut - timedelta(weeks=week) for week in range(13)]
        weeks = [
            sum(days.get(end - timedelta(days=day), 0) for day in range(7))
            for end in ends
            if end - timedelta(days=6) >= min(days)
        ]
        ratios += [10**6 * later // earlier for later, earlier in pairwise(weeks) if earlier > 999]
    ratios.sort()
    low, middle, high = (ratios[-(-len(ratios) * tenth // 10) - 1] for tenth in (1, 5, 9))
    factor = (2 * len(ratios) + 1) / (2 * len(ratios) - 2)
    [spread] = [r for r in story.harness.rows("int_forecast_spread") if r["entity"] == entity]
    assert float(spread["low_ratio"]) == pytest.approx(
        max(middle - (middle - low) * factor, 0) / middle, abs=1e-5
    )
    assert float(spread["high_ratio"]) == pytest.approx(
        (middle + (high - middle) * factor) / middle, abs=1e-5
    )


def test_only_late_readings_change_forecasts_within_a_day(
    story: Story,
) -> None:
    harness = story.harness
    before = {table: harness.rows(table) for table in TABLES}
    last = max(reading["captured_at"] for reading in story.readings)
    newest = next(reading for reading in story.readings if reading["captured_at"] == last)
    today = newest | {"captured_at": last + timedelta(hours=8), "view_count": 10**6}
    harness.ingest(video_snapshots=[today])
    harness.run(as_of=last + timedelta(hours=12))
    assert harness.rows("int_touched_forecasts") == []
    assert {table: harness.rows(table) for table in TABLES} == before
    video = story.decided["videos"][0]
    older = video | {"id": uuid4(), "platform_video_id": "older", "posted_at": BEGIN - 20 * DAY}
    harness.decide(videos=[*story.decided["videos"], older])
    late = {"captured_at": last + timedelta(minutes=5)}
    harness.ingest(video_snapshots=[newest | late, newest | late | {"video_id": older["id"]}])
    harness.run(as_of=last + timedelta(hours=13))
    assert [row["from_day"] for row in harness.rows("int_touched_forecasts")] == [last.date()]
    continued = {table: harness.rows(table) for table in TABLES}
    harness.run(as_of=last + timedelta(hours=13), full_refresh=True)
    assert {table: harness.rows(table) for table in TABLES} == continued


LIKE = 4
"""Factor of each day's views to the previous day's: every increment counts in full."""
LAST = 13
AS_OF = BEGIN + (LAST + 1) * DAY + timedelta(hours=6)
FORECASTS = ("view_forecasts", "goal_forecasts", "payout_forecasts")


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Harness:
    """Posts that are 100 days old and grow fourfold a day."""
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


def test_posts_that_grow_fourfold_a_day_do_not_fail_the_build(grown: Harness) -> None:
    """The last known growth continues for 92 days, to 4^92."""
    views = {
        row["days"]: row["views"]
        for row in grown.rows("int_forecasts")
        if row["entity_id"] == PROJECT
    }
    assert views[1] == 4 * 100 * LIKE**LAST * (LIKE - 1)
    assert views[92] == 10**12
    assert {row["hidden_because"] for row in grown.rows("view_forecasts")} == {"too_little_history"}


@pytest.mark.slow
def test_a_post_that_loses_more_views_than_it_gained_does_not_fail_the_build(
    tmp_path: Path,
) -> None:
    """The platform removes paid views that were counted from the first reading."""
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


def test_a_wide_interval_does_not_fail_the_build(grown: Harness) -> None:
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
