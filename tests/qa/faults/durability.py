"""The rule for a power cut, which a kill cannot test, since the kernel survives a kill.

A file in the data folder is synced after its last write and before it gets its final name. The
folder with the new name is synced before anything relies on it: before a database commits, before
the replaced file is removed, before a link leads to it, and before the end. A link leads to its
target from the moment it is named. A thread relies only on what other threads have finished.
Databases sync their own files: PostgreSQL its log at each commit, DuckDB its log at each commit and
its file at each checkpoint.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock, Thread, current_thread

from tests.qa.faults.operations import Operation, watched

NOT_OURS = frozenset({"postgres", "dagster", "dbt"})
"""Subfolders of the data folder with a server's own or disposable files."""
WITHOUT_CONTENT = (".lock", ".log", ".duckdb", ".duckdb.wal")
"""Files that are only locked or logged to, or that DuckDB writes."""
UNFINISHED = ".unfinished"
"""The suffix of temporary names, besides a leading dot."""

Identity = tuple[int, int]
Content = tuple[int, int]


class Durability:
    """Watches operations and collects breaches of the rule below `folders`."""

    def __init__(self, *folders: Path) -> None:
        self.breaches: list[str] = []
        self._folders = [Path(os.path.abspath(folder)) for folder in folders]
        self._synced: dict[Identity, Content] = {}
        self._waiting: dict[Identity, tuple[Operation, Thread]] = {}
        self._lock = RLock()
        self._begun_by = current_thread()
        self._before = {
            _identity(path): _content(path)
            for folder in self._folders
            for path in folder.rglob("*")
            if self._is_final(path) and not path.is_symlink()
        }
        """Earlier files, whose durability is not checked."""

    def before(self, operation: Operation) -> None:
        """Check what must be synced before this operation."""
        with self._lock:
            if operation.is_commit or self._is_removal(operation) or self._is_link(operation):
                self._require_names(operation)
            if operation.kind in {"rename", "link"} and self._is_final(operation.paths[1]):
                self._require_content(operation)

    def after(self, operation: Operation) -> None:
        """Record what was synced, and what must be."""
        with self._lock:
            if operation.descriptor is not None:
                status = os.fstat(operation.descriptor)
                self._synced[(status.st_dev, status.st_ino)] = (status.st_size, status.st_mtime_ns)
                self._waiting.pop((status.st_dev, status.st_ino), None)
            elif self._gives_name(operation):
                folder = _identity(operation.paths[-1].parent)
                self._waiting[folder] = operation, current_thread()

    def end(self) -> None:
        """Check that no name waits for a sync and every file is synced after its last write."""
        self._require_names("the end")
        for path in self._kept():
            if not path.name.endswith(WITHOUT_CONTENT) and not self._is_synced(path):
                self.breaches.append(f"{path} was never synced after it was written")

    def _kept(self) -> Iterator[Path]:
        for folder in self._folders:
            for path in folder.rglob("*"):
                if self._is_final(path) and path.is_file() and not path.is_symlink():
                    yield path

    def _is_final(self, path: Path) -> bool:
        for folder in self._folders:
            if path.is_relative_to(folder):
                parts = path.relative_to(folder).parts
                return not any(
                    part.startswith(".") or part.endswith(UNFINISHED) or part in NOT_OURS
                    for part in parts
                )
        return False

    def _gives_name(self, operation: Operation) -> bool:
        if operation.is_relative or operation.kind not in {"rename", "link", "symlink", "mkdir"}:
            return False
        leads_to_temporary = operation.kind == "symlink" and operation.paths[0].name[:1] == "."
        return self._is_final(operation.paths[-1]) and not leads_to_temporary

    def _is_removal(self, operation: Operation) -> bool:
        """Whether a final name disappears, by removal or by renaming to a temporary one."""
        if operation.is_relative or not operation.paths or not self._is_final(operation.paths[0]):
            return False
        if operation.kind == "rename":
            return not self._is_final(operation.paths[1])
        return operation.kind in {"unlink", "rmdir"} and not operation.paths[0].is_symlink()

    def _is_link(self, operation: Operation) -> bool:
        """Whether a symlink leads to something with its final name."""
        return operation.kind == "symlink" and self._is_final(operation.paths[0])

    def _require_names(self, needed_by: object) -> None:
        for folder, (operation, thread) in list(self._waiting.items()):
            if thread in {current_thread(), self._begun_by} or not thread.is_alive():
                self.breaches.append(f"no sync of the folder between {operation} and {needed_by}")
                del self._waiting[folder]

    def _require_content(self, operation: Operation) -> None:
        source = operation.paths[0]
        if source.is_symlink():
            if not (operation.paths[1].parent / source.readlink()).exists():
                self.breaches.append(f"{operation} leads to nothing")
            return
        was_final = self._is_final(source)  # its files were checked when they got their names
        for path in (source, *(source.rglob("*") if source.is_dir() else ())):
            if not (path.is_dir() and was_final) and not self._is_synced(path):
                self.breaches.append(f"{path.name} is not synced at {operation}")

    def _is_synced(self, path: Path) -> bool:
        content = _content(path)
        return content in (
            self._synced.get(_identity(path)),
            self._before.get(_identity(path)),
        )


@contextmanager
def durable(*folders: Path) -> Iterator[None]:
    """Check the rule for everything this process does during the block."""
    durability = Durability(*folders)
    with watched(durability):
        yield
    durability.end()
    assert not durability.breaches, "\n".join(durability.breaches)


def _identity(path: Path) -> Identity:
    status = path.stat()
    return status.st_dev, status.st_ino


def _content(path: Path) -> Content:
    """The identity of a content; new names in a folder change its time too."""
    status = path.stat()
    return status.st_size, status.st_mtime_ns
