"""Normalizes handles and posts of imports, by `scrapers.urls`."""

import re
from datetime import datetime

from scrapers.posting_times import in_id
from scrapers.urls import normalize_handle, parse_post_url, plain_text, post_url, shortcode_to_pk

DIGITS = re.compile(r"[1-9][0-9]{0,18}")
SHORTCODE = re.compile(r"[A-Za-z0-9_-]{5,64}")


class PlatformSpelling:
    """`warehouse.imports.values.Spelling` for all platforms; sends no request."""

    def handle(self, platform: str, text: str) -> str:
        """Return the handle of a handle or profile URL. Raises InvalidAccount, a ValueError."""
        return normalize_handle(platform, text)

    def post_id(self, platform: str, text: str) -> str:
        """Return a post's numeric id, also from its link, on Instagram from a shortcode.

        Raises ValueError. Digits only are an id, although a shortcode could look the same.
        """
        text = plain_text(text)
        if DIGITS.fullmatch(text):
            return text
        if platform == "instagram" and SHORTCODE.fullmatch(text):
            return shortcode_to_pk(text)
        link = parse_post_url(text)
        if link and link.platform == platform and link.platform_video_id:
            return link.platform_video_id
        raise ValueError(f"not a post: {text!r:.80}")

    def post_url(self, platform: str, platform_video_id: str, handle: str) -> str:
        return post_url(platform, platform_video_id, handle)

    def made_at(self, platform: str, platform_video_id: str) -> datetime | None:
        return in_id(platform, platform_video_id)
