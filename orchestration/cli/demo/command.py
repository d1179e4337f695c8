"""`tracker demo`: plays the story, compares answers with the simulator, prints next steps."""

import json
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from shlex import quote
from typing import Annotated
from uuid import UUID

import typer
from duckdb import DuckDBPyConnection
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from orchestration.cli.children import Children
from orchestration.cli.demo import stage
from orchestration.cli.demo.answers import Question, ask, show
from orchestration.cli.demo.money import ask_for_money, balance_of
from orchestration.cli.demo.program import ON_BOTH, Program, start_program, start_small_program
from orchestration.cli.demo.rest import Rest
from orchestration.cli.demo.story import ZONE, Day, Month, Story, Today
from orchestration.cli.opening import settings_of_environment
from orchestration.cli.output import ERR, OUT, print_json, say
from orchestration.cli.ports import preferred_port
from orchestration.cli.run import AsJson
from orchestration.cli.simulate import ONLY_WEB, sites_at
from serving_api.passwords import hash_password
from warehouse.operational.organizations import NewOrganization, create_organization
from warehouse.operational.store import OperationalStore
from warehouse.operational.users import set_password
from warehouse.publication.current import CurrentPublication
from warehouse.removed_settings import given_variables
from warehouse.settings import ENV_FILE, Settings

COSTS = "select sum(cost_cents) as cents, sum(tracked_views) as views from marts.costs_and_results"


@contextmanager
def publication_of(settings: Settings) -> Iterator[DuckDBPyConnection]:
    with (
        closing(CurrentPublication(settings.publications_path)) as current,
        current.cursor() as publication,
    ):
        yield publication


def examples(settings: Settings, program: Program) -> dict[str, str]:
    """Return what the three example commands answer, in a few words."""
    with publication_of(settings) as publication:
        [(cents, views)] = publication.execute(COSTS).fetchall()
    balance = program.rest.get(balance_of(program))["balance_cents"]
    [budget] = program.rest.get("/budgets")
    exposure = program.rest.get(f"/budgets/{budget['id']}")["exposure"]
    spent, committed = exposure["paid_cents"] / 100, exposure["exposure_cents"] / 100
    return {
        "sql": f"${cents / 100:,.2f} for {views:,} views",
        "rest": f"{program.handles[ON_BOTH]} is owed ${balance / 100:,.2f}",
        "mcp": f"the budget: ${spent:,.2f} paid, ${committed:,.2f} committed",
    }


ADMIN, PASSPHRASE = "admin@demo.invalid", "a month of posts"
"""The demo's sign-in, on this machine only."""
SIGN_IN = f"{ADMIN}, password: {PASSPHRASE}"
ORGANIZATIONS = (("Acme", ZONE), ("Northwind", "America/New_York"))
DESK_PORT = 8000
CREATORS = 15
"""How many handles of the simulated world the program needs."""


class Bar(Progress):
    """The demo's progress bar; a line for each build where stderr is no terminal."""

    def __init__(self, days: int) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(bar_width=24), TimeElapsedColumn())
        super().__init__(*columns, console=ERR, disable=not ERR.is_terminal)
        self._days, self._fetches = days, 0
        self._bar = self.add_task("Starting", total=days)

    def begin(self, step: str) -> None:
        self.update(self._bar, description=step)
        if not ERR.is_terminal:
            say(step)

    def end_day(self, day: Day) -> None:
        self._fetches += day.fetches
        self.update(self._bar, completed=day.number)
        if day.built:
            seconds = sum(day.built.seconds.values())
            say(
                f"{day.at:%Y-%m-%d}  {self._fetches:,} fetches in {day.number} of {self._days} "
                f"days; built and published in {seconds:.0f} s"
            )


@dataclass(frozen=True)
class Played:
    """What a demo leaves behind: the answers, and what is needed for more requests."""

    questions: list[Question]
    program: Program
    examples: dict[str, str]


def demo(
    as_json: AsJson = False,
    serve: Annotated[
        bool, typer.Option("--serve/--no-serve", help="Serve the desk at the end, until Ctrl-C.")
    ] = True,
) -> None:
    """Play a simulated month: scrape over HTTP, build, publish, ask, and serve the desk.

    All data is made up and stays on this machine, in ./data/demo unless TRACKER_HOME is set.

    Examples: `tracker demo`, or for scripts `tracker demo --no-serve`
    """
    began = time.monotonic()
    settings, story = stage.fresh_home(settings_of_environment()), Story()
    played = play(settings, story)
    if as_json:
        print_json([asdict(question) for question in played.questions])
    else:
        show(OUT, played.questions)
        port = preferred_port(DESK_PORT) if serve else None
        print_examples(settings, story, played, port)
        say(f"Done in {time.monotonic() - began:.0f} s.")
        if port:
            stage.serve_desk(settings.at(story.crawls[-1]), port, SIGN_IN)


def play(settings: Settings, story: Story) -> Played:
    """Play a story in an empty folder: create, scrape day by day, build, serve, ask."""
    today = Today(story.first_run - timedelta(hours=1))
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
            larger = _organization(store, *ORGANIZATIONS[0])
            smaller = _organization(store, *ORGANIZATIONS[1], existing=larger.user_id)
            loaded.result()
            with (
                stage.api(settings, store) as origin,
                closing(Rest(origin, larger.api_key)) as rest,
                closing(Rest(origin, smaller.api_key)) as other,
            ):
                stage.wait_for(child, simulator)
                simulator.set_now(story.first_run)
                world = simulator.handles_on_both(CREATORS)
                bar.begin("Creating two organizations over REST")
                program = start_program(rest, larger, world)
                start_small_program(other, smaller, world)
                bar.begin("A month of days")
                run = Month(settings, store, story, simulator, today, program, bar.begin)
                for day in run.days():
                    bar.end_day(day)
                bar.begin("Fetching pictures")
                stage.fetch_pictures(settings, store)
                bar.begin("Asking for views and money")
                questions = ask(program, story, run.creator, run.campaign)
                with publication_of(settings) as publication:
                    questions += ask_for_money(program, publication, run.creator, today().date())
                return Played(questions, program, examples(settings, program))


def _organization(
    store: OperationalStore, name: str, zone: str, existing: UUID | None = None
) -> NewOrganization:
    with store.write_session() as session:
        made = create_organization(
            session,
            name=name,
            plan="ultra",
            analytics_tz=zone,
            admin_email=ADMIN,
            existing=existing,
            project_name="Autumn",
        )
        set_password(session, ADMIN, hash_password(PASSPHRASE))
    return made


def print_examples(
    settings: Settings, story: Story, played: Played, port: int | None = None
) -> None:
    """Print commands to try next, in order in one shell; they serve the desk if no port does."""
    then, host = story.crawls[-1].isoformat(), f"http://127.0.0.1:{port or DESK_PORT}"
    programs, home = quote(str(Path(sys.executable).parent)), quote(str(settings.home_path))
    program, world = played.program, "http://127.0.0.1:9000"
    key = '-H "Authorization: Bearer $KEY"'
    call = {"name": "budgets_list", "arguments": {}}
    message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
    as_json = "-H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream'"
    ignored = {name: ONLY_WEB[name] for name in ONLY_WEB.keys() & given_variables(ENV_FILE).keys()}
    sites = " ".join(f"{name}={value}" for name, value in (sites_at(world) | ignored).items())
    serving = [
        f"tracker serve &  # the desk: {host}/desk, {SIGN_IN}",
        "tracker run --no-scrape  # publishes what was changed at the desk",
    ]
    OUT.print(f"\n[bold]Next steps{', in another shell' if port else ''}[/bold]")
    exported = f"TRACKER_HOME={home} TRACKER_NOW={then} KEY={program.organization.api_key}"
    for line in (
        f'export PATH={programs}:"$PATH" {exported}',
        *([] if port else serving),
        f'tracker sql "{COSTS}"  # {played.examples["sql"]}',
        f"curl -s {key} {host}/api/v2{balance_of(program)}  # {played.examples['rest']}",
        f"curl -s {key} {as_json} -d '{message}' {host}/api/mcp  # {played.examples['mcp']}",
        "# after Ctrl-C there:" if port else "kill %1",
        f"tracker simulate --seed {story.seed} {' '.join(stage.WORLD)} --now {then} &",
        f"{sites} tracker up  # all of it live: the desk as above, runs at http://127.0.0.1:3000",
    ):
        OUT.print(f"  {line}", soft_wrap=True, highlight=False, markup=False)
