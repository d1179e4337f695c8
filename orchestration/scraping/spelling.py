"""Handles and posts as the platforms spell them, for imports: what `scrapers.urls` knows."""

import re

from scrapers.urls import normalize_handle, post_url, shortcode_to_pk

DIGITS = re.compile(r"[1-9][0-9]{0,18}")
SHORTCODE = re.compile(r"[A-Za-z0-9_-]{5,64}")


class PlatformSpelling:
    """`warehouse.imports.spelling.Spelling` for all platforms; asks no platform anything."""

    def handle(self, platform: str, text: str) -> str:
        """Return the handle of a handle or profile URL. Raises InvalidAccount, a ValueError."""
        return normalize_handle(platform, text)

    def post_id(self, platform: str, text: str) -> str:
        """Return the digits of a post's id; on Instagram also of a shortcode.

        Raises ValueError. Digits alone are an id, though a shortcode could look like that.
        """
        if DIGITS.fullmatch(text):
            return text
        if platform == "instagram" and SHORTCODE.fullmatch(text):
            return shortcode_to_pk(text)
        raise ValueError(f"no post: {text!r:.80}")

    def post_url(self, platform: str, platform_video_id: str, handle: str) -> str:
        """Return the canonical URL of a post."""
        return post_url(platform, platform_video_id, handle)
