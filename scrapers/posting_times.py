"""When a post was published: as its platform tells, else as far as the post's id gives it away.

Each pair is the instant and whether it is an estimate; of a time that nothing tells it is neither.
"""

from datetime import datetime

from scrapers.payload import plausible_instant
from scrapers.urls.shortcode import uploaded_at

PostingTime = tuple[datetime | None, bool]


def on_tiktok(stated: datetime | None, item_id: str) -> PostingTime:
    """Return when an item was posted; the estimate is when its id was given out."""
    return _stated_or(stated, in_item_id(item_id))


def on_instagram(stated: datetime | None, pk: str) -> PostingTime:
    """Return when a post was published; the estimate is when its upload began, minutes before."""
    return _stated_or(stated, plausible_instant(uploaded_at(pk).timestamp()))


def in_item_id(item_id: str) -> datetime | None:
    """Return when TikTok gave out an item's id (seconds = id >> 32), None where that cannot be."""
    return plausible_instant(int(item_id) >> 32)


def _stated_or(stated: datetime | None, estimate: datetime | None) -> PostingTime:
    return (stated, False) if stated else (estimate, estimate is not None)
