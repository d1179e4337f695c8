"""Instagram's guest GraphQL: queries by doc_id, and the lists that pages also show.

Queries, variables and outcomes: platforms.md, 2.0 to 2.4. A query returns `data`, or None for an
execution error (a missing variable, an invalid cursor, an unknown doc_id).
"""

import json
import re
from collections.abc import Callable
from itertools import islice

from scrapers.simulator import instagram_documents as documents
from scrapers.simulator.answers import Document
from scrapers.simulator.clock import Clock
from scrapers.simulator.creators import Creator
from scrapers.simulator.records import Platform, TrueComment, TruePost
from scrapers.simulator.world import World

PROFILE_QUERY = "27981003384861049"
POSTS_QUERY = "27553725110923321"
POSTS_PAGING_QUERY = "27389614800735091"
REELS_QUERY = "27838951732404191"
POST_QUERIES = ("28309390568695038", "27130156389949648")
COMMENT_QUERIES = ("27659279553772821", "27261273046856309")
RETIRED_QUERIES = ("36836636079261063", "8845758582119845", "7898261790222653", "9310670392322965")
"""doc_ids that the site once served: 403. An unknown one is an execution error."""

_PAGE = 12
_FIRST_COMMENTS, _COMMENTS = 12, 50
_COMMENTS_BEFORE = re.compile(r'"server_cursor": ?"after ([0-9]{1,9})"')
_STRAY_POSITION = 2


class GuestQueries:
    """Answers guests' queries, with the world at the clock's time."""

    def __init__(self, world: World, clock: Clock) -> None:
        self._world = world
        self._clock = clock
        self._queries: dict[str, Callable[[Document], Document | None]] = {
            PROFILE_QUERY: self._profile,
            POSTS_QUERY: self._posts,
            POSTS_PAGING_QUERY: self._more_posts,
            REELS_QUERY: self._reels,
            **dict.fromkeys(POST_QUERIES, self._post),
            **dict.fromkeys(COMMENT_QUERIES, self._comments),
        }

    def answer(self, doc_id: str, variables: Document) -> Document | None:
        """Return the `data` of a query, or None for an execution error."""
        query = self._queries.get(doc_id)
        return query(variables) if query else None

    def posts_root(
        self, creator: Creator, *, below: int | None = None, size: int = _PAGE
    ) -> Document:
        """Return `data` with a page of a creator's posts with numbers under `below`."""
        posts = self._timeline_page(creator, below, size)
        user = {"pk": creator.user_id, "polaris_ordered_timeline_connection": posts}
        return {"xig_user_by_username": user}

    def reels_root(self, creator: Creator) -> Document:
        """Return `data` with the first page of the reels tab, without a next page."""
        at = self._clock()
        clips = (post for post in self._world.timeline(creator, at) if post.media_type == "video")
        posts = list(islice(clips, _PAGE))
        pinned = self._world.pinned(creator, at)
        if pinned and pinned.media_type == "video":
            posts = _with_first(pinned, posts)[:_PAGE]
        nodes = [documents.reel_node(post) for post in posts]
        reels = documents.connection(nodes, end_cursor=None)
        return {"xig_user_by_username": {"polaris_clips_connection": reels}}

    def find(self, pk: str) -> TruePost | None:
        at = self._clock()
        post = self._world.find_post(Platform.INSTAGRAM, pk, at)
        return self._world.visible_post(*post, at) if post else None

    def post_root(self, pk: str) -> Document:
        """Return `data` with a post and its first comments."""
        comments = self._comment_page(pk, 0, _FIRST_COMMENTS)
        return documents.post_root(self.find(pk), comments)

    def _profile(self, variables: Document) -> Document | None:
        handle = variables.get("username")
        if not isinstance(handle, str):
            return None
        profile = self._world.profile(Platform.INSTAGRAM, handle, self._clock())
        return documents.profile_root(profile)

    def _posts(self, variables: Document) -> Document | None:
        handle, after = variables.get("username"), variables.get("after")
        below = self._number(after)
        if not isinstance(handle, str) or (after is not None and below is None):
            return None
        creator = self._world.creator(Platform.INSTAGRAM, handle, self._clock())
        if creator is None:
            return documents.profile_root(None)
        return self.posts_root(creator, below=below, size=_size(variables))

    def _more_posts(self, variables: Document) -> Document | None:
        number, alt_id = self._number(variables.get("after")), variables.get("id")
        if number is None or not isinstance(alt_id, str):
            return None
        creator = self._world.creator_by_alt_id(Platform.INSTAGRAM, alt_id, self._clock())
        if creator is None:
            return {"node": None}
        posts = self._timeline_page(creator, number, _size(variables))
        return {"node": {"polaris_ordered_timeline_connection": posts, "id": creator.alt_id}}

    def _reels(self, variables: Document) -> Document | None:
        handle = variables.get("username")
        if not isinstance(handle, str):
            return None
        creator = self._world.creator(Platform.INSTAGRAM, handle, self._clock())
        return self.reels_root(creator) if creator else documents.profile_root(None)

    def _post(self, variables: Document) -> Document | None:
        pk = variables.get("media_id")
        return self.post_root(pk) if isinstance(pk, str) else None

    def _comments(self, variables: Document) -> Document | None:
        pk, start = variables.get("media_id"), _comments_before(variables.get("after"))
        if not isinstance(pk, str) or start is None:
            return None
        size = _size(variables, _COMMENTS)
        page = self._comment_page(pk, start, size)
        return {"xig_polaris_media": page and {"comments_connection": page}}

    def _comment_page(self, pk: str, start: int, size: int) -> Document | None:
        """Return a page of comments, newest first; None if guests cannot see the post."""
        at = self._clock()
        post = self._world.find_post(Platform.INSTAGRAM, pk, at)
        if post is None or self._world.visible_post(*post, at) is None:
            return None
        comments = self._world.comments(*post, at, newest_first=True, start=start, size=size + 1)
        goes_on = len(comments) > size
        nodes = [_comment_node(comment) for comment in comments[:size]]
        end_cursor = _comment_cursor(start + len(nodes)) if goes_on else None
        return documents.connection(nodes, end_cursor=end_cursor)

    def _timeline_page(self, creator: Creator, below: int | None, size: int) -> Document:
        at = self._clock()
        page = list(islice(self._world.timeline(creator, at, below=below), size + 1))
        posts, goes_on = page[:size], len(page) > size
        end_cursor = _end_cursor(posts[-1]) if posts and goes_on else None
        if below is None:
            posts = self._first_page(creator, posts)
        nodes = [documents.timeline_node(post) for post in posts]
        return documents.connection(nodes, end_cursor=end_cursor)

    def _first_page(self, creator: Creator, posts: list[TruePost]) -> list[TruePost]:
        """Put the pinned post first, and insert a post of another account."""
        at = self._clock()
        pinned = self._world.pinned(creator, at)
        if pinned:
            posts = _with_first(pinned, posts)
        if not creator.mixes_accounts or not posts:
            return posts
        stray = islice(self._world.timeline(self._world.neighbour(creator), at), 1)
        return [*posts[:_STRAY_POSITION], *stray, *posts[_STRAY_POSITION:]]

    def _number(self, cursor: object) -> int | None:
        """Return the number of the post at a cursor, or None for an invalid cursor."""
        pk = cursor.partition("_")[0] if isinstance(cursor, str) else ""
        post = self._world.find_post(Platform.INSTAGRAM, pk, self._clock())
        return post[1].number if post else None


def _with_first(post: TruePost, posts: list[TruePost]) -> list[TruePost]:
    others = (other for other in posts if other.platform_video_id != post.platform_video_id)
    return [post, *others]


def _size(variables: Document, most: int = _PAGE) -> int:
    first = variables.get("first")
    return min(first, most) if isinstance(first, int) and first > 0 else most


def _comment_node(comment: TrueComment) -> Document:
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


def _comment_cursor(count: int) -> str:
    return json.dumps({"server_cursor": f"after {count}", "is_server_cursor_inverse": True})


def _comments_before(cursor: object) -> int | None:
    """Return how many comments precede a cursor, or None for an invalid one."""
    if cursor is None:
        return 0
    match = _COMMENTS_BEFORE.search(cursor) if isinstance(cursor, str) else None
    return int(match[1]) if match else None


def _end_cursor(post: TruePost) -> str:
    return f"{post.platform_video_id}_{post.platform_user_id}"
