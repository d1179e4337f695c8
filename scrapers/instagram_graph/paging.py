"""Paging through an account's media: when a walk back through it is long enough. Pure.

The API shows a post only on its page, so a walk goes on to the last known post: that is one
request for fifty posts where looking at each would take one or more.
"""

from collections.abc import Collection
from datetime import datetime

from scrapers.discovery import ListedPost, TimelinePaging
from scrapers.instagram_graph.settings import routes
from scrapers.urls.shortcode import uploaded_at


class MediaPaging(TimelinePaging):
    """One walk back, to `since` and to every known post that is still there."""

    def __init__(self, *, since: datetime, known: Collection[str]) -> None:
        route = routes().discovery
        super().__init__(
            since=since, known=known, pages=route.pages, fruitless_pages=route.fruitless_pages
        )

    def is_far_enough(self, new: Collection[ListedPost]) -> bool:
        """Tell whether the rest is before the start, and no known post can be in it.

        A post is published after its upload, so one that was uploaded after the page's last post
        was published, and has not been shown, is gone.
        """
        return super().is_far_enough(new) and not self._some_known_post_follows(new)

    def _some_known_post_follows(self, new: Collection[ListedPost]) -> bool:
        last = [post.video.posted_at for post in new][-1]
        return any(last is None or uploaded_at(pk) < last for pk in self.findings.missing)
