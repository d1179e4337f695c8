"""The plan of looks at very many posts: worked out, brought up to decisions, claimed from."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from time import perf_counter

import psutil
import psycopg

from tests.benchmarks.child import peak_bytes
from tests.benchmarks.world import SQL
from warehouse.clock import fixed_clock
from warehouse.looks.changes import plan_changes
from warehouse.looks.claims import claim_visits, release
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
KIB = 1024
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
    """Seconds by the wall clock, a backend's seconds of processor, and the most it had resident."""

    seconds: float
    cpu_seconds: float = 0.0
    peak_bytes: int = 0


def plan_of(folder: Path, posts: int) -> Iterator[Took]:
    """Make a registry of so many posts; yield what each thing takes that is done with its plan.

    The plan's making; all of it decided anew; the same once more, where nothing becomes another;
    a round behind no decision and behind one on a thousand posts; claiming a thousand visits.
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
        yield _timed(store, _anew)
        yield _timed(store, _anew)
        yield _timed(store, plan_changes)
        _write(store, DECIDED)
        yield _timed(store, plan_changes)
        yield Took(median(_claims(store)))


def _anew(session: WriteSession) -> None:
    session.connection().exec_driver_sql("delete from plan_reach")
    plan_changes(session)


def _timed(store: OperationalStore, work: Callable[[WriteSession], None]) -> Took:
    store.engine.dispose()  # a backend of its own has a high-water mark of its own
    began = perf_counter()
    with store.write_session() as session:
        pid = session.connection().exec_driver_sql("select pg_backend_pid()").scalar_one()
        work(session)
        used = psutil.Process(pid).cpu_times()
        peak = peak_bytes(pid)
    return Took(perf_counter() - began, used.user + used.system, peak)


def _claims(store: OperationalStore) -> Iterator[float]:
    """Yield what it takes to claim visits and to ask which posts they are to read."""
    for _ in range(CLAIMS):
        began = perf_counter()
        claimed = claim_visits(store, "tiktok", CLAIMED)
        yield perf_counter() - began
        assert claimed
        release(store, "tiktok", claimed)


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
