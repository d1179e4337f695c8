"""Reads TikTok's embeds, which other sites show of a profile or post. Pure functions.

They work where pages return a challenge, but show less: rounded counts of a profile, no saves of a
post, and nothing that is private, restricted or not embeddable.
"""

from dataclasses import dataclass
from datetime import datetime

from scrapers import payload, posting_times
from scrapers.discovery import read_each
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.payload import Json, at, count_at, flag_at, id_at, name_at, text_at, web_url_at
from scrapers.snapshots import AccountSnapshot, VideoSnapshot
from scrapers.tiktok import refusals
from scrapers.tiktok.settings import routes
from scrapers.urls.tiktok import PLATFORM, post_url

CREATOR_EMBED = "tiktok.creator_embed"
POST_EMBED = "tiktok.post_embed"
POST_PLAYER = "tiktok.post_player"


@dataclass(frozen=True, slots=True)
class CreatorEmbed:
    """A profile's embed: the account, and the ids of its posts."""

    account: AccountSnapshot
    post_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PostEmbed:
    """A post's embed: the post, and its author's secUid if shown."""

    video: VideoSnapshot
    sec_uid: str | None


def parse_creator_embed(html: str, *, handle: str, captured_at: datetime) -> CreatorEmbed:
    """Read a profile's embed. Raises ScrapeError."""
    paths = routes().creator_embed
    embed = _embed_data(html, paths.key, if_missing=Outcome.NOT_FOUND)
    user = payload.mapping_at(embed, paths.user)
    observed = name_at(user, "uniqueId")
    if not user or observed is None:
        raise payload.schema_changed("a profile's embed without user or handle", embed)
    followers, following = (
        count_at(user, *where) for where in (paths.follower_count, paths.following_count)
    )
    if followers is None and following is None:
        raise payload.schema_changed("no known counter in a profile's embed", user)
    account = AccountSnapshot(
        platform=PLATFORM,
        handle=handle,
        observed_handle=observed.lower(),
        platform_user_id=id_at(user, "id"),
        platform_alt_id=name_at(user, "secUid"),
        display_name=text_at(user, "nickname"),
        biography=text_at(user, "signature"),
        bio_link=None,
        avatar_url=web_url_at(user, "avatarThumbUrl"),
        is_private=None,
        is_verified=flag_at(user, "verified"),
        follower_count=followers,
        following_count=following,
        total_likes_count=count_at(user, *paths.total_likes_count),
        video_count=None,
        is_exact=False,
        source=CREATOR_EMBED,
        captured_at=captured_at,
    )
    posts, _ = read_each(payload.items_at(embed, paths.posts), lambda post: id_at(post, "id"))
    return CreatorEmbed(account, tuple(post_id for post_id in posts if post_id))


def parse_post_embed(html: str, *, item_id: str, captured_at: datetime) -> PostEmbed:
    """Read a post's embed, or the player's JSON instead.

    Raises ScrapeError, also if it shows another post.
    """
    if html.lstrip().startswith("{"):
        return _played(html, item_id, captured_at)
    paths = routes().post_embed
    embed = _embed_data(html, paths.key, if_missing=Outcome.POST_UNAVAILABLE)
    item, author = payload.mapping_at(embed, paths.item), at(embed, paths.author)
    if not item or id_at(item, "id") != item_id:
        raise payload.schema_changed(f"the embed lacks the item {item_id}", embed)
    counts = {
        "view_count": count_at(item, *paths.view_count),
        "like_count": count_at(item, *paths.like_count),
        "comment_count": count_at(item, *paths.comment_count),
        "share_count": count_at(item, *paths.share_count),
    }
    if all(count is None for count in counts.values()):
        raise payload.schema_changed("no known counter in a post's embed", item)
    handle = name_at(author, "uniqueId")
    handle = handle.lower() if handle else None
    media_type = "video" if at(embed, paths.photos) is None else "photo"
    instant = payload.instant_at(item, "createTime")
    posted_at, is_estimate = posting_times.on_tiktok(instant, item_id)
    video = VideoSnapshot(
        platform=PLATFORM,
        platform_video_id=item_id,
        platform_user_id=id_at(author, "userId"),
        handle=handle,
        url=post_url(item_id, handle, media_type),
        caption=text_at(item, "text"),
        media_type=media_type,
        duration_seconds=payload.seconds_at(item, "video/videoMeta/duration"),
        thumbnail_url=web_url_at(item, "covers/0"),
        posted_at=posted_at,
        posted_at_is_estimate=is_estimate,
        **counts,
        save_count=None,
        is_exact=True,
        source=POST_EMBED,
        captured_at=captured_at,
    )
    return PostEmbed(video, sec_uid=name_at(author, "secUid"))


def _played(text: str, item_id: str, captured_at: datetime) -> PostEmbed:
    """Read the Embed Player's JSON: likes, comments and shares, but no plays and no time."""
    paths, tree = routes().post_player, payload.parse_json(text)
    item = payload.mapping_at(tree, paths.item)
    if not item:
        if text_at(tree, paths.missing) is not None:
            raise ScrapeError(Outcome.POST_UNAVAILABLE, "the player has no such post")
        raise payload.schema_changed("the player's response has no items", tree)
    if item_id not in (id_at(item, "id_str"), id_at(item, "id")):
        raise payload.schema_changed(f"the player's response lacks the item {item_id}", tree)
    counts = {
        "like_count": count_at(item, *paths.like_count),
        "comment_count": count_at(item, *paths.comment_count),
        "share_count": count_at(item, *paths.share_count),
    }
    if all(count is None for count in counts.values()):
        raise payload.schema_changed("no known counter in a player's item", item)
    handle = name_at(item, *paths.handle)
    handle = handle.lower() if handle else None
    media_type = "video" if at(item, paths.photos) is None else "photo"
    posted_at, is_estimate = posting_times.on_tiktok(None, item_id)
    video = VideoSnapshot(
        platform=PLATFORM,
        platform_video_id=item_id,
        platform_user_id=None,
        handle=handle,
        url=post_url(item_id, handle, media_type),
        caption=text_at(item, "desc"),
        media_type=media_type,
        duration_seconds=None,
        thumbnail_url=None,
        posted_at=posted_at,
        posted_at_is_estimate=is_estimate,
        view_count=None,
        **counts,
        save_count=None,
        is_exact=True,
        source=POST_PLAYER,
        captured_at=captured_at,
    )
    return PostEmbed(video, sec_uid=None)


def _embed_data(html: str, key: str, *, if_missing: Outcome) -> dict[str, Json]:
    """Return an embed's data, which is under its own path, starting with `key`."""
    embeds = routes().embeds
    script = next(payload.script_bodies(html, embeds.script_mark), None)
    if script is None:
        raise refusals.page_without_data(html)
    tree = payload.parse_json(script)
    data = payload.mapping_at(tree, embeds.data) or {}
    embed = next((data[path] for path in data if path.startswith(key)), None)
    if not isinstance(embed, dict):
        raise payload.schema_changed(f"the embed has no {key}", tree)
    if payload.number_at(embed, "code") == embeds.missing_code:
        raise ScrapeError(
            if_missing, "no such embed: missing, private, restricted or not embeddable"
        )
    return embed
