"""What the API has to understand of Markdown: what is special in it, where a block is left open."""

import re

from markdown_it import MarkdownIt
from markdown_it.token import Token

_commonmark = MarkdownIt("commonmark")
_SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~&])")
_LINE_END = re.compile(r"\r\n|\n|\r")
"""What ends a line in Markdown; Python knows more than that."""


def plain(text: str) -> str:
    """Return a text as Markdown that shows it: one line in which nothing has a meaning."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def closed(text: str) -> str:
    """Return a text without space at its end, a code block that it leaves open closed."""
    lines = _LINE_END.split(text)
    blocks = (token for token in _commonmark.parse(text) if token.level == 0)
    fences = [token for token in blocks if token.type == "fence"]
    if fences and _is_open(fences[-1], lines):
        return f"{text}\n{fences[-1].markup}"
    return text


def _is_open(fence: Token, lines: list[str]) -> bool:
    """Tell whether a fenced block ends with the text and not with a fence of its own."""
    first, end = fence.map or (0, 0)
    if end < len(lines):
        return False
    delimiter = re.escape(fence.markup[0])
    closing = re.compile(rf" {{0,3}}{delimiter}{{{len(fence.markup)},}}[ \t]*")
    return first == len(lines) - 1 or closing.fullmatch(lines[-1]) is None
