"""A run adds to what is published; whatever the history, the marts are those of a full refresh."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given

from tests.dbt_project.harness import Harness
from tests.dbt_project.histories import ONE_NEW, SEEDS, History, Step, Tables
from tests.oracles import analytics


class Story:
    """Plays a history run by run into a warehouse and knows what the marts should be."""

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

    def expected(self, step: Step) -> dict[str, list[dict[str, Any]]]:
        return analytics.marts(
            analytics.Facts(as_of=step.as_of, operational=step.operational, **self.facts)
        )

    def assert_marts_are(self, expected: dict[str, list[dict[str, Any]]], when: str) -> None:
        for mart, rows in expected.items():
            assert_same(self.harness.rows(mart), rows, f"{mart}, {when}")


def assert_same(found: list[dict[str, Any]], expected: list[dict[str, Any]], what: str) -> None:
    names = sorted(expected[0]) if expected else []
    if expected and found:
        assert sorted(found[0]) == names, what
    there = {tuple(row[name] for name in names) for row in found}
    wanted = {tuple(row[name] for name in names) for row in expected}
    missing, extra = wanted - there, there - wanted
    lines = [f"{what}: {len(missing)} rows missing, {len(extra)} too many of {len(wanted)}"]
    lines += [f"missing {dict(zip(names, row, strict=True))}" for row in list(missing)[:3]]
    lines += [f"too many {dict(zip(names, row, strict=True))}" for row in list(extra)[:3]]
    assert not missing, "\n".join(lines)
    assert not extra, "\n".join(lines)
    assert len(found) == len(expected), f"{what}: rows repeat"


@given(seed=SEEDS)
@ONE_NEW
def test_every_run_gives_what_a_full_refresh_and_the_rules_give(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    story = Story(tmp_path_factory.mktemp("history"))
    for number, step in enumerate(History(seed, organizations=30, runs=4).steps()):
        story.arrive(step.batches)
        story.harness.decide(**step.operational)
        run = story.harness.run(as_of=step.as_of)
        assert run.is_full_refresh == (number == 0)
        story.assert_marts_are(story.expected(step), f"run {number} of seed {seed}")
    story.harness.run(as_of=step.as_of, full_refresh=True)
    story.assert_marts_are(story.expected(step), f"full refresh of seed {seed}")


def test_runs_that_die_before_publishing_leave_nothing_behind(tmp_path: Path) -> None:
    """Each attempt sees other facts and decisions and stops elsewhere; only the last is published.

    What an attempt wrote for a decision that was then taken back must go, too.
    """
    story = Story(tmp_path)
    random = Random(3)
    steps = list(History(3, organizations=30, runs=8).steps())
    for number, step in enumerate(steps):
        story.arrive(step.batches)
        story.harness.decide(**step.operational)
        if number in {0, 4}:
            story.harness.run(as_of=step.as_of)
            taken_back = step.operational
        elif number < len(steps) - 1:
            run = story.harness.begin(as_of=step.as_of)
            story.harness.build(run, f"+{random.choice(('creator_daily', 'video_daily'))}")
    story.harness.decide(**taken_back)
    story.harness.run(as_of=step.as_of)
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
        story.harness.run(as_of=step.as_of)
        story.assert_marts_are(story.expected(step), f"as of {step.as_of}")


def test_a_backfill_mends_the_days_that_it_names(tmp_path: Path) -> None:
    """Rows that were lost inside the range come back; rows outside it are left alone."""
    story = Story(tmp_path)
    (step,) = History(6, organizations=20, runs=1).steps()
    story.arrive(step.batches)
    story.harness.decide(**step.operational)
    story.harness.run(as_of=step.as_of)
    with story.harness.connect() as connection:
        for mart in ("video_deltas", "account_snapshots"):
            connection.execute(f"delete from marts.{mart} where captured_at > '2026-03-20'")
        for mart in ("video_daily", "account_daily", "creator_daily", "campaign_daily"):
            connection.execute(f"delete from marts.{mart} where day > '2026-03-21'")
    run = story.harness.run(as_of=step.as_of, from_day=date(2026, 3, 20), to_day=date(2026, 4, 20))
    assert not run.is_full_refresh
    story.assert_marts_are(story.expected(step), "after a backfill")
