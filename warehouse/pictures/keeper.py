"""Fetches due pictures and stores them by content hash."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import structlog
from sqlalchemy import select

from warehouse.operational.clock import clock_of_database
from warehouse.operational.leases import Queue
from warehouse.operational.models import PostPicture
from warehouse.operational.store import OperationalStore
from warehouse.pictures.fetching import Fetcher, NoPictureError
from warehouse.pictures.images import SUFFIXES
from warehouse.storage.storage import Storage, StorageError

WAITS = (timedelta(hours=1), timedelta(hours=6), timedelta(days=1), *[timedelta(days=4)] * 2)
"""How long each attempt's lease lasts; fetches of the post may bring another URL meanwhile. After
the last one the picture is given up.
"""
_QUEUE = Queue(PostPicture, PostPicture.due_at, longest=max(WAITS))


def claim(store: OperationalStore, most: int) -> Sequence[PostPicture]:
    """Claim due pictures, the longest due first.

    They are due again after one of WAITS unless they are stored, even if this process dies.
    """
    with store.write_session() as session:
        now = clock_of_database(session)
        due = (
            select(PostPicture)
            .where(PostPicture.due_at.is_not(None), _QUEUE.is_free(now))
            .order_by(PostPicture.due_at, PostPicture.platform, PostPicture.platform_video_id)
            .limit(most)
        )
        while rows := session.scalars(_QUEUE.free(due, now)).all():
            for row in rows:
                is_last = row.attempts >= len(WAITS)
                row.due_at = None if is_last else now + WAITS[row.attempts]
                row.attempts += not is_last
            if claimed := [row for row in rows if row.due_at]:
                return claimed
    return []


def note_stored(store: OperationalStore, picture: PostPicture, path: str) -> None:
    """Record a stored picture, unless another process has claimed it since."""
    with store.write_session() as session:
        for row in _QUEUE.release(session, [picture]):
            row.path = path


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

    def _ended(self, picture: PostPicture) -> str:
        try:
            self._fetch_and_store(picture)
        except (NoPictureError, StorageError) as error:
            post = f"{picture.platform} {picture.platform_video_id}"
            log.info("picture_not_kept", post=post, reason=str(error))
            return "not kept"
        return "kept"

    def _fetch_and_store(self, picture: PostPicture) -> None:
        """Store a picture, then record it. Raises NoPictureError, StorageError."""
        content, media_type = self._fetcher.fetch(picture.url)
        path = f"pictures/{hashlib.sha256(content).hexdigest()}.{SUFFIXES[media_type]}"
        self._files.put(path, content)
        note_stored(self._store, picture, path)
