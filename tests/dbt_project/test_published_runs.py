"""Untouched facts are published without a check, and each publication equals the marts."""

from datetime import UTC, date, datetime, timedelta
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

import duckdb
import pytest

from tests.dbt_project.harness import Harness, selected
from tests.dbt_project.histories import BEGIN, LAST, ORGANIC, History, Row, Step
from tests.dbt_project.payout_histories import PayoutHistory
from tests.dbt_project.published_facts import LATER, first_days, publish_marts, untouched_facts
from tests.dbt_project.stories import Story, as_copied, assert_same
from tests.doses import TRIED_SEED, dose
from warehouse.control import Run, touched
from warehouse.publication.facts import BIG_FACTS

pytestmark = pytest.mark.slow

MUCH_LATER = 2 * LATER

ORGANIZATIONS = dose(small=3, full=10)
RUNS = dose(small=5, full=14)
UNPUBLISHED = 3
"""The run that dies before its publication."""

NEEDED = selected(*(fact.name for fact in BIG_FACTS), "payout_accruals")
"""Models that runs build after the first, which builds all that a publication contains."""


class PunctualHistory(PayoutHistory):
    """Few facts are late, so that runs leave some facts untouched."""

    STRAYS = 0.02


def build(harness: Harness, step: Step) -> Run:
    """Build the marts of a step without publishing them."""
    for batch in step.batches:
        harness.ingest(**batch)
    harness.decide(**as_copied(step.operational))
    run = harness.begin(as_of=step.as_of)
    harness.build(run, *(() if run.is_full_refresh else NEEDED))
    return run


HOUR = timedelta(hours=1)


class HourlyHistory(PunctualHistory):
    """Runs of one UTC day, an hour apart, with many facts in its last hours."""

    STRAYS = 0.005

    def as_of(self, run: int) -> datetime:
        return LAST + HOUR * run

    def last(self) -> datetime:
        return LAST + HOUR * self.runs

    def instant(self) -> datetime:
        if self.sometimes(0.5):
            return super().instant()
        return LAST + timedelta(minutes=self.random.randrange(-36 * 60, 60 * self.runs))

    def change_decisions(self) -> None:
        if self.sometimes(0.25):
            super().change_decisions()


def test_publications_of_a_day_equal_the_marts(tmp_path: Path) -> None:
    """Facts touched in the last days are read from the base, others up to an earlier day."""
    harness = Harness(tmp_path)
    incremental, whole = set[str](), set[str]()
    history = HourlyHistory(TRIED_SEED, organizations=ORGANIZATIONS, runs=RUNS)
    for number, step in enumerate(history.steps()):
        run = build(harness, step)
        if number:
            days = first_days(harness)
            tails = {fact.name: (step.as_of - fact.unsettled).date() for fact in BIG_FACTS}
            incremental |= {fact for fact, day in days.items() if tails[fact] <= day < date.max}
            whole |= {fact for fact, day in days.items() if day < tails[fact]}
        if number != UNPUBLISHED:
            publish_marts(harness, step.as_of, "payout_accruals")
            harness.promote(run)
    assert incremental >= {"video_deltas", "video_daily", "creator_daily"}
    assert whole


class Turn(NamedTuple):
    """An hour in which a zone's month differs from UTC's, or has just begun."""

    zone: str
    begins_at: datetime


TURNS = (
    Turn("Pacific/Auckland", datetime(2025, 12, 31, 11, tzinfo=UTC)),
    Turn("Asia/Tokyo", datetime(2025, 12, 31, 15, tzinfo=UTC)),
    Turn("Asia/Kathmandu", datetime(2026, 1, 31, 18, 15, tzinfo=UTC)),
    Turn("Pacific/Honolulu", datetime(2026, 2, 1, 6, tzinfo=UTC)),
)
"""The first hours of a month east of UTC, and the last hour of a month west of it."""

ANALYTICS = (
    "run",
    "+creator_daily",
    "+creator_quarter_hours",
    "+campaign_daily",
    "+campaign_quarter_hours",
)


class TurningHistory(History):
    """Readings before the first run, and then in each turn only in its zone."""

    ZONES = tuple(turn.zone for turn in TURNS)
    READINGS = (12,)
    STRAYS = 0

    def as_of(self, run: int) -> datetime:
        return TURNS[0].begins_at if run == 1 else TURNS[run - 2].begins_at + HOUR

    def last(self) -> datetime:
        return TURNS[-1].begins_at + HOUR

    def add_organization(self) -> None:
        number = len(self.operational["organizations"])
        self.turn = TURNS[number % len(TURNS)]
        super().add_organization()
        self.operational["organizations"][-1]["analytics_tz"] = self.turn.zone

    def add_video(self, owned: Row, accounts: list[Row]) -> UUID:
        """Add a counted post with an owner and without a day.

        A post that is added after its readings would touch both days.
        """
        video, account = super().add_video(owned, accounts), accounts[0]
        self.operational["videos"][-1] |= {
            "account_id": account["id"],
            "creator_id": account["creator_id"],
            "tracking_status": "included",
            "posted_at": None,
        }
        return video

    def instant(self) -> datetime:
        within = timedelta(minutes=self.random.randrange(60))
        before = TURNS[0].begins_at - timedelta(days=self.random.randrange(1, 20))
        return self.random.choice((before, self.turn.begins_at + within))

    def change_decisions(self) -> None:
        """Decide nothing: a decision would touch earlier days."""


def gained_in(harness: Harness, turn: Turn) -> bool:
    """Return whether a creator gained anything in the turn's hour."""
    quarters = [row["quarter_at"] for row in harness.rows("creator_quarter_hours")]
    return any(turn.begins_at <= quarter < turn.begins_at + HOUR for quarter in quarters)


def test_without_runs_anything_may_have_changed() -> None:
    with duckdb.connect() as warehouse:
        assert touched.touched_from(warehouse, touched.FIRST_DAY, None) == {}


def test_a_turn_of_month_or_year_is_published_in_any_zone(tmp_path: Path) -> None:
    """Its first hours are in UTC's previous month, or its last ones in UTC's next month."""
    story = Story(tmp_path)
    history = TurningHistory(0, organizations=len(TURNS), runs=1 + len(TURNS))
    for number, step in enumerate(history.steps()):
        story.arrive(step.batches)
        story.harness.decide(**step.operational)
        run = story.harness.begin(as_of=step.as_of)
        story.harness.build(run, *(ANALYTICS if number else ()))
        if number:
            touches = step.as_of - timedelta(days=3)
            assert set(untouched_facts(story.harness, touches)) == set(touched.FIRST_DAY)
            assert gained_in(story.harness, TURNS[number - 1])
        publish_marts(story.harness, step.as_of + MUCH_LATER)
        story.harness.promote(run)
        expected = story.expected(step)
        for mart in touched.FIRST_DAY.keys() & expected.keys():
            assert_same(story.harness.rows(mart), expected[mart], f"{mart}, run {number}")


def test_counts_continue_after_readings_of_another_meaning(tmp_path: Path) -> None:
    """After a run with only organic views, the next run continues from the count before them."""
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
