"""Uploads: in a folder of their own until something names them, and deleted after a day.

Code that is about to name an upload in a row copies it to its path first (`keep`). Tidying
lists uploads alone, so it reads no rows and cannot race with a transaction that names a file.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import islice

import structlog

from warehouse.storage.storage import Storage, StorageError, StoredFile

FOLDER = "uploads"
AGE = timedelta(days=1)
"""More than upload URLs are valid: until then, other bytes for the same path are refused."""
BETWEEN_TIDYING = timedelta(hours=1)
AT_ONCE = 200
"""Uploads per call of `tidy`."""

_FIRST = "orgs"
"""The first part of each upload's path."""

log = structlog.get_logger(__name__)


def put(files: Storage, path: str, content: bytes) -> None:
    """Store an upload for a path. Raises PathExistsError if it has other content."""
    files.put(upload_of(path), content)


def read(files: Storage, path: str) -> bytes | None:
    """Return the content of a path, or of an upload for it."""
    content = files.read(path)
    return files.read(upload_of(path)) if content is None else content


def keep(files: Storage, path: str) -> bool:
    """Copy the upload for a path to that path. Returns whether the path has a file now."""
    if files.find(path) is not None:
        return True
    content = files.read(upload_of(path))
    if content is None:
        return False
    files.put(path, content)
    return True


def upload_of(path: str) -> str:
    """Return where the upload for a path is: in one folder, so that no empty ones are left."""
    return f"{FOLDER}/{path.replace('/', '_')}"


class UploadTidier:
    """Deletes uploads that are a day old. Any number may work concurrently."""

    def __init__(self, files: Storage) -> None:
        self._files = files
        self._listing: Iterator[StoredFile] | None = None
        self._began_at: datetime | None = None

    def tidy(self, now: datetime) -> None:
        """List the uploads once an hour, AT_ONCE of them per call, and delete old ones.

        If the storage is unavailable, this is logged; the next hour tries again.
        """
        if self._listing is None:
            if self._began_at is not None and now < self._began_at + BETWEEN_TIDYING:
                return
            self._listing, self._began_at = self._files.files(FOLDER), now
        try:
            if self._tidy_some(self._listing, now) < AT_ONCE:
                self._listing = None
        except StorageError as error:
            log.warning("uploads_not_tidied", error=str(error))
            self._listing = None

    def _tidy_some(self, listing: Iterator[StoredFile], now: datetime) -> int:
        """Return how many were listed."""
        listed = list(islice(listing, AT_ONCE))
        for file in listed:
            # The bucket may also have other programs' objects below `uploads`.
            if file.path.startswith(upload_of(f"{_FIRST}/")) and file.written_at < now - AGE:
                self._files.delete(file.path)
        return len(listed)
