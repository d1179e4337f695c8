"""Reads Instagram's comments. Pure functions: text in, a page or ScrapeError out.

Guests see the first comments in a post's page, and further pages by a query. They cannot open
replies.
"""

from datetime import datetime

from scrapers import payload
from scrapers.comments import CommentPage
from scrapers.discovery import read_each
from scrapers.instagram import carrier
from scrapers.instagram.parse import POST_PAGE
from scrapers.instagram.settings import routes
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.payload import Json, at, count_at, flag_at, id_at, name_at, text_at
from scrapers.snapshots import CommentSnapshot
from scrapers.urls.instagram import PLATFORM

COMMENT_QUERY = "instagram.comment_query"


def parse_first_comments(page: str, *, pk: str, captured_at: datetime) -> CommentPage | None:
    """Read the comments in a post's page; None if it has no list of them.

    `parse_post_page` checks that the post exists.
    """
    root = routes().comments.root
    for result in carrier.page_results(page, root, if_missing=Outcome.POST_UNAVAILABLE):
        connection = payload.mapping_at(result, f"data/{root}/{routes().comments.connection}")
        if connection is not None:
            return _page(connection, pk, POST_PAGE, captured_at)
    return None


def parse_comments(text: str, *, pk: str, captured_at: datetime) -> CommentPage:
    """Read the response to a query for comments. Raises ScrapeError."""
    root = routes().comments.root
    result = carrier.post_result(text, root)
    media = payload.mapping_at(result, f"data/{root}")
    if media is None:
        raise ScrapeError(Outcome.POST_UNAVAILABLE, "no such post")
    connection = payload.mapping_at(media, routes().comments.connection)
    if connection is None:
        raise payload.schema_changed("the response has no comments", media)
    return _page(connection, pk, COMMENT_QUERY, captured_at)


def _page(connection: dict[str, Json], pk: str, source: str, captured_at: datetime) -> CommentPage:
    nodes = [at(edge, "node") for edge in payload.items_at(connection, "edges")]
    top_level = [node for node in nodes if at(node, "parent_comment_id") is None]
    comments, unread = read_each(top_level, lambda node: _comment(node, pk, source, captured_at))
    if comments and not any(comment.text or comment.like_count is not None for comment in comments):
        raise payload.schema_changed("comments without text and likes", nodes[0])
    return CommentPage(comments, _next_cursor(connection), unread=unread)


def _next_cursor(connection: dict[str, Json]) -> str | None:
    goes_on = flag_at(connection, "page_info/has_next_page")
    if goes_on is None:
        raise payload.schema_changed("a list of comments without has_next_page")
    cursor = text_at(connection, "page_info/end_cursor")
    if goes_on and not cursor:
        raise payload.schema_changed(
            "a list of comments with a next page but no cursor", connection
        )
    return cursor if goes_on else None


def _comment(node: Json, pk: str, source: str, captured_at: datetime) -> CommentSnapshot:
    comment_id = id_at(node, "pk")
    if comment_id is None:
        raise payload.schema_changed("a comment without a pk", node)
    handle, paths = name_at(node, "user/username"), routes().comments
    return CommentSnapshot(
        platform=PLATFORM,
        platform_video_id=pk,
        platform_comment_id=comment_id,
        text=text_at(node, "text") or "",
        like_count=count_at(node, *paths.like_count),
        reply_count=count_at(node, *paths.reply_count),
        author_unique_id=handle.lower() if handle else None,
        author_nickname=None,
        posted_at=payload.instant_at(node, "created_at"),
        source=source,
        captured_at=captured_at,
    )
