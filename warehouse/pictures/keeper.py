"""Fetches due pictures and stores them by content hash."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from sqlalchemy import select, update

from warehouse.clock import system_clock
from warehouse.operational.models import PostPicture
from warehouse.operational.store import OperationalStore
from warehouse.pictures.fetching import Fetcher, NoPictureError
from warehouse.pictures.images import SUFFIXES
from warehouse.storage.storage import Storage, StorageError

WAITS = (timedelta(hours=1), timedelta(hours=6), timedelta(days=1), timedelta(days=4))
"""Delays after each attempt; fetches of the post may bring another URL meanwhile. The attempt after
the last delay is the last.
"""


@dataclass(frozen=True, slots=True)
class DuePicture:
    platform: str
    platform_video_id: str
    url: str


def claim(store: OperationalStore, most: int) -> Sequence[DuePicture]:
    """Claim due pictures, the longest due first.

    They are due again after one of WAITS unless they are stored, even if this process dies.
    """
    now = system_clock()
    due = (
        select(PostPicture)
        .where(PostPicture.due_at <= now)
        .order_by(PostPicture.due_at, PostPicture.platform, PostPicture.platform_video_id)
        .limit(most)
        .with_for_update(skip_locked=True)
    )
    with store.write_session() as session:
        rows = session.scalars(due).all()
        for row in rows:
            row.due_at = _due_again(now, row.attempts)
            row.attempts += 1
        return [DuePicture(row.platform, row.platform_video_id, row.url) for row in rows]


def note_stored(store: OperationalStore, picture: DuePicture, path: str) -> None:
    statement = update(PostPicture).where(
        PostPicture.platform == picture.platform,
        PostPicture.platform_video_id == picture.platform_video_id,
    )
    with store.write_session() as session:
        session.execute(statement.values(path=path, due_at=None))


def _due_again(now: datetime, attempts: int) -> datetime | None:
    return now + WAITS[attempts] if attempts < len(WAITS) else None


THREADS = 8
AT_ONCE = 40
MOST = 1_000
"""Pictures per tick, so that it ends however many posts are new."""

log = structlog.get_logger(__name__)


class Keeper:
    """Stores pictures of posts. Any number may work concurrently."""

    def __init__(self, store: OperationalStore, files: Storage, fetcher: Fetcher) -> None:
        self._store = store
        self._files = files
        self._fetcher = fetcher

    def work(self) -> Counter[str]:
        """Fetch due pictures, at most MOST. Returns how many were kept, and not."""
        ended: Counter[str] = Counter()
        with ThreadPoolExecutor(THREADS) as pool:
            while ended.total() < MOST and (claimed := claim(self._store, AT_ONCE)):
                ended.update(pool.map(self._ended, claimed))
        return ended

    def _ended(self, picture: DuePicture) -> str:
        try:
            self._fetch_and_store(picture)
        except (NoPictureError, StorageError) as error:
            post = f"{picture.platform} {picture.platform_video_id}"
            log.info("picture_not_kept", post=post, reason=str(error))
            return "not kept"
        return "kept"

    def _fetch_and_store(self, picture: DuePicture) -> None:
        """Store a picture, then record it. Raises NoPictureError, StorageError."""
        content, media_type = self._fetcher.fetch(picture.url)
        path = f"pictures/{hashlib.sha256(content).hexdigest()}.{SUFFIXES[media_type]}"
        self._files.put(path, content)
        note_stored(self._store, picture, path)
