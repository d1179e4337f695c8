"""Instagram's documents, made from `records.py`. Formats: platforms.md, 2.1 to 2.4.

`instagram.py` has requests and routes. Guests see timeline nodes without time and counters, plays
only in the reels tab, likes and comments on a post's own page.
"""

import json
from base64 import b64encode
from urllib.parse import quote

from scrapers.simulator import identifiers
from scrapers.simulator.answers import Document, shortened
from scrapers.simulator.pictures import picture_url
from scrapers.simulator.records import TruePost, TrueProfile

_TYPE_NAMES = {
    "video": "XIGPolarisVideoMedia",
    "photo": "XIGPolarisImageMedia",
    "carousel": "XIGPolarisCarouselMedia",
}
_MEDIA_TYPES = {"photo": 1, "video": 2, "carousel": 8}
_PRODUCT_TYPES = {"photo": "feed", "video": "clips", "carousel": "carousel_container"}
_FALSE_LIKES = 3
"""The `like_count` if likes are hidden: a number that is not the true one."""


def profile_root(profile: TrueProfile | None) -> Document:
    """Return `data` of the profile query; `xig_user_by_username` is null if missing."""
    return {"xig_user_by_username": _user(profile) if profile else None}


def description(profile: TrueProfile) -> str:
    """Return og:description: followers abbreviated, posts exact."""
    return (
        f"{shortened(profile.follower_count)} Followers, {profile.following_count:,} Following, "
        f"{profile.video_count:,} Posts - See Instagram photos and videos from "
        f"{profile.display_name} (@{profile.handle})"
    )


def timeline_node(post: TruePost) -> Document:
    """Return a node of the guest timeline; `media_type` is an int, a text or missing."""
    node: Document = {
        "__typename": _TYPE_NAMES[post.media_type],
        "pk": post.platform_video_id,
        "id": facebook_side_id(post),
        "code": post.shortcode,
        "caption": _caption(post),
        "display_uri": _image(post, "d"),
        "product_type": _PRODUCT_TYPES[post.media_type],
        "user": _author(post),
        "timeline_pinned_user_ids": [post.platform_user_id] if post.is_pinned else [],
    }
    if post.coauthors:
        node["coauthor_producers"] = [_coauthor(handle) for handle in post.coauthors]
    media_type = {"video": 2, "photo": "1"}.get(post.media_type)
    return node | ({"media_type": media_type} if media_type else {})


def reel_node(post: TruePost) -> Document:
    """Return a node of the reels tab, where guests see plays (some are null)."""
    return {
        "pk": post.platform_video_id,
        "code": post.shortcode,
        "play_count": None if post.plays_hidden else post.view_count,
        **_like_fields(post),
        "comment_count": post.comment_count,
        "display_uri": _image(post, "d"),
        "clips_tab_pinned_user_ids": [post.platform_user_id] if post.is_pinned else [],
    }


def connection(nodes: list[Document], *, end_cursor: str | None) -> Document:
    """Return a page of nodes; an end cursor means that another follows."""
    edges = [{"node": node, "cursor": f"c{position}"} for position, node in enumerate(nodes, 1)]
    info = {"has_next_page": end_cursor is not None, "end_cursor": end_cursor}
    return {"edges": edges, "page_info": info}


def post_root(post: TruePost | None, comments: Document | None) -> Document:
    """Return `data` of the post query: null for a missing post, a ruling for a gated one.

    `comments` is the first page of its comments.
    """
    if post is None:
        return {"xig_polaris_media": None}
    return {
        "xig_polaris_media": {
            "pk": post.platform_video_id,
            "code": post.shortcode,
            "gating_ruling": ruling(post),
            "if_not_gated_logged_out": None if post.is_restricted else _media(post),
            "comments_connection": comments,
        }
    }


def ruling(post: TruePost) -> Document | None:
    """Return the ruling on a post, or None."""
    return {"gating_type": 2, "title": "Restricted Video"} if post.is_restricted else None


def _user(profile: TrueProfile) -> Document:
    link = {"title": "Site", "url": profile.bio_link, "link_type": "external", "is_pinned": False}
    return {
        "pk": profile.platform_user_id,
        "id": profile.platform_alt_id,
        "username": profile.handle,
        "full_name": profile.display_name,
        "biography": profile.biography,
        "bio_links": [link] if profile.bio_link else [],
        "profile_pic_url": f"https://scontent.example/{profile.platform_user_id}/p.jpg",
        "is_private": profile.is_private,
        "is_verified": profile.is_verified,
        "follower_count": profile.follower_count,
        "following_count": profile.following_count,
        "all_media_count": None,
    }


def _media(post: TruePost) -> Document:
    picture = {"candidates": [{"url": _image(post, "d")}]}
    media = {
        "pk": post.platform_video_id,
        "code": post.shortcode,
        "media_type": _MEDIA_TYPES[post.media_type],
        "product_type": _PRODUCT_TYPES[post.media_type],
        "taken_at": int(post.posted_at.timestamp()),
        "caption": _caption(post),
        **_like_fields(post),
        "comment_count": post.comment_count,
        "view_count": None,
        "display_uri": _image(post, "d"),
        "image_versions2": picture,
        "user": _author(post),
    }
    if post.media_type == "video":
        version = {"type": 101, "url": _video(post), "width": 720, "height": 1280}
        media |= {"video_versions": [version]}
    if post.media_type == "carousel":
        child = {"media_type": 1, "image_versions2": picture}
        media["carousel_media"] = [child, child]
    return media


def _like_fields(post: TruePost) -> Document:
    if post.likes_hidden:
        return {"like_count": _FALSE_LIKES, "like_and_view_counts_disabled": True}
    return {"like_count": post.like_count}


def _author(post: TruePost) -> Document:
    return {"pk": post.platform_user_id, "username": post.handle}


def _coauthor(handle: str) -> Document:
    return {"username": handle}


def _caption(post: TruePost) -> Document | None:
    return None if post.caption is None else {"text": post.caption}


def facebook_side_id(post: TruePost) -> str:
    return identifiers.facebook_side_media_id(int(post.platform_video_id))


def _video(post: TruePost) -> str:
    """Return the URL of the video's file, the only place where guests see its length."""
    encoding = {"vencode_tag": "progressive.CLIPS", "duration_s": post.duration_seconds}
    description = quote(b64encode(json.dumps(encoding).encode()).decode())
    return f"https://scontent.example/{post.platform_video_id}/v.mp4?efg={description}&_nc_ht=x"


def _image(post: TruePost, size: str) -> str:
    return picture_url("scontent.example", f"{post.platform_video_id}/{size}.jpg")
