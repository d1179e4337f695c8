"""ScrapeCreators: profiles, posts and comments of TikTok and Instagram, one credit per response.

Formats are those of published documentation: see `scrapecreators.toml`.
"""

from datetime import datetime

from scrapers import payload
from scrapers.comments import CommentPage
from scrapers.discovery import TimelinePage, read_each
from scrapers.findings import ListedPost, is_coauthor, require_author
from scrapers.paid import aweme
from scrapers.paid.dialect import Params
from scrapers.paid.fields import (
    Fields,
    by,
    handle_at,
    media_type_at,
    pk_at,
    read_account,
    read_instagram_post,
    reel_at,
    visible_likes_at,
)
from scrapers.paid.identity import own_posts, require_post
from scrapers.paid.settings import routes_of
from scrapers.payload import (
    Json,
    at,
    count_at,
    cursor_at,
    flag_at,
    id_at,
    name_at,
    require_items,
    require_mapping,
    text_at,
    web_url_at,
)
from scrapers.snapshots import (
    AccountSnapshot,
    AccountTarget,
    CommentSnapshot,
    PostTarget,
    VideoSnapshot,
)
from scrapers.urls import instagram, tiktok

ROUTES = routes_of("scrapecreators")


class ScrapeCreatorsTikTok:
    """A profile is `user` and `stats`, a post is `aweme_detail`, by URL.

    A page of posts is `aweme_list`, with `max_cursor` and `has_more`. Comments use `cursor` and
    `has_more`.
    """

    platform = tiktok.PLATFORM
    routes = ROUTES
    lists_by_user_id = False
    lists_all_comments = True
    account = staticmethod(aweme.read_profile)
    comment_page = staticmethod(aweme.read_comments)

    def profile_params(self, target: AccountTarget) -> Params:
        return {"handle": target.handle}

    def posts_params(self, target: AccountTarget, cursor: str | None) -> Params:
        """Return the handle, and the id for a faster response if known."""
        known = {"user_id": target.platform_user_id, "max_cursor": cursor}
        return {"handle": target.handle, **{name: v for name, v in known.items() if v}}

    def page(
        self, answer: dict[str, Json], target: AccountTarget, captured_at: datetime
    ) -> TimelinePage:
        """Read a page of posts. An empty list may be null."""
        aweme.hold_to_status(answer)
        posts, unread = aweme.read_items(require_items(answer, "aweme_list"), captured_at)
        has_more, after = payload.number_at(answer, "has_more"), cursor_at(answer, "max_cursor")
        cursor = _cursor(has_more, after, "has_more or max_cursor")
        return TimelinePage(own_posts(target, posts, answer), cursor, unread)

    def post_params(self, target: PostTarget) -> Params:
        return {"url": tiktok.post_url(target.platform_video_id, target.handle)}

    def video(
        self, answer: dict[str, Json], target: PostTarget, captured_at: datetime
    ) -> VideoSnapshot:
        aweme.hold_to_status(answer)
        video = aweme.read_video(require_mapping(answer, "aweme_detail"), captured_at)
        require_post(target, video, answer)
        return video

    def comments_params(self, target: PostTarget, cursor: str | None) -> Params:
        return {**self.post_params(target), **({"cursor": cursor} if cursor else {})}


_ACCOUNT: Fields = {
    "observed_handle": by(handle_at, "username"),
    "platform_user_id": by(id_at, "id"),
    "follower_count": by(count_at, "edge_followed_by/count"),
    "following_count": by(count_at, "edge_follow/count"),
    "platform_alt_id": by(id_at, "fbid"),
    "display_name": by(text_at, "full_name"),
    "biography": by(text_at, "biography"),
    "bio_link": by(web_url_at, "external_url", "bio_links/0/url"),
    "avatar_url": by(web_url_at, "profile_pic_url_hd", "profile_pic_url"),
    "is_private": by(flag_at, "is_private"),
    "is_verified": by(flag_at, "is_verified"),
    "video_count": by(count_at, "edge_owner_to_timeline_media/count"),
}


_POST: Fields = {
    "platform_video_id": by(pk_at, "shortcode", "id"),
    "handle": by(handle_at, "owner/username"),
    "posted_at": by(payload.instant_at, "taken_at_timestamp"),
    "like_count": by(visible_likes_at, "edge_media_preview_like/count", "edge_liked_by/count"),
    "platform_user_id": by(id_at, "owner/id"),
    "kind": by(reel_at, "product_type"),
    "caption": by(text_at, "edge_media_to_caption/edges/0/node/text"),
    "media_type": by(media_type_at, "__typename"),
    "duration_seconds": by(payload.seconds_at, "video_duration"),
    "thumbnail_url": by(web_url_at, "display_url", "thumbnail_src"),
    "view_count": by(count_at, "video_play_count"),
    "comment_count": by(
        count_at, "edge_media_to_parent_comment/count", "edge_media_to_comment/count"
    ),
}


_MEDIA_TYPES = {1: "photo", 2: "video", 8: "carousel"}
_LISTED: Fields = {
    "platform_video_id": by(pk_at, "code", "pk"),
    "handle": by(handle_at, "user/username"),
    "platform_user_id": by(id_at, "user/pk"),
    "kind": by(reel_at, "product_type"),
    "caption": by(text_at, "caption/text"),
    "media_type": lambda item: _MEDIA_TYPES.get(payload.number_at(item, "media_type") or 0),
    "duration_seconds": by(payload.seconds_at, "video_duration"),
    "thumbnail_url": by(web_url_at, "image_versions2/candidates/0/url"),
    "posted_at": by(payload.instant_at, "taken_at"),
    "view_count": by(count_at, "play_count", "ig_play_count"),
    "like_count": by(visible_likes_at, "like_count"),
    "comment_count": by(count_at, "comment_count"),
}


class ScrapeCreatorsInstagram:
    """A profile is `data.user`, a post is `data.xdt_shortcode_media`, by URL.

    A page of posts of the `user` is `items`, with `next_max_id` while `more_available`.
    Comments use `cursor`. Views are Instagram's only, without Facebook's.
    """

    platform = instagram.PLATFORM
    routes = ROUTES
    lists_by_user_id = False
    lists_all_comments = False  # documented as 'a good number', not all

    def profile_params(self, target: AccountTarget) -> Params:
        return {"handle": target.handle}

    def account(
        self, answer: dict[str, Json], target: AccountTarget, captured_at: datetime
    ) -> AccountSnapshot:
        user = require_mapping(answer, "data/user")
        if id_at(user, "id") is None:
            raise payload.schema_changed("a profile without an id", user)
        counters = "follower_count", "following_count"
        return read_account(user, _ACCOUNT, target, captured_at, is_exact=True, counters=counters)

    def posts_params(self, target: AccountTarget, cursor: str | None) -> Params:
        return {"handle": target.handle, **({"next_max_id": cursor} if cursor else {})}

    def page(
        self, answer: dict[str, Json], target: AccountTarget, captured_at: datetime
    ) -> TimelinePage:
        """Read a page of posts, without others' posts of which the account is no co-author."""
        shared = set[str]()

        def read(item: Json) -> ListedPost:
            video = require_author(read_instagram_post(item, _LISTED, captured_at))
            others = at(item, "coauthor_producers")
            if is_coauthor(others, target.platform_user_id, target.handle):
                shared.add(video.platform_video_id)
            return ListedPost(video, is_pinned=bool(at(item, "timeline_pinned_user_ids")))

        posts, unread = read_each(require_items(answer, "items"), read)
        is_named = name_at(answer, "user/username") == target.handle.lower()
        owned = own_posts(target, posts, answer, is_named=is_named, shared=shared)
        has_more, after = flag_at(answer, "more_available"), text_at(answer, "next_max_id")
        cursor = _cursor(has_more, after, "more_available or next_max_id")
        return TimelinePage(owned, cursor, unread)

    def post_params(self, target: PostTarget) -> Params:
        return {"url": instagram.post_url(target.platform_video_id)}

    def video(
        self, answer: dict[str, Json], target: PostTarget, captured_at: datetime
    ) -> VideoSnapshot:
        media = require_mapping(answer, "data/xdt_shortcode_media")
        video = read_instagram_post(media, _POST, captured_at)
        require_post(target, video, answer)
        return video

    def comments_params(self, target: PostTarget, cursor: str | None) -> Params:
        return {**self.post_params(target), **({"cursor": cursor} if cursor else {})}

    def comment_page(
        self,
        answer: dict[str, Json],
        target: PostTarget,
        cursor: str | None,  # noqa: ARG002  the response has the next cursor
        captured_at: datetime,
    ) -> CommentPage:
        """Read a page of comments. They do not name their post."""
        items = require_items(answer, "comments")
        comments, unread = read_each(items, lambda item: _comment(item, target, captured_at))
        return CommentPage(comments, text_at(answer, "cursor") or None, unread=unread)


def _cursor(goes_on: object, cursor: object, names: str) -> str | None:
    """Return the next page's cursor, None after the last one."""
    if goes_on is None or (goes_on and cursor in {None, ""}):
        raise payload.schema_changed(f"a list without {names}")
    return str(cursor) if goes_on else None


def _comment(item: Json, target: PostTarget, captured_at: datetime) -> CommentSnapshot:
    comment_id = id_at(item, "id")
    if comment_id is None:
        raise payload.schema_changed("a comment without an id", item)
    return CommentSnapshot(
        platform=instagram.PLATFORM,
        platform_video_id=target.platform_video_id,
        platform_comment_id=comment_id,
        text=text_at(item, "text") or "",
        like_count=count_at(item, "comment_like_count"),
        reply_count=count_at(item, "child_comment_count"),
        author_unique_id=handle_at(item, "user/username"),
        author_nickname=None,
        posted_at=payload.iso_instant_at(item, "created_at"),
        source="",
        captured_at=captured_at,
    )
