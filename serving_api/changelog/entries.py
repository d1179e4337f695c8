"""Reading and searching the changelog, independent of HTTP.

Entries are installed files, read once when the application is created.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from pathlib import Path
from uuid import UUID

from serving_api.kit.cursor import Cursor

FOLDER = Path(__file__).parent

_LINK = re.compile(r"(\]\(|^\[[^\]]+\]: *)/(?!/)", re.MULTILINE)
_NO_ID = UUID(int=0)


@dataclass(frozen=True, slots=True)
class Entry:
    day: date
    title: str
    body: str

    @property
    def anchor(self) -> str:
        return self.day.isoformat()

    @property
    def position(self) -> Cursor:
        """The entry's position in the list: days are unique."""
        return Cursor(datetime.combine(self.day, time(), UTC), _NO_ID)

    def body_at(self, origin: str) -> str:
        return _LINK.sub(rf"\g<1>{origin}/", self.body)

    def mentions(self, words: Sequence[str]) -> bool:
        """Return whether title or text contains every word, ignoring case."""
        text = f"{self.title}\n{self.body}".casefold()
        return all(word in text for word in words)


class Entries(tuple[Entry, ...]):
    """All entries, newest first."""


def read_entries(folder: Path = FOLDER) -> Entries:
    entries = [_read(path) for path in folder.glob("*.md")]
    return Entries(sorted(entries, key=lambda entry: entry.day, reverse=True))


def search(entries: Sequence[Entry], since: date | None, q: str | None) -> list[Entry]:
    """Return the entries since a day that contain every word of `q`."""
    words = (q or "").casefold().split()
    return [
        entry
        for entry in entries
        if (since is None or entry.day >= since) and entry.mentions(words)
    ]


def _read(path: Path) -> Entry:
    title, _, body = path.read_text(encoding="utf-8").partition("\n")
    return Entry(date.fromisoformat(path.stem), title.removeprefix("# ").strip(), body.strip())
