"""Files in an S3-compatible bucket, with parallel requests: each may take seconds."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import obstore
import stamina
from obstore.exceptions import AlreadyExistsError, BaseError
from obstore.store import S3Store

from warehouse.storage.storage import (
    FileVersion,
    NoVersionsError,
    PathExistsError,
    StorageAwayError,
    StoredFile,
)

if TYPE_CHECKING:
    from obstore import GetOptions


PATIENCE = timedelta(seconds=10)
"""Most time for a request including its retries."""
NO_BUCKET = "the bucket does not exist"
PAGE = 1000
"""Names in one response of S3."""


class BucketStorage:
    """Storage in a bucket; paths are the keys of its objects."""

    def __init__(self, bucket: S3Store) -> None:
        self._bucket = bucket

    def put(self, path: str, content: bytes) -> None:
        """Store a file, unless one exists (S3's `If-None-Match: *`)."""
        try:
            with _reached():
                obstore.put(self._bucket, path, content, mode="create", use_multipart=False)
        except AlreadyExistsError:
            if self.read(path) != content:
                raise PathExistsError(path) from None
        except FileNotFoundError as error:
            raise StorageAwayError(NO_BUCKET) from error

    def put_at_last(self, path: str, content: bytes) -> None:
        """Store the file that completes others; if the response was lost, the retry finds it there.

        It is sent at most three times.
        """
        for attempt in stamina.retry_context(on=StorageAwayError, attempts=3, wait_initial=0.1):
            with attempt:
                self.put(path, content)

    def find(self, path: str) -> StoredFile | None:
        try:
            with _reached():
                metadata = obstore.head(self._bucket, path)
        except FileNotFoundError:
            return None
        return StoredFile(path, metadata["size"], metadata["last_modified"])

    def version_of(self, path: str) -> FileVersion:
        """Return a file's current version. Raises FileNotFoundError, NoVersionsError."""
        with _reached():
            metadata = obstore.head(self._bucket, path)
        if metadata["version"] is None:
            raise NoVersionsError(path)
        return FileVersion(metadata["size"], metadata["version"])

    def has_version(self, path: str, state: FileVersion) -> bool:
        """Tell whether a file's version can still be fetched."""
        options: GetOptions = {"version": state.version, "head": True}
        try:
            with _reached():
                return obstore.get(self._bucket, path, options=options).meta["size"] == state.size
        except FileNotFoundError:
            return False

    def read(self, path: str) -> bytes | None:
        try:
            with _reached():
                return bytes(obstore.get(self._bucket, path).bytes())
        except FileNotFoundError:
            return None

    def send(self, path: str, file: Path) -> None:
        """Store a local file of any size, replacing what the path has."""
        try:
            with _reached():
                obstore.put(self._bucket, path, file)
        except FileNotFoundError as error:
            raise StorageAwayError(NO_BUCKET) from error

    def fetch(self, path: str, file: Path, version: str | None = None) -> None:
        """Download a path's content, or one version of it, to a local file.

        Raises FileNotFoundError.
        """
        options: GetOptions = {} if version is None else {"version": version}
        with _reached(), file.open("wb") as written:
            for chunk in obstore.get(self._bucket, path, options=options).stream():
                written.write(chunk)

    def files(self, folder: str) -> Iterator[StoredFile]:
        """Yield the size and time of all files below a path, page by page."""
        try:
            with _reached():
                for page in obstore.list(self._bucket, folder, chunk_size=PAGE):
                    for metadata in page:
                        yield StoredFile(
                            metadata["path"], metadata["size"], metadata["last_modified"]
                        )
        except FileNotFoundError as error:
            raise StorageAwayError(NO_BUCKET) from error

    def delete(self, path: str) -> None:
        with _reached():
            obstore.delete(self._bucket, path)


@contextmanager
def _reached() -> Iterator[None]:
    """Raise StorageAwayError if the block's request to the bucket fails."""
    try:
        yield
    except AlreadyExistsError:
        raise
    except BaseError as error:
        # The first line says what happened; the others come from Rust and say where.
        raise StorageAwayError(str(error).partition("\n")[0]) from error
