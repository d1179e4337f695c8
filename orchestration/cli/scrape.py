"""`tracker scrape`: a worker that fetches what is due; any number can run."""

import asyncio
from collections import Counter
from functools import partial
from typing import Annotated

import typer

from orchestration.cli.alive import show_life_repeatedly
from orchestration.cli.opening import current_store, settings_of_environment
from orchestration.cli.output import OUT, CommandFailed, print_json
from orchestration.cli.progress import ProgressDisplay
from orchestration.cli.run import AsJson, Stay
from orchestration.cli.workers import waits_after
from orchestration.running.progress import OnProgress
from warehouse.operational.clock import WrongClockError
from warehouse.operational.store import OperationalStore
from warehouse.platforms import PLATFORMS
from warehouse.settings import Settings
from warehouse.storage.storage import StorageAwayError

Seconds = Annotated[
    float, typer.Option("--every", min=1, help="Seconds between ticks, with --stay.")
]


def scrape(stay: Stay = False, every: Seconds = 60.0, as_json: AsJson = False) -> None:
    """Fetch due accounts and posts and queued scrape jobs, and land the readings.

    Runs on any machine that reaches PostgreSQL and the landing folder; two workers never fetch the
    same. `tracker up` or the next `tracker run` computes landed data where the warehouse is. If
    one is killed, the others take over its fetches.

    Examples: `tracker scrape` or `tracker scrape --stay`
    """
    settings = settings_of_environment()
    with current_store(settings) as store, ProgressDisplay() as display:
        outcomes = asyncio.run(_work(settings, store, display, every if stay else None))
    if as_json:
        print_json({"outcomes": outcomes})
        return
    fetches = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items())
    OUT.print(f"fetches     {fetches or 'none'}", soft_wrap=True)


async def _work(
    settings: Settings, store: OperationalStore, on_progress: OnProgress, every: float | None
) -> dict[str, int]:
    """Run one tick, or one every `every` seconds forever; return the counts by outcome.

    A staying worker waits for what is away.
    """
    alive = asyncio.create_task(show_life_repeatedly("scrape"))  # kept: the loop has no reference
    while True:
        try:
            outcomes = await _fetch_platforms(settings, store, on_progress)
        except Exception as error:
            if every is None and isinstance(error, WrongClockError | StorageAwayError):
                raise CommandFailed(f"{error}.") from error
            if every is None or not waits_after(error, "scrape_waits"):
                raise
            outcomes = {}
        if every is None:
            alive.cancel()
            return outcomes
        await asyncio.sleep(every)


async def _fetch_platforms(
    settings: Settings, store: OperationalStore, on_progress: OnProgress
) -> dict[str, int]:
    """Fetch all platforms concurrently; raise the first error once all have ended."""
    # Scraping loads Dagster, which takes seconds; other commands do not load it.
    from orchestration.resources.providers import open_provider  # noqa: PLC0415
    from orchestration.scraping.worker import Scope, fetch_platform  # noqa: PLC0415

    work = partial(
        fetch_platform, open_provider=open_provider, on_progress=on_progress, scope=Scope.DUE
    )
    ended = await asyncio.gather(
        *(work(settings, store, platform) for platform in PLATFORMS), return_exceptions=True
    )
    outcomes = Counter[str]()
    for tally in ended:
        if isinstance(tally, BaseException):
            raise tally
        outcomes += tally.outcomes
    return dict(outcomes)
