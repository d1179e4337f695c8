"""Access to the data folder: its owner only, and a named group for publications.

New files are private by the process's umask (`umask`); older or hand-made ones are closed when a
command opens the installation. The embedded PostgreSQL protects its own folder
(`operational.server`); if it runs as another user, that user may pass through the data folder, and
read nothing in it.
"""

import grp
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from warehouse.settings import Settings, history_folder

OWNERS = 0o700
TRAVERSE = 0o011
GROUP_READS = 0o040
GROUP_ENTERS = 0o010
POSTGRES = "postgres"


@dataclass(frozen=True, slots=True)
class Opened:
    """A path with wrong permissions, and the mode and group it should have."""

    path: Path
    mode: int
    group: int

    def close(self) -> bool:
        """Set mode and group. Returns whether this process may do so."""
        try:
            os.chown(self.path, -1, self.group)
            self.path.chmod(self.mode)
        except FileNotFoundError:
            return True
        except PermissionError:
            return False
        return True


def close_to_others(settings: Settings) -> list[Path]:
    """Close all of the installation's files to others. Returns paths of other owners."""
    return [opened.path for opened in opened_too_far(settings) if not opened.close()]


def opened_too_far(settings: Settings) -> Iterator[Opened]:
    """Yield paths whose mode or group is wrong."""
    readers = _readers(settings)
    for path in _all(settings):
        try:
            status = path.lstat()
        except FileNotFoundError:  # removed meanwhile
            continue
        should_be = _should_be(path, status, settings, readers)
        if (stat.S_IMODE(status.st_mode), status.st_gid) != (should_be.mode, should_be.group):
            yield should_be


def as_open_as(folder: Path, new: Path) -> None:
    """Give the group that may read `folder` access to a new folder before it becomes visible."""
    status = folder.stat()
    if status.st_mode & GROUP_READS:
        for path in (new, *_below(new)):
            _opened(path, path.lstat(), status.st_gid).close()


def _should_be(
    path: Path, status: os.stat_result, settings: Settings, readers: int | None
) -> Opened:
    if readers is not None and path.is_relative_to(settings.publications_path):
        return _opened(path, status, readers)
    mode, group = stat.S_IMODE(status.st_mode) & OWNERS, status.st_gid
    if path == settings.home_path:
        if os.geteuid() == 0:
            mode |= stat.S_IMODE(status.st_mode) & TRAVERSE
        if readers is not None:
            mode, group = mode | GROUP_ENTERS, readers
    return Opened(path, mode, group)


def _opened(path: Path, status: os.stat_result, readers: int) -> Opened:
    reads = GROUP_READS | (GROUP_ENTERS if stat.S_ISDIR(status.st_mode) else 0)
    return Opened(path, stat.S_IMODE(status.st_mode) & OWNERS | reads, readers)


def _readers(settings: Settings) -> int | None:
    return grp.getgrnam(settings.readers_group).gr_gid if settings.readers_group else None


def _all(settings: Settings) -> Iterator[Path]:
    """Yield the data folder with its content, and a warehouse elsewhere."""
    home, warehouse = settings.home_path, settings.warehouse_path
    if home.is_dir():
        yield home
        yield from _below(home, but=home / POSTGRES)
    if not warehouse.is_relative_to(home):
        history = history_folder(warehouse)
        yield from (warehouse, warehouse.with_name(warehouse.name + ".wal"), history)
        yield from _below(history)


def _below(folder: Path, but: Path | None = None) -> Iterator[Path]:
    """Yield folders and files, without links and their targets."""
    for at, folders, files in os.walk(folder):
        here = Path(at)
        folders[:] = [name for name in folders if here / name != but]
        for path in (here / name for name in (*folders, *files)):
            if not path.is_symlink():
                yield path
