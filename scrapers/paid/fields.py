"""Reads profiles and posts by tables of fields: where a provider shows each one.

Pure functions: objects in, snapshots or ScrapeError out. The provider sets `source`.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any

from scrapers import payload, posting_times
from scrapers.payload import Json, at, count_at, flag_at, id_at, name_at, text_at
from scrapers.snapshots import AccountSnapshot, AccountTarget, VideoSnapshot
from scrapers.urls import instagram, tiktok
from scrapers.urls.shortcode import shortcode_to_pk

Fields = Mapping[str, Callable[[Json], Any]]
"""A reader for each field."""


def by(read: Callable[..., Any], *where: Any) -> Callable[[Json], Any]:
    """Return a reader that applies a function of `scrapers.payload` with its paths."""
    return lambda item: read(item, *where)


def handle_at(item: Json, path: str) -> str | None:
    """Return the handle at a path in lower case, None if missing."""
    handle = name_at(item, path)
    return handle.lower() if handle else None


def read_account(
    item: Json,
    fields: Fields,
    target: AccountTarget,
    captured_at: datetime,
    *,
    is_exact: bool,
    counters: tuple[str, str] = ("follower_count", "video_count"),
) -> AccountSnapshot:
    """Read a profile, which has at least a handle and one of the counters."""
    values = {"total_likes_count": None} | {name: read(item) for name, read in fields.items()}
    if values["observed_handle"] is None or all(values[name] is None for name in counters):
        raise payload.schema_changed("a profile without a handle or counters", item)
    return AccountSnapshot(
        platform=target.platform,
        handle=target.handle,
        is_exact=is_exact,
        source="",
        captured_at=captured_at,
        **values,
    )


_TYPE_NAMES = {"Image": "photo", "Video": "video", "Sidecar": "carousel"}


def media_type_at(item: Json, path: str) -> str | None:
    """Return the type of a post that the end of a name of Instagram's types means."""
    name = text_at(item, path) or ""
    return next((kind for end, kind in _TYPE_NAMES.items() if name.endswith(end)), None)


def reel_at(item: Json, path: str) -> str:
    """Return whether a post's URL is of a reel, by Instagram's own name of its kind."""
    return "reel" if at(item, path) == "clips" else "post"


def visible_likes_at(item: Json, *paths: str) -> int | None:
    """Return the first count of likes at the paths, None if the owner hides them."""
    is_hidden = flag_at(item, "like_and_view_counts_disabled")
    return None if is_hidden else count_at(item, *paths)


_SHORTEST_CODE = 5


def pk_at(media: Json, code: str, pk: str) -> str | None:
    """Return the id of a post by its code, as JSON may have rounded the number."""
    shortcode = text_at(media, code) or ""
    if len(shortcode) >= _SHORTEST_CODE:
        with suppress(ValueError):
            return shortcode_to_pk(shortcode)
    return id_at(media, pk)


def read_instagram_post(item: Json, fields: Fields, captured_at: datetime) -> VideoSnapshot:
    """Read a post. Its field `kind` becomes part of its URL."""
    values = {name: read(item) for name, read in fields.items()}
    pk, kind = values["platform_video_id"], values.pop("kind")
    if pk is None or int(pk) == 0:
        raise payload.schema_changed("a post without an id", item)
    return VideoSnapshot(
        platform=instagram.PLATFORM,
        url=instagram.post_url(pk, kind=kind),
        posted_at_is_estimate=False,
        share_count=None,
        save_count=None,
        is_exact=True,
        source="",
        captured_at=captured_at,
        **values,
    )


def read_tiktok_post(
    item: Json, fields: Fields, captured_at: datetime, *, is_exact: bool
) -> VideoSnapshot:
    """Read a post. Without a time, its id gives an estimate."""
    values = {name: read(item) for name, read in fields.items()}
    item_id, instant = values["platform_video_id"], values.pop("posted_at")
    if item_id is None:
        raise payload.schema_changed("a post without an id", item)
    posted_at, is_estimate = posting_times.on_tiktok(instant, item_id)
    return VideoSnapshot(
        platform=tiktok.PLATFORM,
        url=tiktok.post_url(item_id, values["handle"], values["media_type"]),
        posted_at=posted_at,
        posted_at_is_estimate=is_estimate,
        is_exact=is_exact,
        source="",
        captured_at=captured_at,
        **values,
    )
