"""ScrapeCreators' routes for TikTok.

Documented: a profile is `user` and `stats`. A page of posts is `aweme_list`, with `max_cursor` and
`has_more`. A post is `aweme_detail`, by URL. Comments use `cursor` and `has_more`.
"""

from datetime import datetime
from pathlib import Path

from scrapers import payload
from scrapers.comments import CommentPage
from scrapers.discovery import TimelinePage
from scrapers.paid import aweme
from scrapers.paid.dialect import Params
from scrapers.paid.identity import own_posts, require_post
from scrapers.paid.settings import routes_in
from scrapers.payload import Json, cursor_at
from scrapers.snapshots import AccountSnapshot, AccountTarget, PostTarget, VideoSnapshot
from scrapers.urls.tiktok import PLATFORM, post_url


class TikTokDialect:
    platform = PLATFORM
    routes = routes_in(Path(__file__).parent)
    lists_by_user_id = False
    lists_all_comments = True

    def profile_params(self, target: AccountTarget) -> Params:
        return {"handle": target.handle}

    def account(
        self, answer: dict[str, Json], target: AccountTarget, captured_at: datetime
    ) -> AccountSnapshot:
        return aweme.read_profile(answer, target, captured_at)

    def posts_params(self, target: AccountTarget, cursor: str | None) -> Params:
        """Return the handle, and the id for a faster response if known."""
        known = {"user_id": target.platform_user_id, "max_cursor": cursor}
        return {"handle": target.handle, **{name: v for name, v in known.items() if v}}

    def page(
        self, answer: dict[str, Json], target: AccountTarget, captured_at: datetime
    ) -> TimelinePage:
        """Read a page of posts. An empty list may be null."""
        aweme.hold_to_status(answer)
        if "aweme_list" not in answer:
            raise payload.schema_changed("the response has no aweme_list", answer)
        posts = aweme.read_items(payload.items_at(answer, "aweme_list"), captured_at)
        return TimelinePage(own_posts(target, posts, answer), cursor=_cursor(answer))

    def post_params(self, target: PostTarget) -> Params:
        return {"url": post_url(target.platform_video_id, target.handle)}

    def video(
        self, answer: dict[str, Json], target: PostTarget, captured_at: datetime
    ) -> VideoSnapshot:
        aweme.hold_to_status(answer)
        item = payload.mapping_at(answer, "aweme_detail")
        if item is None:
            raise payload.schema_changed("the response has no aweme_detail", answer)
        video = aweme.read_video(item, captured_at)
        require_post(target, video, answer)
        return video

    def comments_params(self, target: PostTarget, cursor: str | None) -> Params:
        return {**self.post_params(target), **({"cursor": cursor} if cursor else {})}

    def comment_page(
        self, answer: dict[str, Json], target: PostTarget, cursor: str | None, captured_at: datetime
    ) -> CommentPage:
        return aweme.read_comments(answer, target, cursor, captured_at)


def _cursor(answer: dict[str, Json]) -> str | None:
    """Return the next page's cursor, None after the last one."""
    has_more, cursor = payload.number_at(answer, "has_more"), cursor_at(answer, "max_cursor")
    if has_more is None or (has_more and cursor is None):
        raise payload.schema_changed("a list without has_more or max_cursor")
    return str(cursor) if has_more else None
