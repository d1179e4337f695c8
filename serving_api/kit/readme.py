"""Markdown notes of a row: length limit, replacing, appending.

All writes of notes go through here. The caller must lock the row.
"""

from sqlalchemy.orm import Session

from serving_api.errors import NotesConflict, NotesTooLong
from serving_api.kit.markdown import closed
from warehouse.notes import readme_version
from warehouse.operational.base import Noted, business_now

MAX_LENGTH = 50_000

__all__ = ["MAX_LENGTH", "append_to_readme", "readme_version", "replace_readme"]


def replace_readme(
    session: Session, row: Noted, text: str | None, expected_version: str | None = None
) -> None:
    """Replace the notes, if `expected_version` is None or their current version.

    An empty text clears them. Raises NotesConflict and NotesTooLong.
    """
    current = readme_version(row.readme)
    if expected_version is not None and expected_version != current:
        raise NotesConflict(current)
    _write(session, row, text or None)


def append_to_readme(session: Session, row: Noted, section: str, signature: str) -> None:
    """Append a section and its signature, each after an empty line.

    Closes code blocks that notes or section leave open, because they would swallow what follows.
    Raises NotesTooLong.
    """
    parts = [row.readme.rstrip(), section.strip()] if row.readme else [section.strip()]
    _write(session, row, "\n\n".join([*map(closed, parts), signature]))


def _write(session: Session, row: Noted, text: str | None) -> None:
    if text is not None and len(text) > MAX_LENGTH:
        raise NotesTooLong
    if text != row.readme:
        row.readme = text
        row.readme_updated_at = business_now(session)
