"""Types of the URL modules: a parsed link, and the content of a post's URL.

For any platform. Links come from people, so nothing in them is trusted.
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
    """A web link without its query: `host` in lower case, `path` as written but for `%40`."""

    host: str
    path: str


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
    return Link(host=parts.hostname.lower(), path=parts.path.replace("%40", "@"))
