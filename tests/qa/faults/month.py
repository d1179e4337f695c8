"""An installation under every fault: its processes, its kills and its due work.

The API, `tracker up` and a worker run as for an operator, beside PostgreSQL, all by one running
clock, which is moved to the next due time. Every day a process of each kind is killed, the
platforms are away for a while, and a worker has a wrong clock. On some days the version changes.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from unittest.mock import patch
from urllib.parse import quote

import duckdb
import psycopg
import pytest

from orchestration.cli.demo.stage import WORLD
from orchestration.cli.ports import free_port
from tests.fixtures.processes import command_line, descendants, wait_until_answered
from tests.qa.faults.business_clock import BusinessClock
from warehouse.operational import server_programs
from warehouse.operational.server import DATABASE, PORT, SUPERUSER, embedded_server

needs_compiler = pytest.mark.skipif(
    shutil.which("cc") is None, reason="cc is not installed (Debian: apt-get install gcc)"
)
ROUND = timedelta(minutes=10)
GRID = timedelta(hours=1)
"""Work that is due within one such interval is awaited together."""
LONGEST_WAIT = timedelta(hours=3)
DAGSTER = "run_monitoring: {start_timeout_seconds: 43200}"
"""A run may be starting while hours are skipped."""
SEEN = 2
"""The number of checks in a row without due work after which nothing waits."""
PATIENCE_SECONDS = 8
"""Real seconds of waiting after which the clock moves on by another ROUND."""

DUE = """
    select platform || ' ' || subject from visits
    where due_at <= now() or lease_expires_at > now()
    union all
    select 'job ' || id from scrape_jobs where status in ('queued', 'running')
"""
UNPUBLISHED = "select 'change ' || id from unpublished_changes"
NEXT = "select min(due_at) from visits where due_at > now()"


class Interruption(NamedTuple):
    """A fault, this many seconds after the clock was moved."""

    after: float
    happen: Callable[[], None]


class NotIdleError(AssertionError):
    """Due work is not done in time."""


@dataclass
class Played:
    """Kills by kind, and the longest time from a step to its last fetch."""

    kills: Counter[str] = field(default_factory=Counter)
    steps: int = 0
    latest: timedelta = timedelta()
    refusals: int = 0


class Month:
    """An installation below `folder`, with PostgreSQL in `database`."""

    def __init__(self, folder: Path, database: Path, clock: BusinessClock, url: str) -> None:
        self.folder, self.database, self.clock, self.url = folder, database, clock, url
        self.home = folder / "home of it"
        self.played = Played()
        self._parts: dict[str, subprocess.Popen[bytes]] = {}
        self._trees: dict[str, Path] = {}
        self._dagster = folder / "dagster.yaml"
        self._dagster.write_text(DAGSTER, encoding="utf-8")
        self._api, self._ui, self._platforms = free_port(), free_port(), free_port()

    def environment(self, tree: Path, **more: str) -> dict[str, str]:
        """The whole environment of a process of the version in `tree`."""
        sites = {
            f"TRACKER_{name}_BASE_URL": f"http://127.0.0.1:{self._platforms}/{name.lower()}"
            for name in ("TIKTOK", "INSTAGRAM")
        }
        return {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(tree),
            "PYTHONSAFEPATH": "1",
            "TRACKER_HOME": str(self.home),
            "TRACKER_DATABASE_URL": self.url,
            "TRACKER_SCRAPE_REQUESTS_PER_SECOND": "200",
            "TRACKER_COMMENT_REQUESTS_PER_SECOND": "200",
            "TRACKER_DUCKDB_THREADS": "1",
            "TRACKER_DAGSTER_SETTINGS": str(self._dagster),
            **sites,
            **self.clock.environment,
            **more,
        }

    # --- parts ------------------------------------------------------------------------------------

    def start(self, part: str, tree: Path, **more: str) -> None:
        """Start a part in a version, in place of the running one."""
        self.stop(part)
        self._trees[part] = tree
        command = {
            "platforms": ["simulate", "--port", str(self._platforms), *WORLD],
            "api": ["serve", "--port", str(self._api)],
            "worker": ["scrape", "--stay", "--every", "2"],
            "up": ["up", "--no-api", "--ui-port", str(self._ui)],
        }[part]
        with (self.folder / f"{part}.log").open("ab") as log:
            self._parts[part] = subprocess.Popen(
                [sys.executable, "-m", "orchestration.cli", *command],
                env=self.environment(tree, **more),
                stdout=log,
                stderr=log,
            )

    def stop(self, part: str) -> None:
        """End a part by SIGTERM."""
        if part in self._parts:
            process = self._parts.pop(part)
            process.send_signal(signal.SIGTERM)
            process.wait(60)

    def stop_all(self) -> None:
        for part in list(self._parts):
            self.stop(part)

    def _restart_ended(self) -> None:
        """Restart ended parts, as a supervisor does."""
        for part, process in list(self._parts.items()):
            if process.poll() is not None:
                del self._parts[part]
                self.start(part, self._trees[part])

    def start_all(self, tree: Path) -> None:
        for part in ("platforms", "api", "worker", "up"):
            self.start(part, tree)
        wait_until_answered(self.platforms_url, self._parts["platforms"])
        self.wait_for_api()

    def wait_for_api(self) -> None:
        wait_until_answered(self.base_url, self._parts["api"])

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._api}"

    @property
    def platforms_url(self) -> str:
        """The platforms' URL, which answers unless they are away."""
        return f"http://127.0.0.1:{self._platforms}"

    def away(self) -> None:
        self.stop("platforms")

    def back(self) -> None:
        self.start("platforms", self._trees["platforms"])

    def restored(self) -> Path:
        """Restore a backup elsewhere and rebuild everything; return the new home."""
        backup, home = self.folder / "backup", self.database.parent / "untouched"
        elsewhere = {
            "TRACKER_HOME": str(home),
            "TRACKER_DATABASE_URL": "",
            "LD_PRELOAD": "",
            "TRACKER_NOW": as_of_in(self.publication(self.home)).isoformat(),
        }
        tree = self._trees["up"]
        for command, more in (
            (("backup", str(backup)), {}),
            (("restore", str(backup)), elsewhere),
            (("rebuild",), elsewhere),
        ):
            done = self.command(tree, *command, **more)
            assert done.returncode == 0, done
        return home

    def publication(self, home: Path) -> Path:
        return (home / "publications" / "current.duckdb").resolve()

    def command(self, tree: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "orchestration.cli", *arguments],
            env=self.environment(tree, **more),
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )

    # --- time -------------------------------------------------------------------------------------

    def waiting(self, *, to_be_published: bool) -> set[str]:
        """Return due or running fetches and jobs, optionally unpublished batches and changes."""
        queries = (DUE, UNPUBLISHED) if to_be_published else (DUE,)
        with psycopg.connect(self.url, autocommit=True, connect_timeout=5) as connection:
            names = {name for query in queries for (name,) in connection.execute(query)}
        if to_be_published:
            landing = self.home / "landing"
            names |= {str(b) for b in landing.glob("incoming/[!.]*")}
            names |= {str(b) for b in landing.glob("registered/[!.]*")}
        return names

    def next_due(self, at_the_latest: datetime) -> datetime:
        """Return the next due time, rounded up to the grid."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            due = connection.execute(NEXT).fetchall()[0][0] or at_the_latest
        excess = (due - datetime.min.replace(tzinfo=due.tzinfo)) % GRID
        return min(at_the_latest, due - excess + GRID)

    def reach(self, instant: datetime, *meanwhile: Interruption, published: bool = False) -> None:
        """Move the clock on and wait until everything due is done (and published)."""
        self.played.steps += 1
        self.clock.move_to(max(instant, self.clock.now()))
        began = self.clock.now()
        moved = start = time.monotonic()
        still, quiet = list(meanwhile), 0
        while quiet < SEEN or still:
            time.sleep(0.5)
            for interruption in [
                interruption
                for interruption in still
                if time.monotonic() - start >= interruption.after
            ]:
                still.remove(interruption)
                interruption.happen()
                quiet = 0
            self._restart_ended()
            with suppress(psycopg.OperationalError):
                waits = self.waiting(to_be_published=published)
                quiet = 0 if waits else quiet + 1
                waited = self.clock.now() - began
                if waits and waited > LONGEST_WAIT:
                    raise NotIdleError(f"{self.clock.now()}: {waits}")
                patience = PATIENCE_SECONDS * (5 if published else 1)
                if waits and time.monotonic() - moved > patience:
                    moved = time.monotonic()
                    self.clock.move_to(self.clock.now() + ROUND)
        if not published:
            self.played.latest = max(self.played.latest, self.clock.now() - began)

    # --- what goes wrong --------------------------------------------------------------------------

    def kill(self, kind: str) -> None:
        victims = {
            "api": lambda: [self._parts["api"].pid],
            "worker": lambda: [self._parts["worker"].pid],
            "daemon": lambda: self.of_up("dagster-daemon"),
            "code": lambda: self.of_up("grpc"),
            "deliverer": lambda: self.of_up("deliver"),
            "run": self._runs,
            "postgresql": lambda: [_postmaster(self.database)],
        }[kind]()
        for pid in victims:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                self.played.kills[kind] += 1
        if kind == "postgresql":
            with embedded_server(self.database):
                pass

    def of_up(self, word: str) -> list[int]:
        """Return the children of `tracker up` whose command has this word or program."""
        return [
            pid
            for pid in descendants(self._parts["up"].pid)
            if any(Path(part).name == word for part in command_line(pid).split("\0"))
        ]

    def _runs(self) -> list[int]:
        return [pid for code in self.of_up("grpc") for pid in descendants(code)]

    def killed_command(self, tree: Path, seconds: float) -> None:
        """Run the whole pipeline by hand and kill it."""
        command = [sys.executable, "-m", "orchestration.cli", "run", "--no-comments"]
        quiet = subprocess.DEVNULL
        process = subprocess.Popen(command, env=self.environment(tree), stdout=quiet, stderr=quiet)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            self.played.kills["command"] += 1

    def cut_power(self, tree: Path) -> None:
        """Kill every process at once, PostgreSQL included, and start again."""
        pids = [_postmaster(self.database)]
        for part in self._parts.values():
            pids += [part.pid, *descendants(part.pid)]
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.played.kills["everything"] += 1
        for part in self._parts.values():
            part.wait()
        self._parts.clear()
        with embedded_server(self.database):
            self.start_all(tree)

    def wrong_clock(self, tree: Path, off: timedelta) -> None:
        """Run a worker with a wrong clock, which refuses."""
        wrong = BusinessClock(self.database.parent / "wrong", self.clock.now() + off)
        done = self.command(tree, "scrape", "--json", **wrong.environment)
        assert done.returncode == 1, done
        assert "clock" in done.stderr, done
        self.played.refusals += 1


def as_of_in(publication: Path) -> datetime:
    with duckdb.connect(publication, read_only=True) as connection:
        [(as_of,)] = connection.execute("select as_of from marts.publication").fetchall()
    assert isinstance(as_of, datetime)
    return as_of


def _postmaster(database: Path) -> int:
    return int((database / "data" / "postmaster.pid").read_text().splitlines()[0])


@contextmanager
def installed(folder: Path, starts: datetime) -> Iterator[Month]:
    """An empty installation with PostgreSQL on its clock; nothing else runs yet.

    PostgreSQL and the clock need a path that PostgreSQL's user can enter, unlike pytest's folders,
    and without spaces, at which LD_PRELOAD would end.
    """
    with TemporaryDirectory(prefix="tracker-tests-") as open_to_others:
        database = Path(open_to_others) / "postgres"
        clock = BusinessClock(database.parent / "clock", starts)
        with (
            patch.dict(server_programs.ENVIRONMENT, clock.environment),
            embedded_server(database) as socket,
        ):
            month = Month(folder, database, clock, url_of(socket))
            try:
                yield month
            finally:
                month.stop_all()


def url_of(socket: Path) -> str:
    return f"postgresql://{SUPERUSER}@/{DATABASE}?host={quote(str(socket), safe='')}&port={PORT}"
