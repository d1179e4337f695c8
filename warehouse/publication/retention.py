"""Decides which replaced publications stay: open ones, the last ones, and one per hour of a day.

The last one reported by webhooks stays for a day too, because the next one is compared with it. A
file in a publication's folder has its time of replacement (real clock), written when it is first
found replaced, so that a kill in between only delays its removal.
"""

import fcntl
import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from stat import S_IWUSR
from typing import TypeVar

import structlog

from warehouse.clock import system_clock
from warehouse.landing.folders import remove, write_file
from warehouse.publication.layout import CURRENT, DATABASE, current_folder, publication_folders

Each = TypeVar("Each")

RETENTION = timedelta(hours=24)
READ_WITHIN = timedelta(hours=1)
"""All stay this long: a reader about to open one is not visible yet, and pages of a list continue.
"""
LAST = 3
MARKER = "replaced_at"
log = structlog.get_logger(__name__)

NOTIFIED = "told"
"""Marks the publication reported last by webhooks."""


def retire(publications: Path, now: datetime) -> list[str]:
    """Remove unneeded replaced publications. Returns their ids.

    Of the last 24 hours the last three, one per hour and the last reported one stay; of any age
    those that a process has open. `now` is the real time (UTC). Only the holder of the warehouse
    lock may call this.
    """
    current = current_folder(publications)
    replaced_at: dict[Path, datetime] = {}
    notified = set[Path]()
    removed = []
    for folder in publication_folders(publications):
        with _logged(folder):
            if folder != current and (folder / NOTIFIED).exists():
                notified.add(folder)
            if folder != current:
                replaced_at[folder] = _replaced_at(folder, now)
    for folder in needless(replaced_at, now, notified):
        with _logged(folder):
            if not _is_open(folder / DATABASE):
                remove(folder)
                removed.append(folder.name)
    for folder, noted in replaced_at.items():  # last: a full disk has room again
        if noted == now and folder.name not in removed:
            with _logged(folder):
                write_file(folder / MARKER, now.isoformat())
    return removed


@contextmanager
def _logged(folder: Path) -> Iterator[None]:
    """Log an error of one folder, such as another user's: the others are retired all the same."""
    try:
        yield
    except OSError as error:
        log.warning("publication_not_retired", folder=folder.name, error=str(error))


def needless(
    replaced_at: Mapping[Each, datetime], now: datetime, notified: Collection[Each] = ()
) -> Iterator[Each]:
    """Yield replaced publications that are neither recent nor the last of an hour.

    They are named by folder, id or anything else. `notified` ones stay for RETENTION.
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
    """Mark a publication as reported by webhooks."""
    write_file(folder / NOTIFIED, "")


def forget_notified_before(folder: Path) -> None:
    """Remove the mark from all other publications."""
    for other in publication_folders(folder.parent):
        if other != folder:
            (other / NOTIFIED).unlink(missing_ok=True)


def _is_open(database: Path) -> bool:
    """Return whether a process has a publication open: DuckDB locks the files that it reads.

    Closing a file releases all of this process's locks on it (fcntl), so its own are not tested.
    """
    if _is_open_here(database):
        return True
    try:
        mode = database.stat().st_mode
        database.chmod(mode | S_IWUSR)  # only who may write can see whether others read
        try:
            file = database.open("r+b")
        finally:
            database.chmod(mode)
        with file:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


def _is_open_here(database: Path) -> bool:
    """Return whether this process has a file open, if the system tells (Linux)."""
    target = str(database.resolve())
    with suppress(FileNotFoundError), os.scandir("/proc/self/fd") as descriptors:
        return any(_target_of(descriptor) == target for descriptor in descriptors)
    return False


def _target_of(descriptor: os.DirEntry[str]) -> str | None:
    with suppress(OSError):  # the folder's own, or closed meanwhile
        return os.readlink(descriptor)
    return None


def give_up(publications: Path) -> None:
    """Remove the link to the current publication; its files stay like a replaced one's."""
    (publications / CURRENT).unlink(missing_ok=True)
    retire(publications, system_clock())


def _replaced_at(folder: Path, now: datetime) -> datetime:
    """Return when a publication was replaced.

    If unknown or in the future (the clock was set back), this is now.
    """
    marker = folder / MARKER
    if marker.exists():
        noted = datetime.fromisoformat(marker.read_text(encoding="utf-8"))
        if noted <= now:
            return noted
    return now
