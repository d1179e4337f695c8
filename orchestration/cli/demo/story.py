"""The demo's story: who is tracked from when, and a pass a day over three weeks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from orchestration.cli.demo.rest import Rest
from orchestration.cli.demo.truth import PLATFORMS, Simulator, TrueViews
from orchestration.lib.pipeline import run_pipeline
from orchestration.lib.result import PipelineResult
from warehouse.settings import Settings

ZONE = "Europe/Berlin"


@dataclass(frozen=True)
class Story:
    """How much of the world is played, and for how long. Each creator is on both platforms.

    Comments, which take the most requests, are collected on the last `comment_days` alone.
    """

    seed: int = 1
    creators: int = 24
    campaign_members: int = 5
    first_pass: datetime = datetime(2026, 9, 1, 6, tzinfo=UTC)
    tracking_start: date = date(2026, 8, 25)
    days: int = 21
    comment_days: int = 1

    @property
    def tracked_since(self) -> datetime:
        """The first instant of the tracking window: the start date in the organization's zone."""
        return datetime.combine(self.tracking_start, time(), ZoneInfo(ZONE))

    @property
    def passes(self) -> list[datetime]:
        """The instants of the daily passes."""
        return [self.first_pass + timedelta(days=day) for day in range(self.days)]


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
    story: Story,
    simulator: Simulator,
    watched: Sequence[TrueViews],
    *,
    on_pass: Callable[[int, PipelineResult], None],
) -> None:
    """Make the passes, one a day, while `watched` notes what is true on that day."""
    for number, instant in enumerate(story.passes, start=1):
        simulator.set_now(instant)
        for true_views in watched:
            true_views.come_by(simulator, instant.date())
        comments = number > story.days - story.comment_days
        on_pass(number, run_pipeline(settings.at(instant), comments=comments))
