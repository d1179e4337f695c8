"""The mark of a data folder into which a restore has begun and not ended.

While it is there, nobody may open the operational store: half of the data may be old, or missing.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from warehouse.landing.folders import sync, write_file

NAME = "restore.unfinished"


@dataclass(frozen=True)
class UnfinishedRestore:
    """Which backup is being restored, and where the data lies that gave way to it."""

    backup: str
    aside: str


def unfinished_restore(home: Path) -> UnfinishedRestore | None:
    """Return the restore that has not ended, None in a sound data folder."""
    try:
        text = (home / NAME).read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return None
    return UnfinishedRestore(**json.loads(text))


def note_unfinished(home: Path, restore: UnfinishedRestore) -> None:
    """Mark the data folder; on disk when this returns."""
    text = json.dumps({"backup": restore.backup, "aside": restore.aside})
    write_file(home / NAME, text + "\n")


def note_finished(home: Path) -> None:
    """Take the mark away: the data is whole."""
    (home / NAME).unlink()
    sync(home)
