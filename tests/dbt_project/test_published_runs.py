"""What a run did not touch is published unseen, and each publication holds what the marts do."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

import duckdb
import pytest

from tests.dbt_project.harness import Harness, selected
from tests.dbt_project.histories import BEGIN, LAST, History, Row, Step
from tests.dbt_project.payout_histories import PayoutHistory
from tests.dbt_project.test_incremental import Story, assert_same
from tests.dbt_project.test_payouts import as_copied
from tests.doses import TRIED_SEED, dose
from warehouse.catalogue.models import relation_of
from warehouse.control import Run, touched
from warehouse.publication import base
from warehouse.publication.current import CurrentPublication
from warehouse.publication.facts import BIG_FACTS
from warehouse.publication.layout import current_folder
from warehouse.publication.publish import publish
from warehouse.settings import Settings

LATER = timedelta(days=31)
"""Published a month later, the history's first month is no longer native."""

MUCH_LATER = 2 * LATER

ORGANIZATIONS = dose(small=3, full=10)
RUNS = dose(small=5, full=14)
UNPUBLISHED = 3
"""The run of a day that dies before it is published."""

NEEDED = selected(*(fact.name for fact in BIG_FACTS), "payout_accruals")
"""What runs build after the first, which builds all that a publication has."""


def publish_marts(harness: Harness, as_of: datetime, *others: str) -> None:
    """Publish, and hold the publication to the marts: to those by month and others."""
    settings = Settings(home=harness.folder)
    with harness.connect() as warehouse:
        if current_folder(settings.publications_path):
            assert_published_before(settings, warehouse)
        with pytest.MonkeyPatch.context() as changed:
            changed.setattr(base, "FEW_ROWS", as_of.hour % 2 * base.FEW_ROWS)
            publish(settings, warehouse, as_of=as_of)
        with CurrentPublication(settings.publications_path).cursor() as cursor:
            for mart in (*(fact.name for fact in BIG_FACTS), *others):
                every_row = f"from {relation_of(mart)} order by all"
                assert (
                    cursor.execute(every_row).fetchall() == warehouse.execute(every_row).fetchall()
                )


def assert_published_before(settings: Settings, warehouse: duckdb.DuckDBPyConnection) -> None:
    """Hold the last publication to the marts, up to the first day of each fact that may differ."""
    with CurrentPublication(settings.publications_path).cursor() as cursor:
        [(run_id,)] = cursor.execute("select run_id from marts.run").fetchall()
        first_days = touched.touched_from(warehouse, touched.FIRST_DAY, run_id)
        for fact in BIG_FACTS:
            if fact.name in first_days:
                earlier = fact.between(None, first_days[fact.name])
                rows = f"from {fact.relation} where {earlier} order by all"
                assert cursor.execute(rows).fetchall() == warehouse.execute(rows).fetchall()


def first_days(harness: Harness) -> dict[str, date]:
    """The first day of each fact from which the present marts may differ from those published."""
    with harness.connect() as warehouse:
        [(run_id,)] = warehouse.execute("select run_id from control.published").fetchall()
        return touched.touched_from(warehouse, touched.FIRST_DAY, run_id)


def left_alone(harness: Harness, until: datetime) -> list[str]:
    """The facts that the present marts leave as they were published until after this day."""
    return [fact for fact, first in first_days(harness).items() if first > until.date()]


class PunctualHistory(PayoutHistory):
    """Few facts come late, so that runs leave something as it was."""

    STRAYS = 0.02


def build(harness: Harness, step: Step) -> Run:
    """Build the marts of a step, without publishing them."""
    for batch in step.batches:
        harness.ingest(**batch)
    harness.decide(**as_copied(step.operational))
    run = harness.begin(as_of=step.as_of)
    harness.build(run, *(() if run.is_full_refresh else NEEDED))
    return run


def test_every_publication_holds_what_the_marts_do(tmp_path: Path) -> None:
    """One run dies before it is published, one after that but before it is noted."""
    harness = Harness(tmp_path)
    untouched = []
    history = PunctualHistory(11, organizations=2, runs=4)
    for number, step in enumerate(history.steps()):
        run = build(harness, step)
        if number:
            untouched += left_alone(harness, BEGIN + timedelta(weeks=4))
        if number != 1:
            publish_marts(harness, step.as_of + LATER, "payout_accruals")
        if number not in {1, 2}:
            harness.promote(run)
    assert untouched, "every run touched everything"


HOUR = timedelta(hours=1)


class HourlyHistory(PunctualHistory):
    """Runs of one UTC day, an hour apart, and many facts of its last hours."""

    STRAYS = 0.005

    def as_of(self, run: int) -> datetime:
        return LAST + HOUR * run

    def last(self) -> datetime:
        return LAST + HOUR * self.runs

    def instant(self) -> datetime:
        if self.sometimes(0.5):
            return super().instant()
        return LAST + timedelta(minutes=self.random.randrange(-36 * 60, 60 * self.runs))

    def decide_anew(self) -> None:
        if self.sometimes(0.25):
            super().decide_anew()


def test_publications_of_a_day_hold_what_the_marts_do(tmp_path: Path) -> None:
    """Facts touched in the last days are read from the base, others up to an earlier day."""
    harness = Harness(tmp_path)
    went_on, whole = set[str](), set[str]()
    history = HourlyHistory(TRIED_SEED, organizations=ORGANIZATIONS, runs=RUNS)
    for number, step in enumerate(history.steps()):
        run = build(harness, step)
        if number:
            days = first_days(harness)
            tails = {fact.name: (step.as_of - fact.unsettled).date() for fact in BIG_FACTS}
            went_on |= {fact for fact, day in days.items() if tails[fact] <= day < date.max}
            whole |= {fact for fact, day in days.items() if day < tails[fact]}
        if number != UNPUBLISHED:
            publish_marts(harness, step.as_of, "payout_accruals")
            harness.promote(run)
    assert went_on >= {"video_deltas", "video_daily", "creator_daily"}
    assert whole


class Turn(NamedTuple):
    """An hour, and where clocks show another month in it than UTC, or have just begun a month."""

    zone: str
    begins_at: datetime


TURNS = (
    Turn("Pacific/Auckland", datetime(2025, 12, 31, 11, tzinfo=UTC)),
    Turn("Asia/Tokyo", datetime(2025, 12, 31, 15, tzinfo=UTC)),
    Turn("Asia/Kathmandu", datetime(2026, 1, 31, 18, 15, tzinfo=UTC)),
    Turn("Pacific/Honolulu", datetime(2026, 2, 1, 6, tzinfo=UTC)),
)
"""The first hours of a month east of UTC, and the last one of a month west of it."""

ANALYTICS = (
    "run",
    "+creator_daily",
    "+creator_quarter_hours",
    "+campaign_daily",
    "+campaign_quarter_hours",
)


class TurningHistory(History):
    """What is read before the first run, and then in each turn in its own zone alone."""

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
        """Add a counted post of somebody that is of no day.

        Told of later than of its readings, it would touch both days.
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

    def decide_anew(self) -> None:
        """Decide nothing: that would touch what lies before."""


def gained_in(harness: Harness, turn: Turn) -> bool:
    """Whether anybody gained anything in the turn's hour."""
    quarters = [row["quarter_at"] for row in harness.rows("creator_quarter_hours")]
    return any(turn.begins_at <= quarter < turn.begins_at + HOUR for quarter in quarters)


def test_without_runs_anything_may_have_changed() -> None:
    with duckdb.connect() as warehouse:
        assert touched.touched_from(warehouse, touched.FIRST_DAY, None) == {}


def test_a_turn_of_month_or_year_is_published_wherever_it_is(tmp_path: Path) -> None:
    """Its first hours lie in UTC's month before, or its last ones in UTC's next month."""
    story = Story(tmp_path)
    history = TurningHistory(0, organizations=len(TURNS), runs=1 + len(TURNS))
    for number, step in enumerate(history.steps()):
        story.arrive(step.batches)
        story.harness.decide(**step.operational)
        run = story.harness.begin(as_of=step.as_of)
        story.harness.build(run, *(ANALYTICS if number else ()))
        if number:
            touches = step.as_of - timedelta(days=3)
            assert set(left_alone(story.harness, touches)) == set(touched.FIRST_DAY)
            assert gained_in(story.harness, TURNS[number - 1])
        publish_marts(story.harness, step.as_of + MUCH_LATER)
        story.harness.promote(run)
        expected = story.expected(step)
        for mart in touched.FIRST_DAY.keys() & expected.keys():
            assert_same(story.harness.rows(mart), expected[mart], f"{mart}, run {number}")
