"""The demo's story: one crawl a day over a month, and two builds."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from orchestration.cli.demo.deciding import decide, import_late_reading, note_late_reading
from orchestration.cli.demo.program import (
    FIRST_WAVE,
    PAID_FROM,
    TRACKED_FROM,
    Program,
    platforms_of,
)
from orchestration.cli.demo.truth import Simulator, TrueViews
from orchestration.running.pipeline import run_pipeline
from orchestration.running.progress import PipelineResult, silent
from warehouse.operational.store import OperationalStore
from warehouse.platforms import PLATFORMS
from warehouse.registration.register import register_landed
from warehouse.settings import Settings
from warehouse.zones import start_of

ZONE = "Europe/Berlin"


@dataclass(frozen=True)
class Story:
    """The days of a story.

    Marts are built on the days of `builds` (counted from 1); the last of them is the last day.
    Comments are collected on it, for posts of the build before.
    """

    seed: int = 1
    first_run: datetime = datetime(2026, 9, 1, 6, tzinfo=UTC)
    days: int = 30
    builds: tuple[int, ...] = (22, 30)
    late_day: int = 13
    """In the evening of this day a reading is taken that is imported after the first build."""

    @property
    def tracked_since(self) -> datetime:
        """Start of tracking: the start date in the organization's time zone."""
        return start_of(date.fromisoformat(TRACKED_FROM), ZONE)

    @property
    def crawls(self) -> list[datetime]:
        return [self.first_run + timedelta(days=day) for day in range(self.days)]


class Today:
    """Business time of the demo, shared by the API and the store."""

    def __init__(self, instant: datetime) -> None:
        self._instant = instant

    def __call__(self) -> datetime:
        return self._instant

    def move(self, instant: datetime) -> None:
        self._instant = instant


@dataclass(frozen=True)
class Day:
    """A completed day: its number from 1, its fetches, and its build, if any."""

    number: int
    at: datetime
    fetches: int
    built: PipelineResult | None


@dataclass
class Month:
    """A story in progress: crawls, builds, and members' decisions between builds."""

    settings: Settings
    store: OperationalStore
    story: Story
    simulator: Simulator
    today: Today
    program: Program
    on_step: Callable[[str], None]

    def __post_init__(self) -> None:
        """Follow one creator and one campaign in the simulated world."""
        accounts = [
            (platform, self.program.handles[number])
            for number in FIRST_WAVE
            for platform in platforms_of(number)
        ]
        account_count = len(platforms_of(FIRST_WAVE[0]))
        since = self.story.tracked_since
        paid_since = start_of(date.fromisoformat(PAID_FROM), ZONE)
        self.creator = TrueViews(accounts[:account_count], since, paid_since=paid_since)
        self.campaign = TrueViews(accounts, since)

    def days(self) -> Iterator[Day]:
        """Scrape every day; on some days build, and let members decide."""
        late = self.settings.home_path / "late.csv"
        for number, instant in enumerate(self.story.crawls, start=1):
            self._go_to(instant)
            if number == self.story.days:
                import_late_reading(self.program, self.store, self._now, late)
            yield self._day(number)
            if number == self.story.late_day:
                evening = instant.replace(hour=21)
                self.simulator.set_now(evening)
                note_late_reading(self.program, self.simulator, evening, late)
            if number == self.story.builds[0]:
                self.on_step("The other days of the month")
                decide(self.program, instant.date())

    @property
    def _now(self) -> Settings:
        return self.settings.at(self.today())

    def _go_to(self, instant: datetime) -> None:
        self.today.move(instant)
        self.simulator.set_now(instant)
        for views in (self.creator, self.campaign):
            views.come_by(self.simulator, instant.date())

    def _day(self, number: int) -> Day:
        if number in self.story.builds:
            self.on_step(f"Building and publishing {self.today():%Y-%m-%d}")
            built = run_pipeline(self._now, comments=number == self.story.days)
            return Day(number, self.today(), sum(built.outcomes.values()), built)
        outcomes = asyncio.run(scrape(self._now, self.store))
        register_landed(self.store, self._now)
        return Day(number, self.today(), outcomes.total(), None)


async def scrape(settings: Settings, store: OperationalStore) -> Counter[str]:
    """Fetch both platforms at once, as Dagster's assets do. Returns the counts by outcome."""
    from orchestration.resources.providers import open_provider  # noqa: PLC0415  loads Dagster
    from orchestration.scraping.worker import Scope, fetch_platform  # noqa: PLC0415

    tallies = await asyncio.gather(
        *(
            fetch_platform(settings, store, platform, open_provider, silent, Scope.EVERYTHING)
            for platform in PLATFORMS
        )
    )
    return sum((tally.outcomes for tally in tallies), Counter[str]())
