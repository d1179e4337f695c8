"""The demo's story: who is tracked from when, a crawl a day over a month, two builds."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from orchestration.cli.demo.rest import Rest
from orchestration.cli.demo.truth import TrueViews
from orchestration.running.passes import PipelineResult, silent
from orchestration.running.pipeline import run_pipeline
from warehouse.operational.store import OperationalStore
from warehouse.platforms import PLATFORMS
from warehouse.registration.register import register_landed
from warehouse.settings import Settings
from warehouse.zones import start_of

ZONE = "Europe/Berlin"


@dataclass(frozen=True)
class Story:
    """How many creators and days there are. The first `on_both` creators are on both platforms.

    Marts are built on the days of `builds` (from 1), of which the last is the last day: comments
    are collected on it, for the posts of the build before.
    """

    seed: int = 1
    creators: int = 9
    on_both: int = 3
    campaign_members: int = 5
    first_pass: datetime = datetime(2026, 9, 1, 6, tzinfo=UTC)
    tracking_start: date = date(2026, 8, 25)
    days: int = 30
    builds: tuple[int, ...] = (22, 30)

    @property
    def tracked_since(self) -> datetime:
        """The first instant of the tracking window: the start date in the organization's zone."""
        return start_of(self.tracking_start, ZONE)

    def platforms(self, number: int) -> Sequence[str]:
        """Return the platforms of a creator, numbered from 0: Instagram takes a fetch a post."""
        return PLATFORMS if number < self.on_both else ["tiktok"]

    def true_views(self, handles: Sequence[str]) -> TrueViews:
        """Return the views to expect of the first creators."""
        accounts = [
            (platform, handle)
            for number, handle in enumerate(handles)
            for platform in self.platforms(number)
        ]
        return TrueViews(accounts, self.tracked_since)

    @property
    def sweeps(self) -> list[datetime]:
        """The instants of the daily sweeps."""
        return [self.first_pass + timedelta(days=day) for day in range(self.days)]


class Today:
    """Business time of the demo, which the API and the store share."""

    def __init__(self, instant: datetime) -> None:
        self._instant = instant

    def __call__(self) -> datetime:
        """Return the present instant."""
        return self._instant

    def move(self, instant: datetime) -> None:
        """Go on to an instant."""
        self._instant = instant


@dataclass(frozen=True)
class Day:
    """A day that is over: its number from 1, its fetches, and the build, if there was one."""

    number: int
    at: datetime
    fetches: int
    built: PipelineResult | None


@dataclass(frozen=True)
class Cast:
    """What was created: the project, the creators by handle, the campaign of the first of them."""

    project_id: str
    creators: dict[str, str]
    campaign_id: str
    campaign_members: list[str]


def create_cast(rest: Rest, story: Story, organization_id: str, handles: Sequence[str]) -> Cast:
    """Create everything through the REST API, as a user would."""
    project = rest.post(f"/organizations/{organization_id}/projects", {"name": "Autumn launch"})
    new = [{"accounts": _accounts(story, handle, number)} for number, handle in enumerate(handles)]
    made = rest.post(f"/projects/{project['id']}/creators", {"creators": new})
    creators = {handle: creator["id"] for handle, creator in zip(handles, made, strict=True)}
    campaign = rest.post(f"/projects/{project['id']}/campaigns", {"name": "First wave"})
    members = list(handles[: story.campaign_members])
    for handle in members:
        member = {"item_type": "creator", "item_id": creators[handle]}
        rest.post(f"/campaigns/{campaign['id']}/items", member)
    return Cast(project["id"], creators, campaign["id"], members)


def _accounts(story: Story, handle: str, number: int) -> list[dict[str, object]]:
    tracking = {"handle": handle, "tracking_start_date": story.tracking_start.isoformat()}
    return [{"platform": platform, **tracking} for platform in story.platforms(number)]


def live_through(
    settings: Settings, store: OperationalStore, story: Story, go_to: Callable[[datetime], None]
) -> Iterator[Day]:
    """Scrape every day and build on some; `go_to` moves the clocks of all others."""
    for number, instant in enumerate(story.sweeps, start=1):
        go_to(instant)
        now = settings.at(instant)
        if number in story.builds:
            built = run_pipeline(now, comments=number == story.days, recorded=True)
            yield Day(number, instant, sum(built.outcomes.values()), built)
        else:
            outcomes = asyncio.run(scrape(now, store))
            register_landed(store, now)
            yield Day(number, instant, outcomes.total(), None)


async def scrape(settings: Settings, store: OperationalStore) -> Counter[str]:
    """Fetch both platforms at the same time, as Dagster's assets do; return the outcomes."""
    from orchestration.resources.providers import open_provider  # noqa: PLC0415  loads Dagster
    from orchestration.scraping.worker import Scope, look_at  # noqa: PLC0415

    tallies = await asyncio.gather(
        *(
            look_at(settings, store, platform, open_provider, silent, Scope.EVERYTHING)
            for platform in PLATFORMS
        )
    )
    return sum((tally.outcomes for tally in tallies), Counter[str]())
