"""Forecasts of views over the simulator's posts: as the text says, from the past alone."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from itertools import product
from typing import Any
from uuid import UUID, uuid4

import pytest

from tests.dbt_project.harness import Harness
from tests.dbt_project.histories import Row, Tables
from tests.dbt_project.simulated_views import BEGIN, DAY, PROJECT, id_of_structure, world
from tests.oracles.forecasts import Curves, Post, expected
from warehouse.settings import REPOSITORY

CREATORS, DAYS = 6, 100
CUT = BEGIN.date() + timedelta(days=(6 - BEGIN.weekday()) + 63)
"""A Sunday with 63 days behind it and more than 28 ahead."""
MODELS = ("growth_curves", "view_forecasts", "forecast_backtest", "forecast_accuracy")
TABLES = (
    *MODELS,
    "int_forecasts",
    "int_forecast_tests",
    "int_growth_increments",
    "int_posting_tests",
    "int_payout_tests",
)


@dataclass
class Story:
    """What was expected at the cut, before anything else was read, and the warehouse later on.

    `after_four_weeks` are the marts of the project's first 28 days.
    """

    decided: Tables
    readings: list[Row]
    after_four_weeks: Mapping[str, list[dict[str, Any]]]
    at_cut: list[dict[str, Any]]
    harness: Harness


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    """Run after four weeks, on the day after the cut and at the end, each with what was read."""
    decided, readings = world(7, CREATORS, DAYS)
    harness = Harness(tmp_path_factory.mktemp("forecasts"))
    harness.decide(**decided)
    before = BEGIN.date()

    def run(until: date) -> None:
        new = [reading for reading in readings if before <= reading["captured_at"].date() <= until]
        harness.ingest(video_snapshots=new)
        harness.run(as_of=morning_after(until))

    last = BEGIN.date() + timedelta(days=27)
    run(last)
    after_four_weeks = {mart: harness.rows(mart) for mart in (*MODELS, "payout_forecasts")}
    before = last + timedelta(days=1)
    run(CUT)
    at_cut = harness.rows("int_forecasts")
    before = CUT + timedelta(days=1)
    run(BEGIN.date() + timedelta(days=DAYS - 1))
    return Story(decided, readings, after_four_weeks, at_cut, harness)


def morning_after(day: date) -> datetime:
    return BEGIN.replace(year=day.year, month=day.month, day=day.day) + DAY + timedelta(hours=6)


def test_four_weeks_show_what_a_project_is_to_gain_and_a_rule_to_cost(story: Story) -> None:
    """Fifteen tests of a week each, made on as many days, say enough of three weeks.

    Of a rule by the month nothing is known after four weeks, nor of all that the project costs.
    """
    marts = story.after_four_weeks
    [views] = [
        row for row in marts["view_forecasts"] if row["entity_id"] == PROJECT and ahead(row) == 7
    ]
    weekly = id_of_structure("weekly")
    [cents] = [row for row in marts["payout_forecasts"] if row["entity_id"] == weekly]
    assert (views["hidden_because"], cents["hidden_because"]) == (None, None)
    assert 0 < views["low_views"] < views["views"] < views["high_views"]
    assert 0 <= cents["low_cents"] <= cents["to_come_cents"] < cents["high_cents"]
    tests = {
        (row["metric"], row["entity"], row["days"]): row["tests"]
        for row in marts["forecast_accuracy"]
    }
    assert (tests["views", "project", 7], tests["payouts", "structure", 7]) == (15, 15)
    assert {row["hidden_because"] for row in marts["view_forecasts"] if ahead(row) > 14} == {
        "too_few_tests"
    }


def ahead(row: Row) -> int:
    """How many days a forecast looks ahead."""
    days: timedelta = row["day"] - row["from_day"]
    return days.days + 1


def of_entities(world: Story) -> tuple[Sequence[Post], Mapping[UUID, Sequence[Post]]]:
    """Return all posts, and those of the project and of each creator."""
    views: dict[UUID, dict[date, int]] = defaultdict(dict)
    for reading in world.readings:
        views[reading["video_id"]][reading["captured_at"].date()] = reading["view_count"]
    of: dict[UUID, list[Post]] = defaultdict(list)
    for video in world.decided["videos"]:
        post = Post(video["platform"], video["posted_at"].date(), views[video["id"]])
        of[video["creator_id"]].append(post)
        of[PROJECT].append(post)
    return of[PROJECT], of


def test_forecasts_and_what_came_are_as_the_text_says(story: Story) -> None:
    """By an independent calculation, for the cut and for the last week that has an end."""
    posts, of = of_entities(story)
    tests = [row for row in story.harness.rows("int_forecast_tests") if row["entity_id"] in of]
    for cut in (CUT, max(row["cut_day"] for row in tests)):
        curves = Curves(posts, cut)
        there = [row for row in tests if row["cut_day"] == cut]
        assert len(there) > CREATORS
        for test_row in there:
            forecast = expected(of[test_row["entity_id"]], cut, test_row["days"], curves)
            assert test_row["views"] == pytest.approx(forecast.views, rel=1e-4, abs=100), test_row
            assert test_row["baseline_views"] == pytest.approx(forecast.baseline, abs=0.51)


def test_a_test_of_a_past_week_expects_what_was_expected_then(story: Story) -> None:
    """No reading after a cut is used: with all that came since, the same comes out."""
    then = {
        (row["entity_id"], row["days"]): (row["views"], row["baseline_views"])
        for row in story.at_cut
        if row["days"] in (7, 28)
    }
    tests = {
        (row["entity_id"], row["days"]): (row["expected"], row["baseline"])
        for row in backtest(story, "views")
        if row["cut_day"] == CUT
    }
    assert tests == then
    assert any(views for views, _ in then.values())


def backtest(world: Story, metric: str) -> list[Row]:
    return [row for row in world.harness.rows("forecast_backtest") if row["metric"] == metric]


def test_posts_go_on_as_in_four_weeks_and_the_baseline_as_in_one(story: Story) -> None:
    """Counted one by one; rounded half up. Who posts nothing before or after a cut has no test.

    Of fewer days than 28 since the project's first post those are taken.
    """
    made: dict[UUID, list[date]] = defaultdict(list)
    for video in story.decided["videos"]:
        made[video["creator_id"]].append(video["posted_at"].date())
    begins = min(day for days in made.values() for day in days)

    def posts(creator: UUID, after: date, days: int) -> int:
        return sum(after < day <= after + timedelta(days) for day in made[creator])

    rows = backtest(story, "posts")
    for row in rows:
        creator, cut, days = row["entity_id"], row["cut_day"], row["days"]
        before = posts(creator, cut - timedelta(28), 28)
        week = posts(creator, cut - timedelta(7), 7)
        known = min(28, (cut - begins).days + 1)
        assert row["expected"] == (2 * before * days + known) // (2 * known)
        assert row["baseline"] == (2 * week * days + 7) // 14
        assert row["actual"] == posts(creator, cut, days)
        assert row["expected"] or row["actual"] or before
    assert {row["days"] for row in rows} == {7, 28}


def test_payouts_go_on_by_the_rule_of_the_views_that_are_expected(story: Story) -> None:
    """A dollar per thousand: as large a part of the views as in the four weeks up to the cut."""
    weekly = id_of_structure("weekly")
    periods = {
        (row["creator_id"], row["period_end"]): row
        for row in story.harness.rows("payout_earned")
        if row["structure_id"] == weekly
    }
    by_week = {creator for creator, _ in periods}
    days = story.harness.rows("creator_daily")
    views = {
        (row["entity_id"], row["cut_day"]): row["views"]
        for row in story.harness.rows("int_forecast_tests")
        if row["days"] == 7
    }

    def of_week(creator: UUID, end: date) -> tuple[int, int]:
        row = periods.get((creator, end))
        return (row["cpm_evidence"][0]["impressions"], row["amount_cents"]) if row else (0, 0)

    rows = [
        row
        for row in backtest(story, "payouts")
        if row["days"] == 7 and row["cut_day"] >= CUT and row["entity_id"] in by_week
    ]
    for row in rows:
        creator, cut = row["entity_id"], row["cut_day"]
        weeks = [of_week(creator, cut - timedelta(weeks=week)) for week in range(4)]
        seen = sum(
            day["new_views"]
            for day in days
            if day["creator_id"] == creator and cut - timedelta(28) < day["day"] <= cut
        )
        payable = sum(paid for paid, _ in weeks) * views[creator, cut] / seen
        assert row["expected"] == pytest.approx(payable / 10, abs=1)
        assert row["baseline"] == weeks[0][1]
        assert row["actual"] == of_week(creator, cut + timedelta(7))[1]
    assert len(rows) > CREATORS


def test_what_came_is_what_days_show(story: Story) -> None:
    gained = {
        (row["creator_id"], row["day"]): row["new_views"]
        for row in story.harness.rows("creator_daily")
    }
    tests = [row for row in backtest(story, "views") if row["entity"] == "creator"]
    for test in tests:
        days = (test["cut_day"] + timedelta(days=n + 1) for n in range(test["days"]))
        came = sum(gained.get((test["entity_id"], day), 0) for day in days)
        assert test["actual"] == came


@pytest.mark.parametrize("entity", ["creator", "project"])
def test_intervals_are_of_what_had_ended_by_the_cut(story: Story, entity: str) -> None:
    """The tenth and ninetieth of a hundred: how many times what was expected had come by then.

    Moved away from the middle by the less, the more tests there are that do not overlap.
    """
    tests = [
        row for row in backtest(story, "views") if row["entity"] == entity and row["days"] == 7
    ]
    last = max(row["cut_day"] for row in tests)
    ended = sorted(
        row["actual"] * 10**6 // row["expected"]
        for row in tests
        if row["day"] <= last and row["expected"]
    )
    first = min(row["cut_day"] for row in tests)
    weeks = (max(row["day"] for row in tests if row["day"] <= last) - first).days // 7
    apart = min(len(ended), weeks * len({row["entity_id"] for row in tests}))
    low, middle, high = (ended[-(-len(ended) * tenth // 10) - 1] for tenth in (1, 5, 9))
    more, of = 2 * apart + 1, 2 * apart - 2
    low = max(middle - (middle - low) * more // of, 0)
    high = middle + (high - middle) * more // of
    for row in tests:
        if row["cut_day"] == last:
            assert row["low"] == row["expected"] * low // 10**6
            assert row["high"] == row["expected"] * high // 10**6
    assert {row["low"] for row in tests if row["cut_day"] < min_end(tests)} == {None}


def min_end(tests: Sequence[Row]) -> date:
    ends: list[date] = [row["day"] for row in tests]
    return min(ends)


def test_only_what_proved_better_than_the_baseline_is_to_be_shown(story: Story) -> None:
    """The docs tell these errors, and how many intervals held."""
    accuracy = {
        (row["metric"], row["entity"], row["days"]): row
        for row in story.harness.rows("forecast_accuracy")
    }
    told_of = (REPOSITORY / "docs/rules/forecasts.md").read_text("utf-8")
    for kind in product(("views", "posts", "payouts"), ("creator", "project"), (7, 28)):
        if kind in accuracy:
            of_kind = accuracy[kind]
            is_better = of_kind["mape"] < of_kind["baseline_mape"]
            why = None if is_better else "no_better_than_baseline"
            assert of_kind["hidden_because"] == why, kind
            assert line_of(of_kind) in told_of
    assert accuracy["views", "project", 84]["hidden_because"] == "too_few_tests"
    for row in story.harness.rows("view_forecasts"):
        tested = accuracy.get(("views", row["entity"], row["tested_days"]))
        assert row["hidden_because"] == (tested["hidden_because"] if tested else "too_few_tests")


def line_of(accuracy: Row) -> str:
    figures = [percent(accuracy[name]) for name in ("mape", "baseline_mape", "coverage")]
    of = f"{accuracy['metric']} of a {accuracy['entity']}, {accuracy['days']} days"
    return f"| {of} | {accuracy['tests']} | {' | '.join(figures)} |"


def percent(share: Decimal | None) -> str:
    return "none yet" if share is None else f"{100 * share:.0f}%"


def test_a_days_further_passes_leave_forecasts_as_they_are_and_late_readings_do_not(
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
