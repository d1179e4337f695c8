"""Fetching the pictures that are due, and keeping them by what they hold."""

import hashlib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import structlog

from warehouse.operational.store import OperationalStore
from warehouse.pictures.fetching import Fetcher, NoPictureError
from warehouse.pictures.images import SUFFIXES
from warehouse.pictures.queue import Wanted, claim, note_kept
from warehouse.storage.storage import Storage, StorageError

THREADS = 8
AT_ONCE = 40
MOST = 1_000
"""Pictures of a tick, so that it comes to an end however many posts are new."""

log = structlog.get_logger(__name__)


class Keeper:
    """Keeps pictures of posts. Any number may work beside each other."""

    def __init__(self, store: OperationalStore, files: Storage, fetcher: Fetcher) -> None:
        self._store = store
        self._files = files
        self._fetcher = fetcher

    def work(self) -> Counter[str]:
        """Fetch what is due, at most MOST; say how many were kept, and not."""
        ended: Counter[str] = Counter()
        with ThreadPoolExecutor(THREADS) as pool:
            while ended.total() < MOST and (claimed := claim(self._store, AT_ONCE)):
                ended.update(pool.map(self._ended, claimed))
        return ended

    def _ended(self, picture: Wanted) -> str:
        try:
            self._keep(picture)
        except (NoPictureError, StorageError) as error:
            post = f"{picture.platform} {picture.platform_video_id}"
            log.info("picture_not_kept", post=post, reason=str(error))
            return "not kept"
        return "kept"

    def _keep(self, picture: Wanted) -> None:
        """Keep a picture before it is said that it is. Raises NoPictureError, StorageError."""
        content, media_type = self._fetcher.fetch(picture.url)
        path = f"pictures/{hashlib.sha256(content).hexdigest()}.{SUFFIXES[media_type]}"
        self._files.put(path, content)
        note_kept(self._store, picture, path)
