"""Folders and files that appear complete or not at all: temporary name, fsync, rename.

The writer locks a folder under construction (flock, which the kernel releases when the process
ends), so abandoned folders are recognized without clocks or process ids.
"""

import errno
import fcntl
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from warehouse.full_disk import is_full, says_full
from warehouse.locks import try_lock

PREFIX = ".tmp-"
ROOM = 4 << 20
"""Bytes that `check_room` needs: a large batch."""


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """Yield a temporary folder that is renamed to `target` and synced when the block succeeds.

    An existing target is replaced (only a repeated step does that, before anyone reads it). A full
    disk is an OSError (ENOSPC) that names the folder, whichever library met it.
    """
    make_way(target.parent)
    discard_abandoned(target.parent)
    temporary = target.with_name(PREFIX + target.name)
    with _locked(temporary):
        try:
            with _naming_full_disk(target.parent):
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
    """Yield an empty folder in `parent` that is removed after the block.

    Removes those of killed processes first.
    """
    make_way(parent)
    discard_abandoned(parent)
    scratch = parent / f"{PREFIX}{uuid4()}"
    with _locked(scratch):
        try:
            yield scratch
        finally:
            shutil.rmtree(scratch, ignore_errors=True)


def check_room(parent: Path) -> None:
    """Raise OSError unless a folder of ROOM bytes can be written in `parent`."""
    with (
        scratch_folder(parent) as scratch,
        _naming_full_disk(parent),
        (scratch / "room").open("wb") as file,
    ):
        if sys.platform == "linux":  # reserves blocks without writing them
            os.posix_fallocate(file.fileno(), 0, ROOM)
        os.fsync(file.fileno())


def discard_abandoned(parent: Path) -> None:
    """Remove the temporary folders in `parent` whose writer ended."""
    for temporary in parent.glob(PREFIX + "*"):
        with _open(temporary) as descriptor:
            if descriptor is not None and try_lock(descriptor) and _is_at(temporary, descriptor):
                shutil.rmtree(temporary, ignore_errors=True)


@contextmanager
def try_own(folder: Path, *, wait: bool = False) -> Iterator[bool]:
    """Try to lock the folder for the block, or wait for others that lock it.

    Yields whether it exists and is locked.
    """
    with _open(folder) as descriptor:
        if wait and descriptor is not None:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor is not None and try_lock(descriptor) and _is_at(folder, descriptor)


def move(source: Path, target: Path) -> None:
    """Move a folder to `target` on the same file system, synced to disk."""
    make_way(target.parent)
    source.rename(target)
    sync(target.parent)
    sync(source.parent)


def remove(folder: Path) -> None:
    """Remove a folder. If killed half way, no partial folder stays under its name."""
    doomed = folder.with_name(PREFIX + folder.name)
    shutil.rmtree(doomed, ignore_errors=True)
    with suppress(FileNotFoundError):  # another process removed it
        folder.rename(doomed)
    shutil.rmtree(doomed, ignore_errors=True)


def write_file(path: Path, text: str) -> None:
    """Write a small text file that appears complete or not at all."""
    temporary = path.with_name(PREFIX + path.name)
    with _naming_full_disk(path.parent), temporary.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    sync(path.parent)


def make_way(folder: Path) -> None:
    """Create a folder and its missing parents, and sync their names to disk.

    Syncing only a file's own folder would not be enough after a power failure.
    """
    if folder.is_dir():
        return
    if not folder.parent.exists():
        make_way(folder.parent)
    folder.mkdir(exist_ok=True)
    sync(folder.parent)


def make_home(home: Path) -> None:
    """Create the data folder. Missing folders above it may be entered by others.

    PostgreSQL's own user enters them where this process runs as root; `home` itself stays private.
    """
    above = [folder for folder in home.parents if not folder.exists()]
    make_way(home)
    for folder in above:
        folder.chmod(folder.stat().st_mode | 0o011)


def sync(path: Path) -> None:
    """Sync a file, or the names in a folder, to disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _naming_full_disk(folder: Path) -> Iterator[None]:
    """Name the folder of a full disk: errors name no file, and some of polars (2.1) no reason."""
    try:
        yield
    except Exception as error:
        if says_full(error) or is_full(folder):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder)) from error
        raise


def _sync_files(folder: Path) -> None:
    for file in folder.iterdir():
        sync(file)
    sync(folder)


@contextmanager
def _locked(temporary: Path) -> Iterator[None]:
    """Create and lock the folder. Starts over if a cleaner removed it before it was locked."""
    while True:
        temporary.mkdir()
        with _open(temporary) as descriptor:
            if descriptor is None:
                continue
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if _is_at(temporary, descriptor):
                yield
                return


def _is_at(folder: Path, descriptor: int) -> bool:
    """Return whether the locked folder still has this path, where another may be by now."""
    try:
        return os.path.samestat(os.fstat(descriptor), folder.stat())
    except FileNotFoundError:
        return False


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
