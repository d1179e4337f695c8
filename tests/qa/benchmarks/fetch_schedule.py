"""The fetch schedule at very many posts: worked out, brought up to decisions, claimed from."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from threading import Event
from time import perf_counter

import psutil
import psycopg

from tests.qa.benchmarks.world import SQL
from warehouse.clock import fixed_clock
from warehouse.fetch_schedule.changes import plan_changes
from warehouse.fetch_schedule.claims import claim_fetches, release
from warehouse.operational.migrations import migrate
from warehouse.operational.session import WriteSession
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.settings import Settings

POSTS = 5_000_000
POSTS_OF_AN_ACCOUNT = 40
ACCOUNTS_OF_AN_ORGANIZATION = 500
CLAIMED = 1_000
CLAIMS = 20
NOW = datetime(2026, 9, 1, 6, tzinfo=UTC)
FETCH_EACH_SECONDS = 0.1
"""How often memory is fetched."""
READ = """
    update post_looks set
        views = 10 ^ ((hashtext(video_id::text) & 1023) / 205.0),
        views_a_day = 10 ^ ((hashtext(video_id::text) >> 10 & 1023) / 255.0);
    update visits
    set looked_at = %(now)s - interval '1 hour' - interval '1 minute' * (hashtext(subject) & 511)
"""
DECIDED = """
    update videos set tracking_disabled = true
    where id in (select id from videos order by id limit 1000)
"""


@dataclass(frozen=True)
class Took:
    """Seconds by the wall clock, and of a backend with its parallel workers, together:

    seconds of processor, and the most that they had resident at once.
    """

    seconds: float
    cpu_seconds: float = 0.0
    peak_bytes: int = 0


def plan_of(folder: Path, posts: int) -> Iterator[Took]:
    """Make a registry of so many posts; yield what each thing takes that is done with its plan.

    The plan's making; all of it decided anew, as by another rule, where everything becomes another
    and where nothing does; all of it gone through, as on another server, who is in it too; a round
    behind no decision and behind one on a thousand posts; claiming a thousand account fetches.
    """
    settings = Settings(home=folder, _env_file=None)
    with operational_store(settings) as opened:
        migrate(opened)
        store = OperationalStore(
            opened.engine, opened.snapshots, opened.autocommit, fixed_clock(NOW)
        )
        _make(store, posts)
        yield _timed(store, plan_changes)
        _write(store, READ)
        yield _timed(store, _by_another_rule)
        yield _timed(store, _by_another_rule)
        yield _timed(store, _on_another_server)
        yield _timed(store, plan_changes)
        _write(store, DECIDED)
        yield _timed(store, plan_changes)
        yield Took(median(_claims(store)))


def _by_another_rule(session: WriteSession) -> None:
    session.connection().exec_driver_sql(
        "update plan_reach set rule = split_part(rule, ' ', 1) || ' another'"
    )
    plan_changes(session)


def _on_another_server(session: WriteSession) -> None:
    session.connection().exec_driver_sql("update plan_reach set origin = 'another'")
    plan_changes(session)


def _timed(store: OperationalStore, work: Callable[[WriteSession], None]) -> Took:
    store.engine.dispose()  # a backend of its own, with nothing resident of what was before
    began = perf_counter()
    with store.write_session() as session:
        pid = session.connection().exec_driver_sql("select pg_backend_pid()").scalar_one()
        backend = Backend(psutil.Process(pid))
        with backend.watched():
            work(session)
    return Took(perf_counter() - began, backend.cpu_seconds, backend.peak_bytes)


class Backend:
    """A process of PostgreSQL's, with the parallel workers that help it for a while."""

    def __init__(self, process: psutil.Process) -> None:
        self._process = process
        self._helper = f"parallel worker for PID {process.pid}"
        self._used: dict[int, float] = {}
        self.peak_bytes = 0

    @property
    def cpu_seconds(self) -> float:
        """What all of them used, as far as it was seen before they ended."""
        return sum(self._used.values())

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Watch them during the block. Memory that is shared counts in parts (PSS)."""
        over = Event()
        with ThreadPoolExecutor(1) as watch:
            watching = watch.submit(self._watch, over)
            try:
                yield
            finally:
                over.set()
        watching.result()

    def _watch(self, over: Event) -> None:
        server = self._process.parents()[0]
        while not over.wait(FETCH_EACH_SECONDS):
            self._fetch([self._process, *server.children()])
        self._fetch([self._process])

    def _fetch(self, processes: Iterable[psutil.Process]) -> None:
        held = 0
        for process in processes:
            with suppress(psutil.Error):
                if process == self._process or self._helper in " ".join(process.cmdline()):
                    used = process.cpu_times()
                    self._used[process.pid] = used.user + used.system
                    held += process.memory_full_info().pss
        self.peak_bytes = max(self.peak_bytes, held)


def _claims(store: OperationalStore) -> Iterator[float]:
    """Yield what it takes to claim account fetches and to ask which posts they are to read."""
    for _ in range(CLAIMS):
        began = perf_counter()
        claimed = claim_fetches(store, "tiktok", CLAIMED)
        yield perf_counter() - began
        assert claimed
        release(store, claimed)


def _make(store: OperationalStore, posts: int) -> None:
    accounts = posts // POSTS_OF_AN_ACCOUNT
    _write(
        store,
        (SQL / "looks.sql").read_text(encoding="utf-8"),
        accounts=accounts,
        posts=POSTS_OF_AN_ACCOUNT,
        organizations=max(1, accounts // ACCOUNTS_OF_AN_ORGANIZATION),
    )


def _write(store: OperationalStore, script: str, **values: int) -> None:
    with psycopg.connect(store.dsn, autocommit=True) as connection:
        with connection.transaction(), psycopg.ClientCursor(connection) as cursor:
            cursor.execute(script.encode(), {"now": NOW, **values})
        connection.execute("vacuum analyze")
        connection.execute("checkpoint")
