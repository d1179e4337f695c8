"""A cache of what follows from the dbt project alone, shared by all processes of this user."""

import fcntl
import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from shutil import rmtree

import platformdirs

from warehouse.models_version import digest_of_sources
from warehouse.storage.folder import FolderStorage
from warehouse.storage.storage import StorageError

SOURCES = (
    "dbt_project/*.yml",
    "dbt_project/models/**/*.*",
    "dbt_project/macros/**/*.*",
    "dbt_project/tests/**/*.*",
    "orchestration/building/manifests.py",
    "orchestration/building/rendering.py",
    "orchestration/building/written_nodes.py",
    "warehouse/catalogue/*.py",
    "warehouse/simulation/inputs.py",
)
LIBRARIES = ("dbt-core", "dbt-adapters", "dbt-common", "dbt-duckdb")
MOST_VERSIONS = 4
WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def made_once(name: str, make: Callable[[], bytes]) -> bytes:
    """Return what `make` makes of the current project, from the cache if it is there.

    Where the cache cannot be written, each process makes its own.
    """
    path = f"{_version()}/{name}"
    with ExitStack() as stack:
        with suppress(OSError, StorageError):
            stack.enter_context(_locked(name))  # other processes wait for it
            if stored := FolderStorage(_folder()).read(path):
                return stored
        made = make()
        with suppress(OSError, StorageError):  # a full disk
            FolderStorage(_folder()).put(path, made)
            _forget_old_versions(_folder())
    return made


@contextmanager
def _locked(name: str) -> Iterator[None]:
    """Hold this user's file lock within the block. Raises OSError."""
    with (_folder().parent / f"{name}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@cache
def _version() -> str:
    """Return a digest of the project, of dbt's version and of the code that reads it."""
    libraries = " ".join(f"{name} {version(name)}" for name in LIBRARIES)
    return hashlib.sha256(f"{libraries} {digest_of_sources(SOURCES)}".encode()).hexdigest()


def _folder() -> Path:
    """Return the cache's folder. Raises PermissionError if other users may write to it."""
    folder = platformdirs.user_cache_path("creator-tracker") / "dbt"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = folder.stat()
    if status.st_uid != os.geteuid() or status.st_mode & WRITABLE_BY_OTHERS:
        raise PermissionError(f"{folder} is not this user's alone")
    return folder


def _forget_old_versions(folder: Path) -> None:
    """Remove all but the newest MOST_VERSIONS versions."""
    versions = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    for forgotten in versions[MOST_VERSIONS:]:
        rmtree(forgotten, ignore_errors=True)
