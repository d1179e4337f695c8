"""Folders that appear whole or not at all: temporary name, fsync, rename.

Knows nothing of batches or Parquet. A folder under construction is locked by its writer (flock,
which the kernel drops however the process dies), so an abandoned one is told from a living one
without clocks or process ids.
"""

import errno
import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from warehouse.locks import try_lock

PREFIX = ".tmp-"


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """Yield a temporary folder that becomes `target`, on disk, when the block ends well.

    A target that exists is replaced (only a redone step does that: nobody reads it yet). A full
    disk is an OSError (ENOSPC) that names the folder, whichever library ran into it.
    """
    make_way(target.parent)
    discard_abandoned(target.parent)
    temporary = target.with_name(PREFIX + target.name)
    with _naming_full_disk(target.parent), _held(temporary):
        try:
            yield temporary
            _sync_files(temporary)
            if target.exists():
                shutil.rmtree(target)
            temporary.rename(target)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise
    sync(target.parent)


@contextmanager
def scratch_folder(parent: Path) -> Iterator[Path]:
    """Yield an empty folder in `parent` that is gone after the block.

    Those of killed processes are removed first.
    """
    make_way(parent)
    discard_abandoned(parent)
    scratch = parent / f"{PREFIX}{uuid4()}"
    with _held(scratch):
        try:
            yield scratch
        finally:
            shutil.rmtree(scratch, ignore_errors=True)


def discard_abandoned(parent: Path) -> None:
    """Remove the temporary folders in `parent` whose writer is gone."""
    for temporary in parent.glob(PREFIX + "*"):
        with _open(temporary) as descriptor:
            if descriptor is not None and try_lock(descriptor):
                shutil.rmtree(temporary, ignore_errors=True)


@contextmanager
def try_own(folder: Path) -> Iterator[bool]:
    """Yield whether the folder is there and nobody else has taken it; it is ours in the block."""
    with _open(folder) as descriptor:
        yield descriptor is not None and try_lock(descriptor) and folder.exists()


def move(source: Path, target: Path) -> None:
    """Move a whole folder to `target` (same file system); on disk when this returns."""
    make_way(target.parent)
    source.rename(target)
    sync(target.parent)
    sync(source.parent)


def remove(folder: Path) -> None:
    """Remove a folder so that a kill half way leaves none that fetches whole."""
    doomed = folder.with_name(PREFIX + folder.name)
    shutil.rmtree(doomed, ignore_errors=True)
    with suppress(FileNotFoundError):  # somebody else was faster
        folder.rename(doomed)
    shutil.rmtree(doomed, ignore_errors=True)


def write_file(path: Path, text: str) -> None:
    """Write a small text file that appears whole or not at all."""
    temporary = path.with_name(PREFIX + path.name)
    with _naming_full_disk(path.parent), temporary.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    sync(path.parent)


def make_way(folder: Path) -> None:
    """Make a folder and those above it where they are missing; their names are on disk then.

    A file's own folder being synced is not enough for it to be found after a power cut.
    """
    if folder.is_dir():
        return
    if not folder.parent.exists():
        make_way(folder.parent)
    folder.mkdir(exist_ok=True)
    sync(folder.parent)


def sync(path: Path) -> None:
    """Bring a file, or the list of names in a folder, onto the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _naming_full_disk(folder: Path) -> Iterator[None]:
    """Say which disk is full: writing names no file, and polars only repeats the number."""
    try:
        yield
    except Exception as error:
        number = getattr(error, "errno", None)
        if number == errno.ENOSPC or f"(os error {errno.ENOSPC})" in str(error):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder)) from None
        raise


def _sync_files(folder: Path) -> None:
    for file in folder.iterdir():
        sync(file)
    sync(folder)


@contextmanager
def _held(temporary: Path) -> Iterator[None]:
    """Make the folder and hold its lock; begin anew if a cleaner was faster than the lock."""
    while True:
        temporary.mkdir()
        with _open(temporary) as descriptor:
            if descriptor is None:
                continue
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if temporary.exists() and os.path.samestat(os.fstat(descriptor), temporary.stat()):
                yield
                return


@contextmanager
def _open(folder: Path) -> Iterator[int | None]:
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except FileNotFoundError:
        yield None
        return
    try:
        yield descriptor
    finally:
        os.close(descriptor)
