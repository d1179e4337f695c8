"""Reads TikTok's comment lists. Pure functions: text in, a page or ScrapeError out."""

from datetime import datetime

from scrapers import payload
from scrapers.comments import CommentPage
from scrapers.discovery import read_each
from scrapers.payload import Json, at, count_at, cursor_at, id_at, name_at, text_at
from scrapers.snapshots import CommentSnapshot
from scrapers.tiktok.parse import list_answer
from scrapers.tiktok.settings import routes
from scrapers.urls.tiktok import PLATFORM

COMMENT_LIST = "tiktok.comment_list"
FIRST_CURSOR = "0"
_TOP_LEVEL = (None, "0", 0)


def parse_comment_page(
    text: str, *, item_id: str, captured_at: datetime, start: str = FIRST_CURSOR
) -> CommentPage:
    """Read the page of a post's comments from the offset `start`. Raises ScrapeError.

    An empty page is a CommentPage: no comments, disabled comments and a deleted post look alike;
    the post's own page distinguishes them.
    """
    tree, paths = list_answer(text), routes().comments
    if paths.items not in tree:  # an empty list is null, never missing
        raise payload.schema_changed("the response has no comments", tree)
    entries = payload.items_at(tree, paths.items)
    top_level = [entry for entry in entries if not _is_reply(entry)]
    comments, unread = read_each(top_level, lambda entry: _comment(entry, item_id, captured_at))
    if comments and not any(comment.text or comment.like_count is not None for comment in comments):
        raise payload.schema_changed("comments without text and likes", entries[0])
    is_none_at_all = not entries and start == FIRST_CURSOR and _says_no_end(tree)
    cursor = None if is_none_at_all else _next_cursor(tree)
    return CommentPage(comments, cursor, count_at(tree, paths.total), unread)


def _says_no_end(tree: dict[str, Json]) -> bool:
    """Return whether a response omits has_more and cursor, as for a post without comments."""
    paths = routes().comments
    return at(tree, paths.has_more) is None and at(tree, paths.cursor) is None


def _next_cursor(tree: dict[str, Json]) -> str | None:
    has_more = payload.number_at(tree, routes().comments.has_more)
    if has_more is None:
        raise payload.schema_changed("a list of comments without has_more", tree)
    cursor = cursor_at(tree, routes().comments.cursor)
    if has_more and cursor is None:
        raise payload.schema_changed("a list of comments with a next page but no cursor", tree)
    return str(cursor) if has_more else None


def _is_reply(entry: Json) -> bool:
    return at(entry, "reply_id") not in _TOP_LEVEL


def _comment(entry: Json, item_id: str, captured_at: datetime) -> CommentSnapshot:
    comment_id = id_at(entry, "cid")
    if comment_id is None:
        raise payload.schema_changed("a comment without an id", entry)
    if id_at(entry, "aweme_id") not in (item_id, None):
        raise payload.schema_changed(f"asked for comments of {item_id}, got others", entry)
    handle, paths = name_at(entry, "user/unique_id"), routes().comments
    return CommentSnapshot(
        platform=PLATFORM,
        platform_video_id=item_id,
        platform_comment_id=comment_id,
        text=text_at(entry, "text") or "",
        like_count=count_at(entry, *paths.like_count),
        reply_count=count_at(entry, *paths.reply_count),
        author_unique_id=handle.lower() if handle else None,
        author_nickname=text_at(entry, "user/nickname"),
        posted_at=payload.instant_at(entry, "create_time"),
        source=COMMENT_LIST,
        captured_at=captured_at,
    )
