"""Paging through an account's media: when a walk back through it is long enough. Pure.

The API shows a post only on its page, so a walk goes on to the last known post: that is one
request for fifty posts where looking at each would take one or more.
"""

from collections.abc import Collection
from datetime import datetime

from scrapers.discovery import TimelinePaging
from scrapers.instagram_graph.settings import routes
from scrapers.stopping import through_known_posts
from scrapers.urls.shortcode import uploaded_at


class MediaPaging(TimelinePaging):
    """One walk back, to `since` and to every known post that is still there."""

    def __init__(self, *, since: datetime, known: Collection[str]) -> None:
        route = routes().discovery
        super().__init__(
            since=since,
            known=known,
            pages=route.pages,
            fruitless_pages=route.fruitless_pages,
            far_enough=through_known_posts(uploaded_at),
        )
