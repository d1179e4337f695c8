"""Handles, profile and post URLs, short links; the API also validates its input with them.

`scrapers.transport` fetches pages; here only `ShortLinks` sends requests.
"""

from scrapers.urls.any_platform import (
    InvalidAccount,
    Reason,
    normalize_handle,
    parse_post_url,
    platform_of,
    post_url,
    profile_url,
    resolve_post_url,
    why_no_post,
)
from scrapers.urls.link import PostUrl, plain_text
from scrapers.urls.short_links import ShortLinks, TooManyShortLinks
from scrapers.urls.shortcode import pk_to_shortcode, shortcode_to_pk

__all__ = [
    "InvalidAccount",
    "PostUrl",
    "Reason",
    "ShortLinks",
    "TooManyShortLinks",
    "normalize_handle",
    "parse_post_url",
    "pk_to_shortcode",
    "plain_text",
    "platform_of",
    "post_url",
    "profile_url",
    "resolve_post_url",
    "shortcode_to_pk",
    "why_no_post",
]
