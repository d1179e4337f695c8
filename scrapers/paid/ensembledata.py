"""EnsembleData: profiles, posts and comments of TikTok, at one unit per response.

Formats are those of published documentation: see `ensembledata.toml`. Its Instagram routes are not
used, because their responses and prices are not public.
"""

from datetime import datetime

from scrapers import payload
from scrapers.comments import CommentPage
from scrapers.discovery import TimelinePage
from scrapers.paid import aweme
from scrapers.paid.dialect import Params
from scrapers.paid.identity import own_posts, require_post
from scrapers.paid.settings import routes_of
from scrapers.payload import Json, at, number_at, require_mapping
from scrapers.snapshots import AccountSnapshot, AccountTarget, PostTarget, VideoSnapshot
from scrapers.urls.tiktok import PLATFORM, post_url


class EnsembleDataTikTok:
    """Results are under `data`: a profile is `user` and `stats`, a post is a list of one.

    A page of posts is a list with `nextCursor`, pinned posts (`is_top`) first, then newest
    first. Comments have `total` and `nextCursor`. The last page has no `nextCursor`.
    """

    platform = PLATFORM
    routes = routes_of("ensembledata")
    lists_by_user_id = False
    lists_all_comments = True

    def profile_params(self, target: AccountTarget) -> Params:
        return {"username": target.handle}

    def account(
        self, answer: dict[str, Json], target: AccountTarget, captured_at: datetime
    ) -> AccountSnapshot:
        return aweme.read_profile(require_mapping(answer, "data"), target, captured_at)

    def posts_params(self, target: AccountTarget, cursor: str | None) -> Params:
        return {"username": target.handle, **({"start_cursor": cursor} if cursor else {})}

    def page(
        self, answer: dict[str, Json], target: AccountTarget, captured_at: datetime
    ) -> TimelinePage:
        posts, unread = aweme.read_items(_listed(answer), captured_at)
        return TimelinePage(own_posts(target, posts, answer), _cursor(answer), unread)

    def post_params(self, target: PostTarget) -> Params:
        return {"url": post_url(target.platform_video_id, target.handle)}

    def video(
        self, answer: dict[str, Json], target: PostTarget, captured_at: datetime
    ) -> VideoSnapshot:
        items = _listed(answer)
        if len(items) != 1:
            raise payload.schema_changed("the response is not about one post", answer)
        video = aweme.read_video(items[0], captured_at)
        require_post(target, video, answer)
        return video

    def comments_params(self, target: PostTarget, cursor: str | None) -> Params:
        return {"aweme_id": target.platform_video_id, **({"cursor": cursor} if cursor else {})}

    def comment_page(
        self, answer: dict[str, Json], target: PostTarget, cursor: str | None, captured_at: datetime
    ) -> CommentPage:
        """Read a page of comments; only its paging differs from TikTok's own list."""
        data = require_mapping(answer, "data")
        follows = _cursor(data)
        as_listed = {**data, "has_more": int(follows is not None), "cursor": follows}
        return aweme.read_comments(as_listed, target, cursor, captured_at)


def _listed(answer: dict[str, Json]) -> list[Json]:
    if at(answer, "data") is None:
        raise payload.schema_changed("the response has no data", answer)
    return payload.items_at(answer, "data")


def _cursor(tree: dict[str, Json]) -> str | None:
    """Return the next page's cursor: a number, as it becomes part of a request."""
    cursor = number_at(tree, "nextCursor")
    return None if cursor is None else str(cursor)
