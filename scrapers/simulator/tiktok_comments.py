"""TikTok's comment documents, made from `records.py`. Formats: platforms.md, 1.4."""

from scrapers.simulator.answers import Document
from scrapers.simulator.records import TrueComment
from scrapers.simulator.tiktok_documents import image


def comment_list(
    comments: list[TrueComment], *, total: int, cursor: int, has_more: bool
) -> Document:
    """Return a page of a post's comments; an empty last page has null instead of a list."""
    listed = [_comment(comment) for comment in comments]
    return {
        "status_code": 0,
        "status_msg": "",
        "cursor": cursor,
        "has_more": int(has_more),
        "total": total,
        "reply_style": 2,
        "comments": listed if listed or has_more else None,
    }


def no_comments() -> Document:
    """Return the response for a post without comments, and for a deleted one.

    It does not say whether it is the last page.
    """
    return {"status_code": 0, "status_msg": "", "comments": None}


def _comment(comment: TrueComment) -> Document:
    return {
        "cid": comment.platform_comment_id,
        "aweme_id": comment.platform_video_id,
        "text": comment.text,
        "create_time": int(comment.written_at.timestamp()),
        "digg_count": comment.like_count,
        "reply_comment_total": comment.reply_count,
        "reply_comment": None,
        "reply_id": "0",
        "reply_to_reply_id": "0",
        "author_pin": False,
        "user": {
            "uid": comment.author_id,
            "unique_id": comment.author_handle,
            "nickname": comment.author_name,
            "avatar_thumb": {"url_list": [image(comment.author_handle, "v")]},
        },
    }
