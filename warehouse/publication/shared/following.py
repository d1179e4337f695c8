"""A node's thread that takes each new publication as soon as PostgreSQL tells of it.

What is served stays what it is while PostgreSQL or the bucket is away, which is said once.
"""

import os
import select
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import psycopg
import structlog
from sqlalchemy.exc import SQLAlchemyError

from warehouse.landing.bucket import open_landing_bucket
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.publication.shared.nodes import is_node
from warehouse.publication.shared.pointer import CHANNEL, pointer
from warehouse.publication.shared.taking import (
    DamagedPublicationError,
    EarlierPublicationError,
    take,
)
from warehouse.settings import Settings
from warehouse.storage.bucket import BucketStorage
from warehouse.storage.storage import StorageAwayError

log = structlog.get_logger(__name__)

ASKED_EVERY_SECONDS = 5.0
"""Whether there is another publication: PostgreSQL tells, but not through every pool between."""

AWAY = (
    psycopg.Error,
    SQLAlchemyError,
    StorageAwayError,
    DamagedPublicationError,
    EarlierPublicationError,
    OSError,
)


@contextmanager
def following(settings: Settings) -> Iterator[None]:
    """Take each new publication for the block, on a node; elsewhere do nothing.

    Raises OperationalStoreError.
    """
    bucket = open_landing_bucket(settings)
    if bucket is None or not is_node(settings):
        yield
        return
    with operational_store(settings) as store:
        follower = _Follower(settings, store, bucket)
        thread = Thread(target=follower.follow, name="publications", daemon=True)
        thread.start()
        try:
            yield
        finally:
            follower.end()
            thread.join()


class _Follower:
    def __init__(self, settings: Settings, store: OperationalStore, bucket: BucketStorage) -> None:
        self._settings = settings
        self._store = store
        self._bucket = bucket
        self._away: str | None = None
        self._ended, self._end = os.pipe()

    def follow(self) -> None:
        """Take what there is, then wait to be told of more, until the end."""
        while not self._is_over():
            try:
                self._listen()
            except AWAY as away:
                self._say_once(away)

    def end(self) -> None:
        """Let `follow` return, when what it takes just then is here."""
        os.write(self._end, b"\0")

    def _listen(self) -> None:
        """Return at the end; raises what keeps from going on."""
        with psycopg.connect(self._store.dsn, autocommit=True, connect_timeout=10) as told:
            told.execute(f"listen {CHANNEL}")
            while True:
                self._take()
                ready, _, _ = select.select(
                    [self._ended, told.fileno()], [], [], ASKED_EVERY_SECONDS
                )
                if self._ended in ready:
                    return
                list(told.notifies(timeout=0))

    def _take(self) -> None:
        with self._store.read_session() as session:
            pointed = pointer(session, self._settings.shard)
        if pointed is not None and is_node(self._settings):
            take(self._settings, self._bucket, pointed)
        if self._away is not None:
            log.info("publications are followed again")
            self._away = None

    def _say_once(self, away: Exception) -> None:
        if self._away != type(away).__name__:
            self._away = type(away).__name__
            log.warning(
                "no newer publication can be taken: the last one is served", error=str(away)
            )

    def _is_over(self) -> bool:
        """Wait a while where something is away; return whether it is the end."""
        pause = ASKED_EVERY_SECONDS if self._away else 0
        return bool(select.select([self._ended], [], [], pause)[0])
