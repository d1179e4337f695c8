"""Which replaced publications stay: those that are read, and of a day the last and one an hour.

Of a day also the one that programs were told of last: with it the next one is compared.

When a publication was replaced, by the real clock, is a file in its folder, written the first time
that it is found not to be the current one, so that a kill in between only makes it stay longer.
"""

import fcntl
import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import TypeVar

from warehouse.clock import Clock, system_clock
from warehouse.landing.folders import PREFIX, remove, write_file
from warehouse.publication.layout import CURRENT, DATABASE, current_folder

Each = TypeVar("Each")

RETENTION = timedelta(hours=24)
READ_WITHIN = timedelta(hours=1)
"""All stay for so long: whoever is about to read one is not seen, and pages of a list go on."""
LAST = 3
MARKER = "replaced_at"
NOTIFIED = "told"
"""A file in the publication that programs were told of last."""


def retire(publications: Path, now: datetime) -> list[str]:
    """Remove the replaced publications that nobody needs; return their ids.

    Of the last 24 hours the last three stay, one of each hour and what was told of last; of any
    time those that a process has open. `now` is the real time (UTC). Only the holder of the
    warehouse lock may do this.
    """
    current = current_folder(publications)
    replaced = [
        folder
        for folder in sorted(publications.iterdir())
        if folder.is_dir()
        and not folder.is_symlink()
        and not folder.name.startswith(PREFIX)
        and folder != current
    ]
    replaced_at = {folder: _replaced_at(folder, now) for folder in replaced}
    notified = {folder for folder in replaced if (folder / NOTIFIED).exists()}
    unneeded = needless(replaced_at, now, notified)
    due = [folder for folder in unneeded if not _is_open(folder / DATABASE)]
    for folder in due:
        remove(folder)
    return [folder.name for folder in due]


def needless(
    replaced_at: Mapping[Each, datetime], now: datetime, notified: Collection[Each] = ()
) -> Iterator[Each]:
    """Yield the replaced publications that need not stay: neither recent, nor the last of an hour.

    Each is a folder, an id or whatever names one. Those that are `notified` stay for KEPT.
    """
    hours = set[datetime]()
    newest_first = sorted(
        replaced_at, key=lambda each: (replaced_at[each], str(each)), reverse=True
    )
    for age_rank, each in enumerate(newest_first):
        hour = replaced_at[each].replace(minute=0, second=0, microsecond=0)
        is_last = age_rank < LAST or hour not in hours or each in notified
        hours.add(hour)
        age = now - replaced_at[each]
        if age >= RETENTION or not (is_last or age < READ_WITHIN):
            yield each


def note_notified(folder: Path) -> None:
    """Note that programs are told of a publication."""
    write_file(folder / NOTIFIED, "")


def forget_notified_before(folder: Path) -> None:
    """Forget that programs were told of others than this one."""
    for marker in folder.parent.glob(f"*/{NOTIFIED}"):
        if marker.parent != folder:
            marker.unlink(missing_ok=True)


def _is_open(database: Path) -> bool:
    """Tell whether a process has a publication open: DuckDB holds a lock on what it reads.

    To close a file gives up all locks of this process on it (fcntl), so its own are not tried.
    """
    if _is_open_here(database):
        return True
    try:
        with database.open("r+b") as file:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


def _is_open_here(database: Path) -> bool:
    """Tell whether this process has a file open, where the system says so (Linux)."""
    target = str(database.resolve())
    with suppress(FileNotFoundError), os.scandir("/proc/self/fd") as descriptors:
        return any(_target_of(descriptor) == target for descriptor in descriptors)
    return False


def _target_of(descriptor: os.DirEntry[str]) -> str | None:
    with suppress(OSError):  # that of the folder itself, or closed meanwhile
        return os.readlink(descriptor)
    return None


def give_up(publications: Path, real_clock: Clock = system_clock) -> None:
    """Let there be no current publication; what there is stays as if it were replaced."""
    if publications.exists():
        (publications / CURRENT).unlink(missing_ok=True)
        retire(publications, real_clock())


def _replaced_at(folder: Path, now: datetime) -> datetime:
    """Return when it was replaced.

    That is now, and is noted, where it is unknown or lies ahead (the clock was set back).
    """
    marker = folder / MARKER
    if marker.exists():
        noted = datetime.fromisoformat(marker.read_text(encoding="utf-8"))
        if noted <= now:
            return noted
    write_file(marker, now.isoformat())
    return now
