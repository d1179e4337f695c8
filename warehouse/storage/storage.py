"""What a storage of files does, and its errors."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


class StorageError(Exception):
    """The storage could not do what was requested."""


class PathExistsError(StorageError):
    """The path already has a file with other content."""


class NoVersionsError(StorageError):
    """The bucket keeps only the last version of a file."""


class StorageAwayError(StorageError):
    """The storage cannot be reached, or refuses the request: it may succeed later."""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file's size in bytes and when it was written (UTC)."""

    path: str
    size: int
    written_at: datetime


@dataclass(frozen=True, slots=True)
class FileVersion:
    """One version of a file in a versioned bucket; later ones leave it unchanged."""

    size: int
    version: str


class Storage(Protocol):
    """Stores files by path. Every method raises StorageAwayError if it cannot be reached."""

    def put(self, path: str, content: bytes) -> None:
        """Store a file completely or not at all; repeating this changes nothing.

        Raises PathExistsError if the path has other content.
        """

    def find(self, path: str) -> StoredFile | None:
        """Return a file's size and time, None if it does not exist."""

    def read(self, path: str) -> bytes | None:
        """Return a file's content, None if it does not exist."""

    def files(self, folder: str) -> Iterator[StoredFile]:
        """Yield the files of a folder that has no subfolders, in any order and without a copy."""

    def delete(self, path: str) -> None:
        """Delete a file, if it exists."""
