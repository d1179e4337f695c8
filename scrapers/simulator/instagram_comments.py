"""Instagram's documents of comments, made from what is true."""

from scrapers.simulator.answers import Document
from scrapers.simulator.records import TrueComment


def comments_root(comments: Document | None) -> Document:
    """Return `data` of the query for more comments: null for a missing post."""
    return {"xig_polaris_media": comments and {"comments_connection": comments}}


def comment_node(comment: TrueComment) -> Document:
    """Return a comment as guests see it: without a display name."""
    return {
        "pk": comment.platform_comment_id,
        "text": comment.text,
        "created_at": int(comment.written_at.timestamp()),
        "comment_like_count": comment.like_count,
        "child_comment_count": comment.reply_count,
        "parent_comment_id": None,
        "user": {
            "pk": comment.author_id,
            "id": comment.author_id,
            "username": comment.author_handle,
            "is_verified": False,
            "profile_pic_url": f"https://scontent.example/{comment.author_id}/p.jpg",
        },
    }
