"""A node's thread that fetches each new publication when PostgreSQL notifies it.

Shards are independent: a damaged publication of one delays no other. While PostgreSQL or the
bucket is unavailable, the last publications are served, and this is logged once.
"""

import math
import os
import select
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

import duckdb
import psycopg
import structlog
from sqlalchemy.exc import SQLAlchemyError

from warehouse.clock import Clock, system_clock
from warehouse.landing.bucket import open_landing_bucket
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.publication.errors import DamagedPublicationError
from warehouse.publication.retention import give_up
from warehouse.publication.shared.fetching import EarlierPublicationError, fetch
from warehouse.publication.shared.nodes import takes, write_not_fetched
from warehouse.publication.shared.pointer import CHANNEL, Pointer, pointers
from warehouse.settings import MAIN_SHARD, Settings
from warehouse.shards.whereabouts import is_requested, note_served_by
from warehouse.storage.bucket import BucketStorage
from warehouse.storage.storage import StorageAwayError

log = structlog.get_logger(__name__)

POLL_SECONDS = 5.0
"""How often to look for a publication, because some connection pools drop notifications."""

LONGEST_PAUSE_SECONDS = 300.0
"""A damaged publication is fetched again after 10 s, then twice as long, up to this."""

_EXPECTED = (
    *(StorageAwayError, DamagedPublicationError, EarlierPublicationError),
    *(duckdb.Error, OSError),
)
AWAY = (psycopg.Error, SQLAlchemyError, OSError)


@contextmanager
def following(
    settings: Settings,
    real_clock: Clock = system_clock,
    monotonic: Callable[[], float] = time.monotonic,
) -> Iterator[None]:
    """Fetch new publications built elsewhere during the block, if there is a bucket.

    Raises OperationalStoreError.
    """
    bucket = open_landing_bucket(settings)
    if bucket is None:
        yield
        return
    with operational_store(settings) as store:
        follower = _Follower(settings, store, bucket, real_clock, monotonic)
        thread = Thread(target=follower.follow, name="publications", daemon=True)
        thread.start()
        try:
            yield
        finally:
            follower.end()
            thread.join()


@dataclass(frozen=True)
class _Failure:
    """Why a publication could not be fetched. It is not fetched again before `again_at`."""

    error: Exception
    pause: float
    again_at: float

    @classmethod
    def after(cls, error: Exception, last: "_Failure | None", now: float) -> "_Failure":
        """Return the next failure of a publication; `now` and `again_at` are monotonic seconds."""
        pause = 0.0
        if isinstance(error, duckdb.ProgrammingError):
            pause = math.inf  # of a later layout: another fetch would end the same way
        elif isinstance(error, DamagedPublicationError):
            pause = max(2 * (last.pause if last else 0.0), 2 * POLL_SECONDS)
            pause = min(pause, LONGEST_PAUSE_SECONDS)
        return cls(error, pause, now + pause)


class _Follower:
    def __init__(
        self,
        settings: Settings,
        store: OperationalStore,
        bucket: BucketStorage,
        real_clock: Clock,
        monotonic: Callable[[], float],
    ) -> None:
        self._settings = settings
        self._store = store
        self._bucket = bucket
        self._real_clock = real_clock
        self._monotonic = monotonic
        self._away: str | None = None
        self._not_fetched: dict[str, str] = {}
        self._failures: dict[Pointer, _Failure] = {}
        self._ended, self._end = os.pipe()

    def follow(self) -> None:
        """Fetch, then wait for notifications, until `end`."""
        while not self._is_over():
            try:
                self._listen()
            except AWAY as away:
                self._say_once(away)
            except Exception as error:  # without this thread no other publication would come
                self._say_once(error, exc_info=True)

    def end(self) -> None:
        """Let `follow` return after the present fetch."""
        os.write(self._end, b"\0")

    def _listen(self) -> None:
        """Fetch and wait until the end. Raises the error that interrupts it."""
        with psycopg.connect(self._store.dsn, autocommit=True, connect_timeout=10) as listener:
            listener.execute(f"listen {CHANNEL}")
            while True:
                self._fetch()
                ready, _, _ = select.select([self._ended, listener.fileno()], [], [], POLL_SECONDS)
                if self._ended in ready:
                    return
                list(listener.notifies(timeout=0))

    def _fetch(self) -> None:
        with self._store.read_session() as session:
            pointed = pointers(session)
            published = [shard or MAIN_SHARD for shard in pointed]
            note_served_by(self._settings, session, published)
        now = self._real_clock()
        to_serve = {
            shard: pointer
            for shard, pointer in pointed.items()
            if takes(self._settings, shard) and is_requested(self._settings, shard, now)
        }
        errors: dict[str, Exception] = {}
        for shard, pointer in to_serve.items():
            name = shard or MAIN_SHARD
            last = self._failures.get(pointer)
            if last is not None and self._monotonic() < last.again_at:
                errors[name] = last.error
                continue
            try:
                fetch(self._settings.of_shard(name), self._bucket, pointer)
            except Exception as error:  # a fault of one delays no other
                errors[name] = error
                self._failures[pointer] = _Failure.after(error, last, self._monotonic())
        served = set(to_serve.values())
        self._failures = {each: why for each, why in self._failures.items() if each in served}
        self._forget_all_but(to_serve)
        self._note(errors)
        if self._away is not None:
            log.info("publications are followed again")
            self._away = None

    def _note(self, errors: Mapping[str, Exception]) -> None:
        """Log each shard's error once, and its end, and store them for `/readyz`."""
        not_fetched = {shard: str(error) for shard, error in errors.items()}
        if not_fetched == self._not_fetched:
            return
        for shard, error in not_fetched.items():
            if self._not_fetched.get(shard) != error:
                log.warning(
                    "no newer publication can be taken: the last one is served",
                    shard=shard,
                    error=error,
                    exc_info=None if isinstance(errors[shard], _EXPECTED) else errors[shard],
                )
        for shard in self._not_fetched.keys() - not_fetched:
            log.info("publications are followed again", shard=shard)
        write_not_fetched(self._settings, not_fetched)
        self._not_fetched = not_fetched

    def _forget_all_but(self, served: Collection[str | None]) -> None:
        """Stop serving removed or unrequested shards. Their files stay for open readers."""
        for folder in _folders(self._settings.shards_path):
            if folder.name not in served and takes(self._settings, folder.name):
                give_up(self._settings.of_shard(folder.name).publications_path)

    def _say_once(self, error: Exception, *, exc_info: bool = False) -> None:
        if self._away != type(error).__name__:
            self._away = type(error).__name__
            log.warning(
                "no newer publication can be taken: the last one is served",
                error=str(error),
                exc_info=exc_info,
            )

    def _is_over(self) -> bool:
        """Wait a while after an error. Returns whether to end."""
        pause = POLL_SECONDS if self._away else 0
        return bool(select.select([self._ended], [], [], pause)[0])


def _folders(path: Path) -> list[Path]:
    return [folder for folder in path.iterdir() if folder.is_dir()] if path.exists() else []
