"""Publication times of posts: as the platform shows them, or estimated from the id.

Each pair is the time and whether it is an estimate; (None, False) if unknown.
"""

from datetime import datetime

from scrapers.payload import plausible_instant
from scrapers.urls.shortcode import uploaded_at

PostingTime = tuple[datetime | None, bool]


def on_tiktok(stated: datetime | None, item_id: str) -> PostingTime:
    """Return when an item was posted; the estimate is when its id was made."""
    return _stated_or(stated, in_item_id(item_id))


def on_instagram(stated: datetime | None, pk: str) -> PostingTime:
    """Return when a post was published; the estimate is the start of its upload, minutes before."""
    return _stated_or(stated, in_id("instagram", pk))


def in_id(platform: str, post_id: str) -> datetime | None:
    """Return the time inside a post's id, None if implausible."""
    if platform == "tiktok":
        return in_item_id(post_id)
    return plausible_instant(uploaded_at(post_id).timestamp())


def in_item_id(item_id: str) -> datetime | None:
    """Return when TikTok made an item's id (seconds = id >> 32), None if implausible."""
    return plausible_instant(int(item_id) >> 32)


def _stated_or(stated: datetime | None, estimate: datetime | None) -> PostingTime:
    return (stated, False) if stated else (estimate, estimate is not None)
