"""Markdown: escaping text, and closing open blocks."""

import re

from markdown_it import MarkdownIt
from markdown_it.token import Token

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
