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
    """A Storage below a folder, which is made with the first file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, path: str, content: bytes) -> None:
        """Keep a file; it is on disk when this returns."""
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
        """Return what is known of a file, None where there is none."""
        try:
            with _reached():
                status = self._target(path).stat()
        except FileNotFoundError:
            return None
        return StoredFile(path, status.st_size, datetime.fromtimestamp(status.st_mtime, UTC))

    def read(self, path: str) -> bytes | None:
        """Return a file's content, None where there is none."""
        try:
            with _reached():
                return self._target(path).read_bytes()
        except FileNotFoundError:
            return None

    def delete(self, path: str) -> None:
        """Forget a file, if there is one."""
        with _reached():
            self._target(path).unlink(missing_ok=True)

    def _target(self, path: str) -> Path:
        """Return where a file lies. Raises ValueError for a path that no owner of files makes."""
        if any(part[:1] in {"", "."} for part in path.split("/")):
            raise ValueError(f"not a path of a stored file: {path!r}")
        return self._folder / path


@contextmanager
def _reached() -> Iterator[None]:
    """Let the block use the disk. Raises StorageAwayError where it is full, or closed to us."""
    try:
        yield
    except (FileExistsError, FileNotFoundError):
        raise
    except OSError as error:
        raise StorageAwayError(str(error)) from error


def _write_new(target: Path, content: bytes) -> None:
    """Write a file whole. Raises FileExistsError where something has its name."""
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
