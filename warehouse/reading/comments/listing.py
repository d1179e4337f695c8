"""Comments themselves, filtered and in order, a page at a time."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.comments.scope import CommentScope, Days

Sort = Literal["top", "newest", "oldest"]
ORDERS: Mapping[Sort, str] = {
    "top": "like_count desc nulls last, commented_at desc, comment_id desc",
    "newest": "commented_at desc, comment_id desc",
    "oldest": "commented_at, comment_id",
}
COLUMNS = (
    "comment_id",
    "video_id",
    "creator_id",
    "text",
    "like_count",
    "author_unique_id",
    "author_nickname",
    "posted_at",
    "captured_at",
    "sentiment",
    "sentiment_score",
    "sentiment_model",
    "signals",
)
FILTERS = {
    "signal": "list_contains(signals, $signal)",
    "sentiment": "sentiment = $sentiment",
    "q": "contains(searched_text, lower($q))",
}
PAGE = """
    select {columns}
    from marts.comments
    where {conditions}
    order by {order}
    limit $limit
    offset $offset
"""
BY_IDS = """
    select {columns}
    from marts.comments
    where
        {conditions}
        and comment_id in (select cast(unnest(string_split($ids, ',')) as uuid))
"""
TOTAL = "select count(*) from marts.comments where {conditions}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentFilter:
    """What a comment must be like; None: anything. `signal` may be `flagged`."""

    signal: str | None = None
    sentiment: str | None = None
    q: str | None = None

    def conditions(self) -> list[str]:
        """Return SQL conditions with parameters of `parameters`."""
        flagged = ["is_flagged"] if self.signal == "flagged" else []
        return flagged + [FILTERS[name] for name in self.parameters()]

    def parameters(self) -> dict[str, str]:
        """Return the values that conditions name."""
        asked = {"signal": self.signal, "sentiment": self.sentiment, "q": self.q}
        return {
            name: value
            for name, value in asked.items()
            if value is not None and (name, value) != ("signal", "flagged")
        }


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment as last seen. Lists put one of unknown `posted_at` where it was first seen."""

    comment_id: UUID
    video_id: UUID
    creator_id: UUID | None
    text: str
    like_count: int | None
    author_unique_id: str | None
    author_nickname: str | None
    posted_at: datetime | None
    captured_at: datetime
    sentiment: str | None
    sentiment_score: Decimal | None
    sentiment_model: str | None
    signals: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentPage:
    """Which part of a list, and in which order."""

    sort: Sort = "top"
    limit: int
    offset: int = 0


def comments_of_video(
    cursor: DuckDBPyConnection,
    scope: CommentScope,
    video_id: UUID,
    wanted: CommentFilter,
    page: CommentPage,
) -> tuple[list[Comment], int]:
    """Return a page of a post's comments, and how many there are in all; counted or not."""
    conditions = [scope.conditions(), "video_id = $video_id", *wanted.conditions()]
    parameters = {**scope.parameters(), "video_id": video_id, **wanted.parameters()}
    found = _page(cursor, conditions, parameters, page)
    total = TOTAL.format(conditions=" and ".join(conditions))
    [(count,)] = cursor.execute(total, parameters).fetchall()
    return found, count


def comments_in(
    cursor: DuckDBPyConnection,
    scope: CommentScope,
    days: Days,
    wanted: CommentFilter,
    page: CommentPage,
) -> list[Comment]:
    """Return a page of the comments of some days under the counted posts in scope."""
    conditions = [
        scope.conditions(),
        "is_counted",
        "day between $first and $last",
        *wanted.conditions(),
    ]
    parameters = {
        **scope.parameters(),
        "first": days.first,
        "last": days.last,
        **wanted.parameters(),
    }
    return _page(cursor, conditions, parameters, page)


def comments_by_ids(
    cursor: DuckDBPyConnection, scope: CommentScope, ids: Collection[UUID]
) -> Mapping[UUID, Comment]:
    """Return those of the comments that are in scope."""
    statement = BY_IDS.format(columns=", ".join(COLUMNS), conditions=scope.conditions())
    parameters = {**scope.parameters(), "ids": ",".join(map(str, ids))}
    found = [Comment(*row) for row in cursor.execute(statement, parameters).fetchall()]
    return {comment.comment_id: comment for comment in found}


def _page(
    cursor: DuckDBPyConnection,
    conditions: list[str],
    parameters: Mapping[str, Any],
    page: CommentPage,
) -> list[Comment]:
    statement = PAGE.format(
        conditions=" and ".join(conditions),
        order=ORDERS[page.sort],
        columns=", ".join(COLUMNS),
    )
    where = {**parameters, "limit": page.limit, "offset": page.offset}
    return [Comment(*row) for row in cursor.execute(statement, where).fetchall()]
