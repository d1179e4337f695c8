"""A run adds to what is published; whatever the history, marts are those of a full refresh.

Counts, days and goals are those of the rules, each time.
"""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from operator import itemgetter
from pathlib import Path
from random import Random
from typing import Any, ClassVar
from uuid import UUID

import pytest
from hypothesis import given

from tests.dbt_project.goal_histories import GoalHistory
from tests.dbt_project.harness import Harness, selected
from tests.dbt_project.histories import BEGIN, ONE_NEW, ORGANIC, SEEDS, History, Step, Tables
from tests.doses import dose
from tests.oracles import analytics
from tests.oracles.goals import Goals
from warehouse.control import Run

ORGANIZATIONS = dose(small=20, full=40)


class Story:
    """Plays a history run by run into a warehouse and knows what the marts should be."""

    NEEDED: ClassVar[tuple[str, ...]] = selected(
        "videos",
        "accounts",
        "view_baselines",
        "video_daily",
        "account_daily",
        "view_coverage",
        "creator_milestones",
        "creator_videos",
        "creator_quarter_hours",
        "campaign_daily",
        "campaign_creator_daily",
        "campaign_quarter_hours",
        "campaign_videos",
        "campaign_accounts",
        "scrape_freshness",
        "goal_compliance",
    )
    """What runs build after the first, which builds all there is."""

    def __init__(self, folder: Path) -> None:
        self.harness = Harness(folder)
        self.facts: Tables = {
            "video_snapshots": [],
            "account_snapshots": [],
            "scrape_outcomes": [],
        }

    def arrive(self, batches: Sequence[Tables]) -> None:
        for batch in batches:
            self.harness.ingest(**batch)
            for table, rows in batch.items():
                self.facts[table] += rows

    def run(self, as_of: datetime, **options: Any) -> Run:
        run = self.harness.begin(as_of=as_of, **options)
        is_first = run.is_full_refresh and not options.get("full_refresh")
        self.harness.build(run, *(() if is_first else self.NEEDED))
        self.harness.promote(run)
        return run

    def expected(self, step: Step) -> dict[str, list[dict[str, Any]]]:
        """Return the rows of all marts that independent calculations make."""
        facts = analytics.Facts(as_of=step.as_of, operational=step.operational, **self.facts)
        marts = analytics.marts(facts)
        if "goal_states" in step.operational:
            goals = Goals(step.operational, self.facts, step.as_of)
            marts["goal_compliance"] = goals.compliance()
        return marts

    def assert_marts_are(self, expected: dict[str, list[dict[str, Any]]], when: str) -> None:
        for mart, rows in expected.items():
            assert_same(self.harness.rows(mart), rows, f"{mart}, {when}")


def assert_same(rows: list[dict[str, Any]], expected: list[dict[str, Any]], what: str) -> None:
    names = sorted(expected[0]) if expected else []
    if expected and rows:
        assert sorted(rows[0]) == names, what
    there = {tuple(row[name] for name in names) for row in rows}
    expected_rows = {tuple(row[name] for name in names) for row in expected}
    missing, extra = expected_rows - there, there - expected_rows
    lines = [f"{what}: {len(missing)} rows missing, {len(extra)} too many of {len(expected_rows)}"]
    lines += [f"missing {dict(zip(names, row, strict=True))}" for row in list(missing)[:3]]
    lines += [f"too many {dict(zip(names, row, strict=True))}" for row in list(extra)[:3]]
    assert not missing, "\n".join(lines)
    assert not extra, "\n".join(lines)
    assert len(rows) == len(expected), f"{what}: rows repeat"


@given(seed=SEEDS)
@ONE_NEW
def test_every_run_gives_what_a_full_refresh_and_the_rules_give(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    story = Story(tmp_path_factory.mktemp("history"))
    for number, step in enumerate(GoalHistory(seed, organizations=ORGANIZATIONS, runs=4).steps()):
        story.arrive(step.batches)
        story.harness.decide(**step.operational)
        run = story.run(step.as_of)
        assert run.is_full_refresh == (number == 0)
        expected = story.expected(step)
        assert expected["goal_compliance"], f"no goal is judged, seed {seed}"
        story.assert_marts_are(expected, f"run {number} of seed {seed}")
    story.run(step.as_of, full_refresh=True)
    story.assert_marts_are(expected, f"full refresh of seed {seed}")


def test_runs_that_die_before_publishing_leave_nothing_behind(tmp_path: Path) -> None:
    """Each attempt sees other facts and decisions and stops elsewhere; only the last is published.

    What an attempt wrote for a decision that was then taken back must go, too.
    """
    story = Story(tmp_path)
    random = Random(3)
    steps = list(History(3, organizations=20, runs=4).steps())
    for number, step in enumerate(steps):
        story.arrive(step.batches)
        story.harness.decide(**step.operational)
        if number == 0:
            story.run(step.as_of)
            taken_back = step.operational
        elif number < len(steps) - 1:
            run = story.harness.begin(as_of=step.as_of)
            story.harness.build(run, f"+{random.choice(('creator_daily', 'video_daily'))}")
    story.harness.decide(**taken_back)
    story.run(step.as_of)
    last = Step(step.as_of, taken_back)
    story.assert_marts_are(story.expected(last), "after attempts that were not published")


def test_as_of_may_move_back(tmp_path: Path) -> None:
    story = Story(tmp_path)
    first, second = History(4, organizations=20, runs=2).steps()
    for step in (first, second, first):
        story.arrive(
            step.batches if step is not first or not story.facts["video_snapshots"] else []
        )
        story.harness.decide(**step.operational)
        story.run(step.as_of)
        story.assert_marts_are(story.expected(step), f"as of {step.as_of}")


def test_a_backfill_mends_the_days_that_it_names(tmp_path: Path) -> None:
    """Rows that were lost inside the range come back; rows outside it are left alone."""
    story = Story(tmp_path)
    (step,) = History(6, organizations=20, runs=1).steps()
    story.arrive(step.batches)
    story.harness.decide(**step.operational)
    story.run(step.as_of)
    with story.harness.connect() as connection:
        for mart in ("video_deltas", "account_snapshots"):
            connection.execute(f"delete from marts.{mart} where captured_at > '2026-03-20'")
        for mart in ("video_daily", "account_daily", "creator_daily", "campaign_daily"):
            connection.execute(f"delete from marts.{mart} where day > '2026-03-21'")
    run = story.run(step.as_of, from_day=date(2026, 3, 20), to_day=date(2026, 4, 20))
    assert not run.is_full_refresh
    story.assert_marts_are(story.expected(step), "after a backfill")


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
