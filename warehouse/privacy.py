"""Who may read the data folder: its owner alone, and publications a group that was named for it.

What processes make is private from its first moment, by their umask (`umask`); what was made
before, or by somebody's hand, is closed when a command opens the installation. The embedded
PostgreSQL looks after its folder itself (`operational.server`); where it runs as a user of its own,
that user may pass through the data folder, and read nothing in it.
"""

import grp
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from warehouse.settings import Settings

OWNERS = 0o700
TRAVERSE = 0o011
GROUP_READS = 0o040
GROUP_ENTERS = 0o010
POSTGRES = "postgres"


@dataclass(frozen=True, slots=True)
class Opened:
    """Something that is open to others than it should be: to whom it should be, and may be."""

    path: Path
    mode: int
    group: int

    def close(self) -> bool:
        """Give it the mode and the group it should have; whether that was ours to do."""
        try:
            os.chown(self.path, -1, self.group)
            self.path.chmod(self.mode)
        except FileNotFoundError:
            return True
        except PermissionError:
            return False
        return True


def close_to_others(settings: Settings) -> list[Path]:
    """Close all of the installation's files to others; return those that are somebody else's."""
    return [opened.path for opened in opened_too_far(settings) if not opened.close()]


def opened_too_far(settings: Settings) -> Iterator[Opened]:
    """Yield what is open to more, or to fewer, than it should be."""
    readers = _readers(settings)
    for path in _all(settings):
        try:
            status = path.lstat()
        except FileNotFoundError:  # it was being written, or was retired
            continue
        should_be = _should_be(path, status, settings, readers)
        if (stat.S_IMODE(status.st_mode), status.st_gid) != (should_be.mode, should_be.group):
            yield should_be


def as_open_as(folder: Path, new: Path) -> None:
    """Let the group that may read `folder` read a new folder and all in it, before it is seen."""
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
    """Yield the data folder and all in it, and a warehouse that lies elsewhere."""
    home, warehouse = settings.home_path, settings.warehouse_path
    if home.is_dir():
        yield home
        yield from _below(home, but=home / POSTGRES)
    if not warehouse.is_relative_to(home):
        yield from (warehouse, warehouse.with_name(warehouse.name + ".wal"))


def _below(folder: Path, but: Path | None = None) -> Iterator[Path]:
    """Yield folders and files, not where links lead to, nor what a temporary name leads to."""
    for at, folders, files in os.walk(folder):
        here = Path(at)
        folders[:] = [name for name in folders if here / name != but]
        for path in (here / name for name in (*folders, *files)):
            if not path.is_symlink():
                yield path
