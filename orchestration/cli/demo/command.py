"""`tracker demo`: play the story, compare answers with the simulator, print what to try next."""

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Self

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from orchestration.cli.children import Children
from orchestration.cli.demo import stage
from orchestration.cli.demo.answers import Question, ask, show
from orchestration.cli.demo.rest import Rest
from orchestration.cli.demo.story import ZONE, Cast, Day, Story, Today, create_cast, live_through
from orchestration.cli.opening import settings_of_environment
from orchestration.cli.output import ERR, OUT, print_json, say
from orchestration.cli.run import AsJson
from warehouse.operational.organizations import NewOrganization, create_organization
from warehouse.operational.store import OperationalStore
from warehouse.platforms import PLATFORMS
from warehouse.settings import Settings

ADMIN, PASSPHRASE = "admin@demo.invalid", "a month of posts"
"""Who signs in to what is made up, on this machine alone."""


class Bar:
    """The progress bar of a demo; where stderr is no terminal, a line for each build."""

    def __init__(self, days: int) -> None:
        self._display = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TimeElapsedColumn(),
            console=ERR,
            disable=not ERR.is_terminal,
        )
        self._days, self._fetches = days, 0
        self._task = self._display.add_task("Starting", total=days)

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

    def begin(self, step: str) -> None:
        """Show what happens now."""
        self._display.update(self._task, description=step)

    def end_day(self, day: Day) -> None:
        """Show that a day is over."""
        self._fetches += day.fetches
        self._display.update(self._task, completed=day.number)
        if day.built:
            seconds = sum(day.built.seconds.values())
            say(
                f"{day.at:%Y-%m-%d}  {self._fetches:,} fetches in {day.number} of {self._days} "
                f"days; built and published in {seconds:.0f} s"
            )


@dataclass(frozen=True)
class Played:
    """What a demo leaves behind: the answers, and what it takes to ask more."""

    questions: list[Question]
    organization: NewOrganization
    cast: Cast


def demo(as_json: AsJson = False) -> None:
    """Play a simulated month: scrape over HTTP, build, publish, serve, ask.

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
    """Play a story in an empty folder: create, scrape day by day, build, serve, ask."""
    today = Today(story.first_pass - timedelta(hours=1))
    with (
        Bar(story.days) as bar,
        Children(settings.home_path / "logs") as children,
        ThreadPoolExecutor(1) as beside,
    ):
        bar.begin("Starting the simulator, PostgreSQL and the API")
        child, simulator = stage.start_simulator(children, story.seed)
        loaded = beside.submit(stage.load_programs)
        settings = stage.facing(settings, simulator).at(today())
        with stage.database(settings, today) as store, closing(simulator):
            organization = _organization(store)
            loaded.result()
            with (
                stage.api(settings, store) as origin,
                closing(Rest(origin, organization.api_key)) as rest,
            ):
                stage.wait_for(child, simulator)
                simulator.set_now(story.first_pass)
                handles = simulator.handles_on_both(story.creators)
                cast = create_cast(rest, story, str(organization.organization_id), handles)
                creator = story.true_views(cast.campaign_members[:1])
                campaign = story.true_views(cast.campaign_members)

                def go_to(instant: datetime) -> None:
                    today.move(instant)
                    simulator.set_now(instant)
                    for true_views in (creator, campaign):
                        true_views.come_by(simulator, instant.date())

                for day in live_through(settings, store, story, go_to):
                    bar.end_day(day)
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
