"""When a crawl back through an account's posts stops: all rules. Pure functions.

A crawl goes from the newest to older posts until no selected post can follow. Posts before the
start are not selected, and after a known post none is missing. All posts on the way are read, so
the rules differ in how far they continue among known posts.

- `to_a_page_of_known_posts` is the usual rule; `reads_on` continues for due posts, as long as that
  needs fewer requests than reading them singly.
- `to_a_known_post` is for lists that start again with every page and are priced per post: a page
  that ends with a known post is the last.
- `through_known_posts` is for lists that are the only way to a post (Meta's official API): it
  continues to the last known or due post.
"""

from collections.abc import Callable, Collection
from datetime import datetime

from scrapers.findings import Findings, ListedPost

FarEnough = Callable[[Findings, Collection[ListedPost]], bool]
"""Returns whether no selected post can follow the new posts of a page."""


def to_a_page_of_known_posts(findings: Findings, new: Collection[ListedPost]) -> bool:
    """Return whether all new posts of a page, except pinned ones, are known or too old."""
    in_order = [post.video for post in new if not post.is_pinned]
    return bool(in_order) and not any(findings.is_new(video) for video in in_order)


def reads_on(findings: Findings, new: Collection[ListedPost], posts_a_request: int = 1) -> bool:
    """Return whether the next page is worth its request."""
    times = [post.video.posted_at for post in new if not post.is_pinned and post.video.posted_at]
    return bool(times) and findings.pays_to_read_on(times[-1], posts_a_request)


def to_a_known_post(findings: Findings, new: Collection[ListedPost]) -> bool:
    """Return whether a page ends with a post that is known or too old."""
    in_order = [post for post in new if not post.is_pinned]
    return to_a_page_of_known_posts(findings, in_order[-1:])


def through_known_posts(uploaded_at: Callable[[str], datetime]) -> FarEnough:
    """Return the rule that continues to the last known or due post, by the time of ids.

    A post is published after its upload. So a post uploaded after the publication of the page's
    last post, but not shown, is deleted.
    """

    def has_read_all(findings: Findings, new: Collection[ListedPost]) -> bool:
        if not to_a_page_of_known_posts(findings, new):
            return False
        last = [post.video.posted_at for post in new][-1]
        return not any(last is None or uploaded_at(post_id) < last for post_id in findings.missing)

    return has_read_all
