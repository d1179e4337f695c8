"""The shapes that the URL modules share: a link taken apart, and what a post's URL says.

Knows no platform. Links come from people, so nothing in them is trusted.
"""

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

PostKind = Literal["video", "photo", "reel", "post", "short_link"]

_SCHEME = re.compile(r"https?://", re.IGNORECASE)
_NOT_IN_A_LINK = re.compile(r"[\s\x00-\x1f\x7f\\]")


@dataclass(frozen=True, slots=True)
class Link:
    """A web link without its query: `host` in lower case, `path` as written."""

    host: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PostUrl:
    """What the URL of a post says.

    `platform_video_id` is a string of digits, None for a short link (kind `short_link`), which
    has to be resolved first. `handle` is in lower case, None where the URL does not name it.
    """

    platform: str
    platform_video_id: str | None
    handle: str | None
    canonical_url: str
    kind: PostKind


def parse_link(text: str) -> Link | None:
    """Take a web link apart; None for what is not one. The scheme may be left out."""
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
    return Link(host=parts.hostname.lower(), path=parts.path)
