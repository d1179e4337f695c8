"""Types of the URL modules: a parsed link, and the content of a post's URL.

For any platform. Links come from people, so nothing in them is trusted.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote, urlsplit

PostKind = Literal["video", "photo", "reel", "post", "short_link"]

_SCHEME = re.compile(r"https?://", re.IGNORECASE)
_NOT_IN_A_LINK = re.compile(r"[\s\x00-\x1f\x7f\\]")


@dataclass(frozen=True, slots=True)
class Link:
    """A web link: `host` in lower case, `path` as written but for `%40`, `query` as written."""

    host: str
    path: str
    query: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PostUrl:
    """The content of a post's URL.

    `platform_video_id` is a string of digits, None for a short link (kind `short_link`), which
    must be resolved first. `handle` is in lower case, None if the URL does not have it.
    """

    platform: str
    platform_video_id: str | None
    handle: str | None
    canonical_url: str
    kind: PostKind


def parse_link(text: str) -> Link | None:
    """Parse a web link, with or without scheme; None if it is not one."""
    text = text.strip()
    if _NOT_IN_A_LINK.search(text):
        return None
    try:
        parts = urlsplit(text if _SCHEME.match(text) else f"https://{text}")
        port = parts.port
    except ValueError:
        return None
    if not parts.hostname or "@" in parts.netloc or port not in (None, 80, 443):
        return None
    return Link(parts.hostname.lower(), parts.path.replace("%40", "@"), parts.query)


_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_BLANK_AFTER_AT = re.compile(r"(^\s*|/)@\s+")


def plain_text(text: str) -> str:
    """Return a text without invisible characters, with full-width ones as ASCII."""
    shown = (each for each in text.translate(_FULL_WIDTH) if unicodedata.category(each) != "Cf")
    return _BLANK_AFTER_AT.sub(r"\1@", "".join(shown)).strip()


_REST = r"""[^\s<>"'`()\[\]{}|]"""
_IN_TEXT = re.compile(
    rf"https?://{_REST}+|(?<![\w@/.:%-])(?:[a-z0-9-]+\.)+[a-z]{{2,}}(?:[/?#:]{_REST}*)?",
    re.IGNORECASE,
)
_PUNCTUATION = ",;:!?*\u00bb\u201d\u2019\u300d\u300f\u3011\u3001\u3002"
"""Marks after a link in a sentence."""
_TARGET = re.compile(r"https?:/[^\s&]+|(?<==)/[^\s&]+")


def words_in(text: str) -> Iterator[str]:
    """Yield what may be links in a text: with a scheme, or beginning with the name of a host."""
    for match in _IN_TEXT.finditer(text):
        word = match[0].rstrip(_PUNCTUATION)
        # Two dots or more end a shortened link, whose rest is unknown.
        yield word if word.endswith("..") else word.removesuffix(".").rstrip(_PUNCTUATION)


def targets_in(link: Link) -> Iterator[str]:
    """Yield the links inside another, as redirectors and login pages have them."""
    for match in _TARGET.finditer(unquote(f"{link.path}?{link.query}")):
        yield f"https://{link.host}{match[0]}" if match[0].startswith("/") else match[0]
