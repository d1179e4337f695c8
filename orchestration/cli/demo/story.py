"""The demo's story: who is tracked from when, a sweep a day over three weeks, a build a week."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from orchestration.cli.demo.rest import Rest
from orchestration.cli.demo.truth import Simulator, TrueViews
from orchestration.running.passes import PipelineResult
from orchestration.running.pipeline import run_pipeline, run_scrape
from warehouse.operational.store import OperationalStore
from warehouse.platforms import PLATFORMS
from warehouse.registration.register import register_landed
from warehouse.settings import Settings
from warehouse.zones import start_of

ZONE = "Europe/Berlin"


@dataclass(frozen=True)
class Story:
    """How much of the world is played, and for how long. Each creator is on both platforms.

    What is seen each day is computed every `days_a_build` days. Comments, which take the most
    requests, are collected on the last day alone, by what was published the day before.
    """

    seed: int = 1
    creators: int = 24
    campaign_members: int = 5
    first_pass: datetime = datetime(2026, 9, 1, 6, tzinfo=UTC)
    tracking_start: date = date(2026, 8, 25)
    days: int = 21
    days_a_build: int = 7

    @property
    def tracked_since(self) -> datetime:
        """The first instant of the tracking window: the start date in the organization's zone."""
        return start_of(self.tracking_start, ZONE)

    @property
    def sweeps(self) -> list[datetime]:
        """The instants of the daily sweeps."""
        return [self.first_pass + timedelta(days=day) for day in range(self.days)]

    def is_built(self, number: int) -> bool:
        """Tell whether what was seen up to the day of this number (from 1) is computed on it."""
        return number % self.days_a_build == 0 or number >= self.days - 1


@dataclass(frozen=True)
class Day:
    """A day that was lived through: its number from 1, its looks, and what was built, if at all."""

    number: int
    at: datetime
    looks: int
    built: PipelineResult | None


OnDay = Callable[[Day], None]


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
    new = [_creator(handle, story.tracking_start) for handle in handles]
    made = rest.post(f"/projects/{project['id']}/creators", {"creators": new})
    creators = {handle: creator["id"] for handle, creator in zip(handles, made, strict=True)}
    campaign = rest.post(f"/projects/{project['id']}/campaigns", {"name": "First wave"})
    members = list(handles[: story.campaign_members])
    for handle in members:
        member = {"item_type": "creator", "item_id": creators[handle]}
        rest.post(f"/campaigns/{campaign['id']}/items", member)
    return Cast(project["id"], creators, campaign["id"], members)


def _creator(handle: str, tracking_start: date) -> dict[str, object]:
    tracking = {"handle": handle, "tracking_start_date": tracking_start.isoformat()}
    return {"accounts": [{"platform": platform, **tracking} for platform in PLATFORMS]}


def live_through(
    settings: Settings,
    store: OperationalStore,
    story: Story,
    simulator: Simulator,
    watched: Sequence[TrueViews],
    *,
    on_day: OnDay,
) -> None:
    """Look every day, compute on some, while `watched` notes what is true on each."""
    for number, instant in enumerate(story.sweeps, start=1):
        simulator.set_now(instant)
        for true_views in watched:
            true_views.come_by(simulator, instant.date())
        today = settings.at(instant)
        if story.is_built(number):
            built = run_pipeline(today, comments=number == story.days, recorded=True)
            on_day(Day(number, instant, sum(built.outcomes.values()), built))
        else:
            looks = run_scrape(today, recorded=True)
            register_landed(store, today)
            on_day(Day(number, instant, sum(looks.values()), None))
