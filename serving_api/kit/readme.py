"""Markdown: escaping and closing it, and notes of a row: length limit, replacing, appending.

All writes of notes go through here. The caller must lock the row.
"""

import re

from markdown_it import MarkdownIt
from markdown_it.token import Token
from sqlalchemy.orm import Session

from serving_api.errors import NotesConflict, NotesTooLong
from warehouse.notes import readme_version
from warehouse.operational.base import Noted, business_now

_commonmark = MarkdownIt("commonmark")
_SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~&])")
_LINE_END = re.compile(r"\r\n|\n|\r")
"""Line ends in Markdown; `str.splitlines` knows more."""


def plain(text: str) -> str:
    """Return the text escaped as one line of Markdown."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def closed(text: str) -> str:
    """Return the text without trailing whitespace, with an open code block closed."""
    lines = _LINE_END.split(text)
    blocks = (token for token in _commonmark.parse(text) if token.level == 0)
    fences = [token for token in blocks if token.type == "fence"]
    if fences and _is_open(fences[-1], lines):
        return f"{text}\n{fences[-1].markup}"
    return text


def _is_open(fence: Token, lines: list[str]) -> bool:
    """Return whether a fenced block ends with the text instead of a closing fence."""
    first, end = fence.map or (0, 0)
    if end < len(lines):
        return False
    delimiter = re.escape(fence.markup[0])
    closing = re.compile(rf" {{0,3}}{delimiter}{{{len(fence.markup)},}}[ \t]*")
    return first == len(lines) - 1 or closing.fullmatch(lines[-1]) is None


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
