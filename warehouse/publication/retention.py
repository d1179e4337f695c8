"""How long replaced publications stay: 24 hours by the real clock, for those still reading them.

When a publication was replaced is a file in its folder, written the first time that it is found
not to be the current one, so that a kill in between only makes it stay longer.
"""

from datetime import datetime, timedelta
from pathlib import Path

from warehouse.clock import Clock, system_clock
from warehouse.landing.folders import PREFIX, remove, write_file
from warehouse.publication.layout import CURRENT, current_folder

KEPT = timedelta(hours=24)
MARKER = "replaced_at"


def retire(publications: Path, now: datetime) -> list[str]:
    """Remove the publications replaced 24 hours or longer ago; return their ids.

    `now` is the real time (UTC). Only the holder of the warehouse lock may do this.
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
    due = [folder for folder in replaced if now - _replaced_at(folder, now) >= KEPT]
    for folder in due:
        remove(folder)
    return [folder.name for folder in due]


def give_up(publications: Path, real_clock: Clock = system_clock) -> None:
    """Let there be no current publication; what there is stays 24 hours for who reads it."""
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
