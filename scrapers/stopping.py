"""When a crawl back through an account's posts is long enough: the rules, all in one place. Pure.

A crawl goes from the newest posts to older ones until nothing wanted can follow: posts before the
start are not wanted, and behind a known post none is missing. What it meets on the way is read
too, so that the rules differ in how far they go on among known posts.

- `to_a_page_of_known_posts` is the rule; `reads_on` goes on from there for posts that are due, as
  long as that takes fewer requests than to read them by themselves.
- `to_a_known_post` is for lists that begin anew with every page and cost by the post: a page that
  ends with a known post is the last.
- `through_known_posts` is for lists that alone show a post (Meta's official API): to the last one,
  or to the last that is due.
"""

from collections.abc import Callable, Collection
from datetime import datetime

from scrapers.findings import Findings, ListedPost

FarEnough = Callable[[Findings, Collection[ListedPost]], bool]
"""Tells of the posts that a page has newly brought whether nothing wanted can follow them."""


def to_a_page_of_known_posts(findings: Findings, new: Collection[ListedPost]) -> bool:
    """Tell whether the posts of a page, pinned ones apart, are all known or before the start."""
    in_order = [post.video for post in new if not post.is_pinned]
    return bool(in_order) and not any(findings.is_new(video) for video in in_order)


def reads_on(findings: Findings, new: Collection[ListedPost], posts_a_request: int = 1) -> bool:
    """Tell whether the page behind the one that brought these posts is worth its request."""
    times = [post.video.posted_at for post in new if not post.is_pinned and post.video.posted_at]
    return bool(times) and findings.pays_to_read_on(times[-1], posts_a_request)


def to_a_known_post(findings: Findings, new: Collection[ListedPost]) -> bool:
    """Tell whether a page ends with a post that is known or before the start."""
    in_order = [post for post in new if not post.is_pinned]
    return to_a_page_of_known_posts(findings, in_order[-1:])


def through_known_posts(uploaded_at: Callable[[str], datetime]) -> FarEnough:
    """Return the rule that goes on to the last known or due post, by when a post's id was given.

    A post is published after its upload, so one that was uploaded after the page's last post was
    published, and has not been shown, is gone.
    """

    def has_read_all(findings: Findings, new: Collection[ListedPost]) -> bool:
        if not to_a_page_of_known_posts(findings, new):
            return False
        last = [post.video.posted_at for post in new][-1]
        return not any(last is None or uploaded_at(post_id) < last for post_id in findings.missing)

    return has_read_all
