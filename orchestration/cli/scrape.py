"""`tracker scrape`: a worker that fetches what is due; any number can run."""

import asyncio
import socket
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import count
from typing import Annotated, Any, NoReturn, TextIO
from uuid import uuid4

import typer
from sqlalchemy.exc import SQLAlchemyError

from orchestration.cli.alive import show_life_repeatedly
from orchestration.cli.opening import current_store, settings_of_environment
from orchestration.cli.output import OUT, CommandFailed, print_json
from orchestration.cli.progress import ProgressDisplay
from orchestration.cli.run import AsJson, Stay
from orchestration.cli.simulate import refuse_demo
from orchestration.cli.workers import log, waits_after
from orchestration.running.interrupts import run_until_signal
from orchestration.running.progress import OnProgress
from warehouse.landing.folders import make_home
from warehouse.locks import try_lock
from warehouse.operational.clock import WrongClockError
from warehouse.operational.pipeline_signs import show_scraper
from warehouse.operational.store import OperationalStore
from warehouse.platforms import PLATFORMS
from warehouse.settings import Settings
from warehouse.storage.storage import StorageAwayError

Seconds = Annotated[
    float, typer.Option("--every", min=1, help="Seconds between ticks, with --stay.")
]
Outcomes = dict[str, int]
Fetch = Callable[[str], Coroutine[Any, Any, Outcomes]]
OnLife = Callable[[], None]


def scrape(stay: Stay = False, every: Seconds = 60.0, as_json: AsJson = False) -> None:
    """Fetch due accounts and posts and queued scrape jobs, and land the readings.

    Runs on any machine that reaches PostgreSQL and the landing folder; two workers never fetch the
    same. `tracker up` or the next `tracker run` computes landed data where the warehouse is. If
    one is killed, others take over its fetches within 15 minutes.

    Examples: `tracker scrape` or `tracker scrape --stay`
    """
    settings = settings_of_environment()
    refuse_demo(settings)
    with current_store(settings) as store, ProgressDisplay() as display:
        if stay:
            with _named_worker(settings, store) as name:
                fetch = partial(_fetch, settings, store, display)
                run_until_signal(_stay(fetch, every, partial(show_scraper, store, name)))
        outcomes = _fetch_once(partial(_fetch, settings, store, display))
    if as_json:
        print_json({"outcomes": outcomes})
        return
    fetches = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items())
    OUT.print(f"fetches     {fetches or 'none'}", soft_wrap=True)


@contextmanager
def _named_worker(settings: Settings, store: OperationalStore) -> Iterator[str]:
    """Yield this worker's name, and remove its sign of life from PostgreSQL when it ends.

    The first free number of the data folder names it, with the random id of its lock file, so that
    only the successor of a killed one has its name, and its signs of life.
    """
    make_home(settings.home_path)
    for number in count(1):
        path = settings.home_path / f"scraper-{number}"
        with path.with_suffix(".lock").open("a+") as lock:
            if not try_lock(lock):
                continue
            name = f"{socket.gethostname()} {path} {_id_in(lock)}"
            try:
                yield name
            finally:
                with suppress(SQLAlchemyError):
                    show_scraper(store, name, ends=True)
            return


def _id_in(lock: TextIO) -> str:
    """Return the id in a locked file, written once: machines may share host name and path."""
    lock.seek(0)
    if not (lock_id := lock.read()):
        lock_id = uuid4().hex[:8]
        lock.write(lock_id)
        lock.flush()
    return lock_id


def _fetch_once(fetch: Fetch) -> Outcomes:
    try:
        return run_until_signal(_fetch_platforms(fetch))
    except (WrongClockError, StorageAwayError) as error:
        raise CommandFailed(f"{error}.") from error


async def _stay(fetch: Fetch, every: float, on_life: OnLife) -> None:
    """Run each platform's ticks forever, `every` seconds apart, and wait for what is away.

    A platform with much to fetch delays no other.
    """
    alive = asyncio.create_task(show_life_repeatedly("scrape", on_life))
    try:
        await asyncio.gather(*(_repeat(partial(fetch, name), every) for name in PLATFORMS))
    finally:
        alive.cancel()


async def _repeat(tick: Callable[[], Coroutine[Any, Any, Outcomes]], every: float) -> NoReturn:
    has_waited = False
    while True:
        try:
            await tick()
        except Exception as error:
            is_stopped = asyncio.current_task().cancelling()  # type: ignore[union-attr]
            if is_stopped or not waits_after(error, "scrape_waits"):
                raise
            has_waited = True
        else:
            if has_waited:
                log.info("scrape_goes_on")
            has_waited = False
        await asyncio.sleep(every)


async def _fetch_platforms(fetch: Fetch) -> Outcomes:
    """Fetch all platforms concurrently; raise the first error once all have ended."""
    ended = await asyncio.gather(*map(fetch, PLATFORMS), return_exceptions=True)
    outcomes = Counter[str]()
    for fetched in ended:
        if isinstance(fetched, BaseException):
            raise fetched
        outcomes += Counter(fetched)
    return dict(outcomes)


async def _fetch(
    settings: Settings,
    store: OperationalStore,
    on_progress: OnProgress,
    platform: str,
) -> Outcomes:
    # Scraping loads Dagster, which takes seconds; other commands do not load it.
    from orchestration.resources.providers import open_provider  # noqa: PLC0415
    from orchestration.scraping.worker import Scope, fetch_platform  # noqa: PLC0415

    tally = await fetch_platform(settings, store, platform, open_provider, on_progress, Scope.DUE)
    return tally.outcomes
