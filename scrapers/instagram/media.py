"""Reads a post's node from any page into a snapshot. Pure functions.

Guests do not see a post's length. But the URL of each version has a base64 description of the file
(`efg`) with the length.
"""

import binascii
import json
from base64 import urlsafe_b64decode
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import parse_qs, urlsplit

from scrapers import payload, posting_times
from scrapers.instagram.settings import routes
from scrapers.payload import (
    Json,
    at,
    count_at,
    flag_at,
    id_at,
    name_at,
    seconds_at,
    text_at,
    web_url_at,
)
from scrapers.snapshots import AccountSnapshot, VideoSnapshot
from scrapers.urls.instagram import PLATFORM, post_url

_MEDIA_TYPES = {1: "photo", 2: "video", 8: "carousel"}
_TYPE_NAMES = {"ImageMedia": "photo", "VideoMedia": "video", "CarouselMedia": "carousel"}
_LONGEST = 2_000
_TO_URL_SAFE = str.maketrans("+/ ", "-_-")


@dataclass(frozen=True, slots=True)
class Reading:
    """What a node lacks: its route, the time, and the account whose tab it is in."""

    source: str
    captured_at: datetime
    account: AccountSnapshot | None = None

    @property
    def owner_id(self) -> str | None:
        """The pk of the account whose tab is read."""
        return self.account.platform_user_id if self.account else None

    @property
    def handle(self) -> str | None:
        return self.account.observed_handle if self.account else None

    def is_by_owner(self, author_id: str | None, handle: str | None) -> bool:
        """Return whether an author is that account, by handle if the id is unknown."""
        if author_id is None:
            return handle is not None and handle.lower() == self.handle
        return author_id == self.owner_id


def video_of(node: dict[str, Json], reading: Reading) -> VideoSnapshot:
    """Return a node's post. Raises ScrapeError."""
    pk = id_at(node, "pk")
    if pk is None or int(pk) == 0:
        raise payload.schema_changed("a post without a pk", node)
    paths = routes().post
    instant = payload.instant_at(node, "taken_at")
    posted_at, is_estimate = posting_times.on_instagram(instant, pk)
    handle = name_at(node, "user/username") or reading.handle
    return VideoSnapshot(
        platform=PLATFORM,
        platform_video_id=pk,
        platform_user_id=id_at(node, "user/pk") or reading.owner_id,
        handle=handle.lower() if handle else None,
        url=post_url(pk, kind="reel" if at(node, "product_type") == "clips" else "post"),
        caption=text_at(node, "caption/text"),
        media_type=_media_type(node),
        duration_seconds=_seconds_of(node),
        thumbnail_url=web_url_at(node, *paths.thumbnails),
        posted_at=posted_at,
        posted_at_is_estimate=is_estimate,
        view_count=count_at(node, *paths.view_count),
        like_count=_likes(node, paths.like_count),
        comment_count=count_at(node, *paths.comment_count),
        share_count=None,
        save_count=None,
        is_exact=True,
        source=reading.source,
        captured_at=reading.captured_at,
    )


def _likes(node: dict[str, Json], where: Sequence[str]) -> int | None:
    """Return the likes; None if the owner hides them, as the number shown is then wrong."""
    return None if flag_at(node, "like_and_view_counts_disabled") else count_at(node, *where)


def _media_type(node: dict[str, Json]) -> str | None:
    number = payload.number_at(node, "media_type")
    if number is not None:
        return _MEDIA_TYPES.get(number)
    name = text_at(node, "__typename") or ""
    return next((kind for end, kind in _TYPE_NAMES.items() if name.endswith(end)), None)


def _seconds_of(node: dict[str, Json]) -> int | None:
    """Return a video's length in seconds, or None; never raises."""
    seconds = seconds_at(node, routes().post.duration)
    versions = at(node, routes().post.versions)
    if seconds is not None or not isinstance(versions, list):
        return seconds
    lengths = (_in_address(at(version, "url")) for version in versions)
    return next((length for length in lengths if length is not None), None)


def _in_address(url: Json) -> int | None:
    if not isinstance(url, str):
        return None
    try:
        values = parse_qs(urlsplit(url).query).get(routes().post.version_description, [""])
        description = values[0][:_LONGEST].rstrip("=").translate(_TO_URL_SAFE)
        padded = description + "=" * (-len(description) % 4)
        tree = json.loads(urlsafe_b64decode(padded))
    except (ValueError, binascii.Error, RecursionError):
        return None
    return seconds_at(tree, routes().post.version_duration)
