"""Reads TikTok's responses. Pure functions: text in, snapshots or ScrapeError out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from scrapers import payload, posting_times
from scrapers.discovery import read_each
from scrapers.findings import ListedPost
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.payload import Json, at, count_at, flag_at, id_at, name_at, text_at, web_url_at
from scrapers.snapshots import AccountSnapshot, VideoSnapshot
from scrapers.tiktok import refusals
from scrapers.tiktok.settings import PostPaths, ProfilePaths, routes
from scrapers.urls.tiktok import PLATFORM, post_url

PROFILE_PAGE = "tiktok.profile_page"
CREATOR_LIST = "tiktok.creator_list"
POST_PAGE = "tiktok.post_page"


@dataclass(frozen=True, slots=True)
class ItemPage:
    """A page of the creator list."""

    items: tuple[ListedPost, ...]
    has_more: bool
    unread: int = 0


def parse_profile(html: str, *, handle: str, captured_at: datetime) -> AccountSnapshot:
    """Read a profile page. Raises ScrapeError; a private profile with counts is read."""
    paths = routes().profile
    tree = _page_data(html, paths.root)
    user = payload.mapping_at(tree, paths.user)
    stats, is_exact = _stats(tree, paths)
    _hold_to_status(tree, readable=user is not None and stats is not None)
    if not user or stats is None:
        raise payload.schema_changed("a profile without user or stats", tree)
    observed = name_at(user, "uniqueId")
    if observed is None:
        raise payload.schema_changed("a profile without a handle", user)
    counts = {name: count_at(stats, *where) for name, where in _profile_counts(paths).items()}
    if all(count is None for count in counts.values()):
        raise payload.schema_changed("no known counter in a profile's stats", stats)
    return AccountSnapshot(
        platform=PLATFORM,
        handle=handle,
        observed_handle=observed.lower(),
        platform_user_id=id_at(user, "id"),
        platform_alt_id=name_at(user, "secUid"),
        display_name=text_at(user, "nickname"),
        biography=text_at(user, "signature"),
        bio_link=web_url_at(user, "bioLink/link"),
        avatar_url=web_url_at(user, "avatarLarger", "avatarMedium", "avatarThumb"),
        is_private=flag_at(user, "privateAccount"),
        is_verified=flag_at(user, "verified"),
        **counts,
        is_exact=is_exact,
        source=PROFILE_PAGE,
        captured_at=captured_at,
    )


def parse_item_page(text: str, *, captured_at: datetime) -> ItemPage:
    """Read a page of the creator list. Raises ScrapeError.

    An empty page is an ItemPage, also without a list: the profile tells whether it is the end or a
    refusal. One item that cannot be read costs no other (see read_each).
    """
    tree = list_answer(text)
    has_more = flag_at(tree, routes().list.has_more)
    entries = payload.items_at(tree, routes().list.items)
    if has_more is None:
        raise payload.schema_changed(f"a list without {routes().list.has_more}", tree)
    items, unread = read_each(entries, lambda entry: _list_item(entry, captured_at))
    if items and not any(item.video.is_counted for item in items):
        raise payload.schema_changed("a list without any known counter", entries[0])
    return ItemPage(items, has_more, unread)


def list_answer(text: str) -> dict[str, Json]:
    """Return a list route's response. Raises ScrapeError for a refusal."""
    if text.lstrip().startswith("<"):
        raise refusals.page_without_data(text)
    tree = payload.parse_json(text)
    if not isinstance(tree, dict):
        raise payload.schema_changed("the list's response is not an object", tree)
    if tree.get("type") == "verify":
        raise ScrapeError(Outcome.CHALLENGED, "captcha", raw_sample=payload.sample_of(tree))
    _hold_to_status(tree, readable=False)
    return tree


def parse_post(html: str, *, item_id: str, captured_at: datetime) -> VideoSnapshot:
    """Read a post's page. Raises ScrapeError, also if it shows another post."""
    paths = routes().post
    tree = _page_data(html, paths.root)
    item = payload.mapping_at(tree, paths.item)
    if refusal := refusals.refused_by_status(tree, of_post_page=True):
        raise refusal
    if not item:
        raise payload.schema_changed("a post page without its item", tree)
    if flag_at(item, "isContentClassified") and at(item, "video") is None:
        raise ScrapeError(Outcome.LOGIN_REQUIRED, "classified content needs a login")
    video = _video(item, source=POST_PAGE, captured_at=captured_at)
    if video.platform_video_id != item_id:
        raise payload.schema_changed(f"asked for {item_id}, got {video.platform_video_id}", item)
    if not video.is_counted:
        raise payload.schema_changed("no known counter in a post's stats", item)
    return video


def _page_data(html: str, root: str) -> dict[str, Json]:
    script = next(payload.script_bodies(html, routes().pages.script_mark), None)
    if script is None:
        raise refusals.page_without_data(html)
    tree = payload.parse_json(script)
    data = payload.mapping_at(tree, root)
    if data is None:
        raise refusals.data_of_another_page(html, root, tree)
    return data


def _hold_to_status(tree: Json, *, readable: bool) -> None:
    refusal = refusals.refused_by_status(tree)
    if refusal and not (readable and refusals.may_be_readable(tree)):
        raise refusal


def _stats(tree: Json, paths: ProfilePaths | PostPaths) -> tuple[dict[str, Json] | None, bool]:
    """Return the counters and whether they are exact; rounded ones only without exact ones."""
    exact = payload.mapping_at(tree, paths.exact_stats)
    if exact:
        return exact, True
    return payload.mapping_at(tree, paths.rounded_stats), False


def _profile_counts(paths: ProfilePaths) -> Mapping[str, Sequence[str]]:
    return {
        "follower_count": paths.follower_count,
        "following_count": paths.following_count,
        "total_likes_count": paths.total_likes_count,
        "video_count": paths.video_count,
    }


def _post_counts(paths: PostPaths) -> Mapping[str, Sequence[str]]:
    """Return the paths of a post's counters, by field of a snapshot."""
    return {
        name: getattr(paths, name) for name in PostPaths.model_fields if name.endswith("_count")
    }


def _list_item(entry: Json, captured_at: datetime) -> ListedPost:
    if not isinstance(entry, dict):
        raise payload.schema_changed("a list item that is not an object", entry)
    video = _video(entry, source=CREATOR_LIST, captured_at=captured_at)
    return ListedPost(video, is_pinned=flag_at(entry, "isPinnedItem") is True)


def _video(item: dict[str, Json], *, source: str, captured_at: datetime) -> VideoSnapshot:
    item_id = id_at(item, "id")
    if item_id is None:
        raise payload.schema_changed("an item without an id", item)
    paths = routes().post
    stats, is_exact = _stats(item, paths)
    instant = payload.instant_at(item, "createTime")
    posted_at, is_estimate = posting_times.on_tiktok(instant, item_id)
    handle = _author_handle(item)
    media_type = "photo" if at(item, "imagePost/images/0") is not None else "video"
    counts = {name: count_at(stats, *where) for name, where in _post_counts(paths).items()}
    return VideoSnapshot(
        platform=PLATFORM,
        platform_video_id=item_id,
        platform_user_id=id_at(item, "author/id"),
        handle=handle,
        url=post_url(item_id, handle, media_type),
        caption=text_at(item, "desc"),
        media_type=media_type,
        duration_seconds=payload.seconds_at(item, "video/duration"),
        thumbnail_url=web_url_at(item, *paths.thumbnails),
        posted_at=posted_at,
        posted_at_is_estimate=is_estimate,
        **counts,
        is_exact=is_exact,
        source=source,
        captured_at=captured_at,
    )


def _author_handle(item: dict[str, Json]) -> str | None:
    """Return the author's handle; old formats have a string as the author."""
    handle = name_at(item, "author/uniqueId", "author")
    return handle.lower() if handle else None
