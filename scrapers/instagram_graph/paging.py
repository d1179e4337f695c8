"""Paging through an account's media, and where to stop. Pure functions.

The API shows a post only on its page of the list. So a crawl continues to the last known post, or
to the last due one with a schedule. One request brings fifty posts; fetching each takes one or
more.
"""

from collections.abc import Collection, Sequence
from datetime import datetime

from scrapers.discovery import TimelinePaging
from scrapers.instagram_graph.settings import routes
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.snapshots import DuePost
from scrapers.stopping import through_known_posts
from scrapers.urls.shortcode import uploaded_at


class MediaPaging(TimelinePaging):
    """One crawl back, to `since` and to every known or `due` post that still exists."""

    def __init__(
        self,
        *,
        since: datetime,
        known: Collection[str],
        due: Sequence[DuePost] | None = None,
        behind: str | None = None,
        by_pages: bool = False,
    ) -> None:
        route = routes().discovery
        super().__init__(
            since=since,
            known=known,
            pages=route.pages,
            fruitless_pages=route.fruitless_pages,
            due=due,
            far_enough=through_known_posts(uploaded_at),
            behind=behind,
            by_pages=by_pages,
        )


def missing_post(paging: TimelinePaging) -> ScrapeError:
    """Return why paging did not come to a post."""
    if paging.is_complete:
        return ScrapeError(Outcome.POST_UNAVAILABLE, "the account no longer shows this post")
    return ScrapeError(Outcome.OUT_OF_REACH, "the post is older than a fetch reads back")
