"""EnsembleData's routes for TikTok.

Documented: everything asked for is under `data`; a profile is `user` and `stats`; a page of posts
is a list beside `nextCursor`, newest first behind the pinned ones (`is_top`); a post is a list of
one; comments come with `total` and `nextCursor`. Without a `nextCursor` nothing follows.
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
from scrapers.payload import Json, at, number_at
from scrapers.snapshots import AccountSnapshot, AccountTarget, PostTarget, VideoSnapshot
from scrapers.urls.tiktok import PLATFORM, post_url


class TikTokDialect:
    """How EnsembleData is asked about TikTok."""

    platform = PLATFORM
    routes = routes_in(Path(__file__).parent)
    lists_by_user_id = False
    lists_all_comments = True

    def profile_params(self, target: AccountTarget) -> Params:
        """Return the handle."""
        return {"username": target.handle}

    def account(
        self, answer: dict[str, Json], target: AccountTarget, captured_at: datetime
    ) -> AccountSnapshot:
        """Read a profile."""
        data = payload.mapping_at(answer, "data")
        if data is None:
            raise payload.schema_changed("an answer without data", answer)
        return aweme.read_profile(data, target, captured_at)

    def posts_params(self, target: AccountTarget, cursor: str | None) -> Params:
        """Return the handle and where to go on."""
        return {"username": target.handle, **({"start_cursor": cursor} if cursor else {})}

    def page(
        self, answer: dict[str, Json], target: AccountTarget, captured_at: datetime
    ) -> TimelinePage:
        """Read a page of posts."""
        posts = aweme.read_items(_listed(answer), captured_at)
        return TimelinePage(own_posts(target, posts, answer), cursor=_cursor(answer))

    def post_params(self, target: PostTarget) -> Params:
        """Return the post's URL."""
        return {"url": post_url(target.platform_video_id, target.handle)}

    def video(
        self, answer: dict[str, Json], target: PostTarget, captured_at: datetime
    ) -> VideoSnapshot:
        """Read a post."""
        items = _listed(answer)
        if len(items) != 1:
            raise payload.schema_changed("an answer that is not about one post", answer)
        video = aweme.read_video(items[0], captured_at)
        require_post(target, video, answer)
        return video

    def comments_params(self, target: PostTarget, cursor: str | None) -> Params:
        """Return the post's id and where to go on."""
        return {"aweme_id": target.platform_video_id, **({"cursor": cursor} if cursor else {})}

    def comment_page(
        self,
        answer: dict[str, Json],
        target: PostTarget,
        cursor: str | None,
        captured_at: datetime,
    ) -> CommentPage:
        """Read a page of comments, which differ from TikTok's own list in how they go on."""
        data = payload.mapping_at(answer, "data")
        if data is None:
            raise payload.schema_changed("an answer without data", answer)
        follows = _cursor(data)
        as_listed = {**data, "has_more": int(follows is not None), "cursor": follows}
        return aweme.read_comments(as_listed, target, cursor, captured_at)


def _listed(answer: dict[str, Json]) -> list[Json]:
    if at(answer, "data") is None:
        raise payload.schema_changed("an answer without data", answer)
    return payload.items_at(answer, "data")


def _cursor(tree: dict[str, Json]) -> str | None:
    """Return where the next page begins. It becomes part of a request, so it is a number."""
    cursor = number_at(tree, "nextCursor")
    return None if cursor is None else str(cursor)
