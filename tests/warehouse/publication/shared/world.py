"""Machines that publish into a bucket with faults, and the bucket's contents."""

import hashlib
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from unittest.mock import patch

import duckdb
from sqlalchemy import text
from sqlalchemy.orm import Session

from tests.factories.marts import History, Video, fill_marts
from tests.fixtures.faulty_bucket import FaultyBucket
from warehouse.ids import uuid7
from warehouse.landing.bucket import open_landing_bucket
from warehouse.operational.clock import clock_of_database
from warehouse.operational.store import OperationalStore
from warehouse.publication.info import PublicationInfo
from warehouse.publication.publish import publish
from warehouse.publication.shared import sending
from warehouse.publication.shared.manifest import Manifest, read
from warehouse.publication.shared.pointer import Pointer, pointer
from warehouse.publication.shared.sending import Sent, authorize, share, share_last
from warehouse.settings import Settings
from warehouse.shards.lease import Lease
from warehouse.storage.bucket import BucketStorage

JULY = datetime(2026, 7, 20, tzinfo=UTC)
MARCH = datetime(2026, 3, 10, tzinfo=UTC)
ALONE = Lease("shard main", None)
"""The lease of the only machine that builds."""
MAY = datetime(2026, 5, 10, tzinfo=UTC)


@dataclass
class Machine:
    """Publishes a video with readings in March, May and July; each day it has more views."""

    settings: Settings
    store: OperationalStore
    warehouse: duckdb.DuckDBPyConnection
    days: int = 0
    members: str | None = None
    """The digest of the members in its warehouse."""
    held: Lease = ALONE

    @property
    def bucket(self) -> BucketStorage:
        bucket = open_landing_bucket(self.settings)
        assert bucket is not None
        return bucket

    def publish(self, ahead: timedelta = timedelta()) -> PublicationInfo:
        """Publish the next day on this machine only; the video has 700 views plus one per day.

        This machine's clock is `ahead` of the true one.
        """
        self.days += 1
        day = JULY + timedelta(days=self.days)
        readings: dict[datetime, dict[str, int | None]] = {
            MARCH: {"view": 300},
            MAY: {"view": 500},
            day: {"view": 700 + self.days},
        }
        fill_marts(self.warehouse, History(videos=[Video("video", readings)]))
        clock = lambda: datetime.now(UTC) + ahead  # noqa: E731  as short as it gets
        return publish(
            self.settings,
            self.warehouse,
            as_of=day,
            authorize=partial(authorize, self.settings, self.store, self.held, self.members),
            real_clock=clock,
        ).info

    def share(self, info: PublicationInfo, *, hours_later: int = 0) -> Sent | None:
        """Share a publication while PostgreSQL's clock is `hours_later` ahead."""
        with later(hours_later):
            return share(self.settings, self.store, info, self.held)

    def forget_unnamed(self, *, hours_later: int) -> None:
        """Run the deletion that follows an upload."""
        with later(hours_later):
            sending.forget_unnamed(self.bucket, self.store)

    def share_last(self) -> Sent | None:
        self.settings.warehouse_path.touch()  # as on a builder
        return share_last(self.settings, self.store)

    def publish_and_share(self) -> PublicationInfo:
        info = self.publish()
        assert self.share(info) is not None
        return info

    def share_again(self, info: PublicationInfo) -> None:
        """Share another publication with the same content, which is faster than building one."""
        again = replace(info, publication_id=uuid7())
        folder = self.settings.publications_path / str(again.publication_id)
        folder.symlink_to(str(info.publication_id))
        assert self.share(again) is not None

    def pointer(self) -> Pointer | None:
        with self.store.read_session() as session:
            return pointer(session, self.settings.shard)

    def rewrite_manifest(self, content: str) -> Manifest:
        """Replace the current manifest; return the original."""
        manifest = self.whole()
        self.bucket.delete(manifest.name)
        self.bucket.put(manifest.name, content.encode())
        return manifest

    def names(self) -> set[str]:
        return {file.path for file in self.bucket.files("publications")}

    def whole(self) -> Manifest:
        """Return the current manifest after checking all its objects."""
        pointed = self.pointer()
        manifest = read(self.bucket, pointed.publication_id)
        for file in manifest.files.values():
            content = self.bucket.read(file.object)
            assert content is not None
            assert (hashlib.sha256(content).hexdigest(), len(content)) == (file.sha256, file.size)
        return manifest


@dataclass(kw_only=True)
class Builder(Machine):
    """A machine that reaches the bucket through a fault-injecting proxy."""

    proxy: FaultyBucket


def later(hours: int) -> AbstractContextManager[object]:
    """Set PostgreSQL's clock ahead by these hours."""

    def clock(session: Session) -> datetime:
        return clock_of_database(session) + timedelta(hours=hours)

    return patch.object(sending, "clock_of_database", clock)


def let_hours_pass(builder: Builder, hours: int) -> None:
    """Move all sharing times back by these hours."""
    earlier = "update shared_publications set shared_at = shared_at - make_interval(hours => :by)"
    with builder.store.write_session() as session:
        session.execute(text(earlier), {"by": hours})
