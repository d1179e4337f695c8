"""Markdown notes on an entity: their version, their cap, and replacing them."""

from hashlib import sha256
from typing import Protocol

from serving_api.errors import NotesConflict, NotesTooLong

MAX_LENGTH = 50_000


class HasReadme(Protocol):
    """A row with notes."""

    readme: str | None


def readme_version(text: str | None) -> str:
    """Return the version of a text: a hash, so that equal texts have equal versions."""
    return sha256((text or "").encode()).hexdigest()[:16]


def checked_readme(text: str | None) -> str | None:
    """Return the text to store: None where it is empty. Raises NotesTooLong."""
    if text is not None and len(text) > MAX_LENGTH:
        raise NotesTooLong
    return text or None


def replace_readme(row: HasReadme, text: str | None, expected_version: str | None = None) -> None:
    """Overwrite the notes, where `expected_version` is given only if that is still theirs.

    The row must be locked by the caller. Raises NotesConflict and NotesTooLong.
    """
    current = readme_version(row.readme)
    if expected_version is not None and expected_version != current:
        raise NotesConflict(current)
    row.readme = checked_readme(text)
