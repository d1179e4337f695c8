"""The mark of a data folder with an unfinished restore.

While it exists, the operational store must not be opened: data may be old or missing.
"""

import json
import shlex
from dataclasses import dataclass
from pathlib import Path

from warehouse.landing.folders import sync, write_file

NAME = "restore.unfinished"


@dataclass(frozen=True)
class UnfinishedRestore:
    """The backup being restored, and the folder of the data that it replaces."""

    backup: str
    aside: str

    @property
    def command(self) -> str:
        """The command that repeats it."""
        return shlex.join(["tracker", "restore", "--force", self.backup])


def unfinished_restore(home: Path) -> UnfinishedRestore | None:
    try:
        text = (home / NAME).read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return None
    return UnfinishedRestore(**json.loads(text))


def note_unfinished(home: Path, restore: UnfinishedRestore) -> None:
    """Mark the data folder. The mark is on disk when this returns."""
    text = json.dumps({"backup": restore.backup, "aside": restore.aside})
    write_file(home / NAME, text + "\n")


def note_finished(home: Path) -> None:
    """Remove the mark: the data is complete."""
    (home / NAME).unlink()
    sync(home)
