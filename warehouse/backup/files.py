"""Copies and checks files in one pass, each with its size and SHA-256."""

import hashlib
import os
import shutil
import stat
from collections.abc import Callable, Iterable
from contextlib import nullcontext, suppress
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from warehouse.landing.folders import PREFIX, sync
from warehouse.privacy import OWNERS

CHUNK = 4 << 20
OnBytes = Callable[[int], None]


class FileRecord(BaseModel):
    """Size and digest of a file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    size: int
    sha256: str


def record_of(path: Path, on_bytes: OnBytes) -> FileRecord:
    digest = hashlib.sha256()
    size = 0
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
            size += len(chunk)
            on_bytes(len(chunk))
    return FileRecord(size=size, sha256=digest.hexdigest())


def copy_file(source: Path, target: Path, on_bytes: OnBytes) -> FileRecord:
    """Copy a file to a new name, readable by its owner alone and with its modification time.

    It is synced to disk when its record is returned.
    """
    digest = hashlib.sha256()
    size = 0
    with source.open("rb") as read, target.open("xb") as written:
        status = os.fstat(read.fileno())
        os.fchmod(written.fileno(), stat.S_IMODE(status.st_mode) & OWNERS)
        while chunk := read.read(CHUNK):
            written.write(chunk)
            digest.update(chunk)
            size += len(chunk)
            on_bytes(len(chunk))
        written.flush()
        os.utime(written.fileno(), ns=(status.st_atime_ns, status.st_mtime_ns))
        os.fsync(written.fileno())
    return FileRecord(size=size, sha256=digest.hexdigest())


def whole_entries(folder: Path) -> list[Path]:
    """Return the folder's entries by name, without those still being written."""
    if not folder.exists():
        return []
    return sorted(path for path in folder.iterdir() if not path.name.startswith(PREFIX))


class Copier:
    """Copies files and folders below `root` and records them."""

    def __init__(self, root: Path, on_bytes: OnBytes) -> None:
        self.files: dict[str, FileRecord] = {}
        self.folders: list[str] = []
        self.root = root
        self._on_bytes = on_bytes

    def copy_file(self, source: Path, name: str) -> None:
        """Copy one file to `name`, whose folder exists."""
        self.files[name] = copy_file(source, self.root / name, self._on_bytes)

    def copy_folder(self, source: Path, name: str, *, may_lose: bool = False) -> None:
        """Copy a folder to `name`, without entries that are still being written.

        `may_lose` skips files that are deleted meanwhile.
        """
        self.make_folder(name)
        for path in whole_entries(source):
            inner = f"{name}/{path.name}"
            if path.is_dir():
                self.copy_folder(path, inner, may_lose=may_lose)
                continue
            with suppress(FileNotFoundError) if may_lose else nullcontext():
                self.copy_file(path, inner)

    def copy_moving_folder(self, source: Path, name: str) -> None:
        """Copy a folder that may be moved away meanwhile, whole or not at all."""
        try:
            self.copy_folder(source, name)
        except FileNotFoundError:
            if source.exists():
                raise
        if not source.exists():  # it may have been empty already when it was listed
            self._forget(name)

    def make_folder(self, name: str) -> None:
        (self.root / name).mkdir()
        self.folders.append(name)

    def record(self, name: str) -> None:
        """Record a file that another program wrote to `name`."""
        self.files[name] = record_of(self.root / name, self._on_bytes)

    def sync(self) -> None:
        """Sync the names in all folders to disk. The files are synced already."""
        for name in ["", *self.folders]:
            sync(self.root / name)

    def _forget(self, name: str) -> None:
        shutil.rmtree(self.root / name, ignore_errors=True)
        self.folders = _outside(name, self.folders)
        self.files = {path: self.files[path] for path in _outside(name, self.files)}


def _outside(folder: str, paths: Iterable[str]) -> list[str]:
    return [path for path in paths if path != folder and not path.startswith(folder + "/")]


MEBIBYTE = 1 << 20

OnProgress = Callable[[str, int, int | None], None]
"""Called with a step's name, the MiB done and the total MiB (None: unknown)."""


def silent(_step: str, _done: int, _total: int | None) -> None:
    """Show nothing."""


class ByteCount:
    """Counts the bytes of one step; call it with the number of additional bytes."""

    def __init__(self, on_progress: OnProgress, step: str, total: int | None = None) -> None:
        self._on_progress = on_progress
        self._step = step
        self._total = None if total is None else -(-total // MEBIBYTE)
        self._done = 0
        self(0)

    def __call__(self, more: int) -> None:
        self._done += more
        self._on_progress(self._step, self._done // MEBIBYTE, self._total)
