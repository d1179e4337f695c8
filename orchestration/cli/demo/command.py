"""`tracker demo`: sets the stage, lives through the story, asks, and says where to look next."""

import sys
import time
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import Self

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from orchestration.cli.children import Children
from orchestration.cli.demo import stage
from orchestration.cli.demo.answers import Question, ask, show
from orchestration.cli.demo.story import ZONE, Cast, Day, Story, create_cast, live_through
from orchestration.cli.demo.truth import TrueViews
from orchestration.cli.opening import settings_of_environment
from orchestration.cli.output import ERR, OUT, print_json, say
from orchestration.cli.run import AsJson
from warehouse.operational.organizations import NewOrganization, create_organization
from warehouse.operational.store import OperationalStore
from warehouse.platforms import PLATFORMS
from warehouse.settings import Settings

ADMIN, PASSPHRASE = "admin@demo.invalid", "three weeks of looks"
"""Who signs in to what is made up, on this machine alone."""
WHAT_A_LOOK_IS = (
    "A look is one question to a platform: a profile, an account's posts, or one post's counters"
)


class Days:
    """The days of a story, while they are lived through."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._looks = 0
        self._display = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TimeElapsedColumn(),
            console=ERR,
            disable=not ERR.is_terminal,
        )
        self._task = self._display.add_task(f"day 1 of {total}", total=total)

    def __enter__(self) -> Self:
        self._display.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._display.stop()

    def tell(self, day: Day) -> None:
        """Tell of a day that is over."""
        self._looks += day.looks
        following = min(day.number + 1, self._total)
        told = f"day {following} of {self._total}"
        self._display.update(self._task, completed=day.number, description=told)
        if day.built is None:
            return
        took = sum(day.built.seconds.values())
        say(
            f"{day.at:%Y-%m-%d}  day {day.number:>2} of {self._total}: {self._looks:,} looks since "
            f"the last build; computed and published in {took:.0f} s"
        )
        self._looks = 0


@dataclass(frozen=True)
class Played:
    """What a demo leaves behind: the answers, and what it takes to ask more."""

    questions: list[Question]
    organization: NewOrganization
    cast: Cast


def demo(as_json: AsJson = False) -> None:
    """Play three simulated weeks: scrape over HTTP, compute, publish, serve, ask.

    Everything is made up and stays on this machine, in ./data/demo unless TRACKER_HOME says
    otherwise.

    Example: `tracker demo`
    """
    began = time.monotonic()
    settings, story = stage.fresh_home(settings_of_environment()), Story()
    played = play(settings, story)
    if as_json:
        print_json([asdict(question) for question in played.questions])
    else:
        show(OUT, played.questions)
        say_where_to_look_next(settings, story, played)
    say(f"Done in {time.monotonic() - began:.0f} s.")


def play(settings: Settings, story: Story) -> Played:
    """Play a story in an empty folder: create, scrape and compute day by day, serve, ask."""
    say("Starting the simulated platforms, PostgreSQL and the API")
    with (
        Children(settings.home_path / "logs") as children,
        stage.simulator(children, story.seed) as simulator,
    ):
        simulator.set_now(story.first_pass)
        settings = stage.facing(settings, simulator).at(story.first_pass - timedelta(hours=1))
        with stage.database(settings) as store:
            organization = _organization(store)
            with stage.api(children, "api", settings, organization.api_key) as rest:
                handles = simulator.handles_on_both(story.creators)
                cast = create_cast(rest, story, str(organization.organization_id), handles)
            creator = TrueViews(cast.campaign_members[:1], story.tracked_since)
            campaign = TrueViews(cast.campaign_members, story.tracked_since)
            say(WHAT_A_LOOK_IS)
            watched = [creator, campaign]
            with Days(story.days) as days:
                live_through(settings, store, story, simulator, watched, on_day=days.tell)
            end = settings.at(story.sweeps[-1])
            with stage.api(children, "api-at-the-end", end, organization.api_key) as rest:
                return Played(ask(rest, story, cast, creator, campaign), organization, cast)


def _organization(store: OperationalStore) -> NewOrganization:
    with store.write_session() as session:
        return create_organization(
            session, name="Demo", plan="starter", analytics_tz=ZONE, admin_email=ADMIN
        )


def say_where_to_look_next(settings: Settings, story: Story, played: Played) -> None:
    """Print commands that work as they stand, one after the other, in the same shell."""
    tracker, python = (Path(sys.executable).with_name(name) for name in ("tracker", "python"))
    then = story.sweeps[-1].isoformat()
    day, world = f"TRACKER_HOME={settings.home_path} TRACKER_NOW={then}", "http://127.0.0.1:9000"
    current = settings.publications_path / "current.duckdb"
    OUT.print("\n[bold]Where to look next[/bold]")
    for line in (
        "# the API on the last simulated day; its documentation is at http://127.0.0.1:8000/docs",
        f"{day} {tracker} serve & served=$!",
        "curl --silent --retry 20 --retry-connrefused \\",
        f'  -H "Authorization: Bearer {played.organization.api_key}" \\',
        f'  "http://127.0.0.1:8000/api/v2{played.questions[0].request}"; kill $served',
        "# the same numbers in SQL",
        f"{python} -c \"import duckdb; duckdb.connect('{current}', read_only=True)\\",
        "  .sql('from marts.creator_daily order by day desc limit 10').show()\"",
        "# a password for the desk",
        f"echo '{PASSPHRASE}' | {day} {tracker} user set-password {ADMIN}",
        "# everything live on that day: the passes above are at http://127.0.0.1:3000, and",
        f"# {ADMIN} signs in with that password at http://127.0.0.1:8000/desk",
        f"{tracker} simulate --seed {story.seed} --creators {stage.CREATORS_IN_WORLD} \\",
        f"  --now {then} & simulated=$!",
        f"{day} \\",
        *(f"  TRACKER_{name.upper()}_BASE_URL={world}/{name} \\" for name in PLATFORMS),
        f"  {tracker} up; kill $simulated",
    ):
        OUT.print(f"  {line}", soft_wrap=True, highlight=False, markup=False)
