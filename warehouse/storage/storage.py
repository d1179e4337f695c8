"""What keeps files, and how it fails."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


class StorageError(Exception):
    """The storage did not do what it was asked."""


class PathExistsError(StorageError):
    """Another file has the path already."""


class NoVersionsError(StorageError):
    """The bucket keeps a file's last state alone."""


class StorageAwayError(StorageError):
    """The storage cannot be reached, or refuses us: the same request may succeed later."""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """What is known of a file without reading it: bytes, and when it was written (UTC)."""

    path: str
    size: int
    written_at: datetime


@dataclass(frozen=True, slots=True)
class FileVersion:
    """One state of a file in a bucket that keeps versions; later ones take nothing from it."""

    size: int
    version: str


class Storage(Protocol):
    """Keeps files by path. Every method raises StorageAwayError where it cannot be reached."""

    def put(self, path: str, content: bytes) -> None:
        """Keep a file, whole or not at all; doing it twice is doing it once.

        Raises PathExistsError where another content has the path.
        """

    def find(self, path: str) -> StoredFile | None:
        """Return what is known of a file, None where there is none."""

    def read(self, path: str) -> bytes | None:
        """Return a file's content, None where there is none."""

    def delete(self, path: str) -> None:
        """Forget a file, if there is one."""
