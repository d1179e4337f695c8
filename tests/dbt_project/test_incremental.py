"""A run adds to what is published, whatever came before it (test_whole_history has the rest)."""

from datetime import date, timedelta
from operator import itemgetter
from pathlib import Path
from random import Random
from uuid import UUID

from tests.dbt_project.harness import Harness
from tests.dbt_project.histories import BEGIN, ORGANIC, History, Step
from tests.dbt_project.stories import Story


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
