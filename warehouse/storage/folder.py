"""Files in a folder of this machine: temporary name, fsync, link."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from warehouse.landing.folders import PREFIX, make_way, sync
from warehouse.storage.storage import PathExistsError, StorageAwayError, StoredFile


class FolderStorage:
    """Storage in a folder, which is created with the first file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, path: str, content: bytes) -> None:
        """Store a file; it is on disk when this returns."""
        target = self._target(path)
        try:
            with _reached():
                make_way(target.parent)
                _write_new(target, content)
                sync(target.parent)
        except FileExistsError:
            if self.read(path) != content:
                raise PathExistsError(path) from None

    def find(self, path: str) -> StoredFile | None:
        try:
            with _reached():
                status = self._target(path).stat()
        except FileNotFoundError:
            return None
        return StoredFile(path, status.st_size, datetime.fromtimestamp(status.st_mtime, UTC))

    def read(self, path: str) -> bytes | None:
        try:
            with _reached():
                return self._target(path).read_bytes()
        except FileNotFoundError:
            return None

    def files(self, folder: str) -> Iterator[StoredFile]:
        """Yield the size and time of the files in a folder, while it is read."""
        with suppress(FileNotFoundError), _reached(), os.scandir(self._target(folder)) as entries:
            for entry in entries:
                if entry.name[:1] != "." and (file := self.find(f"{folder}/{entry.name}")):
                    yield file

    def delete(self, path: str) -> None:
        with _reached():
            self._target(path).unlink(missing_ok=True)

    def _target(self, path: str) -> Path:
        """Return a file's path on disk. Raises ValueError for an invalid path."""
        if any(part[:1] in {"", "."} for part in path.split("/")):
            raise ValueError(f"not a valid path of a stored file: {path!r}")
        return self._folder / path


@contextmanager
def _reached() -> Iterator[None]:
    """Raise StorageAwayError if the block finds the disk full or not permitted."""
    try:
        yield
    except (FileExistsError, FileNotFoundError):
        raise
    except OSError as error:
        raise StorageAwayError(str(error)) from error


def _write_new(target: Path, content: bytes) -> None:
    """Write a complete file. Raises FileExistsError if the name is taken."""
    temporary = target.with_name(f"{PREFIX}{uuid4()}")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.link(temporary, target)  # unlike a rename, onto nothing that is there
    finally:
        with suppress(FileNotFoundError):
            temporary.unlink()
