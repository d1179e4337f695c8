"""Lists of comments: filters, order and pages.

A page begins after a position, the sort key of the previous comment, so that comments added or
deleted between two pages neither repeat nor hide others; or at an offset.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.comments.scope import FLAGGED, CommentScope, Days

Sort = Literal["top", "newest", "oldest"]

UNKNOWN = -1
"""Sort key of an unknown number of likes, after 0."""

LATEST = "commented_at desc, comment_id desc"
ORDERS: Mapping[Sort, str] = {
    "top": f"like_count desc nulls last, {LATEST}",
    "newest": LATEST,
    "oldest": "commented_at, comment_id",
}
POSITION = "($after_at::timestamptz, $after_id::uuid)"
AFTER: Mapping[Sort, str] = {
    "top": f"""(
        coalesce(like_count, {UNKNOWN}) < $after_likes
        or (
            coalesce(like_count, {UNKNOWN}) = $after_likes
            and (commented_at, comment_id) < {POSITION}
        )
    )""",
    "newest": f"(commented_at, comment_id) < {POSITION}",
    "oldest": f"(commented_at, comment_id) > {POSITION}",
}
IDS = "select cast(unnest(string_split(nullif({}, ''), ',')) as uuid)"
"""Comma-separated ids: 100,000 in a list take 50 times as long (5.3 s, 0.1 s)."""
FILTERS = {
    "signal": "list_contains(signals, $signal)",
    "sentiment": "sentiment = $sentiment",
    "q": "contains(searched_text, lower($q))",
    "among": f"comment_id in ({IDS.format('$among')})",
    "but_for": f"comment_id not in ({IDS.format('$but_for')})",
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
        and comment_id in ({ids})
"""
TOTAL = "select count(*) from marts.comments where {conditions}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentFilter:
    """Filters of comments; None: any. `signal` may be `flagged`.

    `among` and `but_for` select or exclude comments by comma-separated ids.
    """

    signal: str | None = None
    sentiment: str | None = None
    q: str | None = None
    among: str | None = None
    but_for: str | None = None

    def conditions(self) -> list[str]:
        """Return SQL conditions, with the names of `parameters`."""
        flagged = ["is_flagged"] if self.signal in {"flagged", *FLAGGED} else []
        return flagged + [FILTERS[name] for name in self.parameters()]

    def parameters(self) -> dict[str, str]:
        parameters = {name: value for name, value in asdict(self).items() if value is not None}
        if parameters.get("signal") == "flagged":
            del parameters["signal"]
        return parameters


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment as last seen. `commented_at` is when it was posted, or if unknown, first seen."""

    comment_id: UUID
    video_id: UUID
    creator_id: UUID | None
    text: str
    like_count: int | None
    author_unique_id: str | None
    author_nickname: str | None
    posted_at: datetime | None
    commented_at: datetime
    captured_at: datetime
    sentiment: str | None
    sentiment_score: Decimal | None
    sentiment_model: str | None
    signals: list[str]


COLUMNS = tuple(column.name for column in fields(Comment))


@dataclass(frozen=True, slots=True)
class CommentPosition:
    """A comment's sort keys. `likes` is UNKNOWN if they are not shown."""

    likes: int
    at: datetime
    id: UUID

    @classmethod
    def of(cls, comment: Comment) -> "CommentPosition":
        likes = UNKNOWN if comment.like_count is None else comment.like_count
        return cls(likes, comment.commented_at, comment.comment_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentPage:
    """Order and page of a list: after a position, or at an offset."""

    sort: Sort = "top"
    limit: int
    offset: int = 0
    after: CommentPosition | None = None

    def conditions(self) -> list[str]:
        """Return SQL conditions, with the names of `parameters`."""
        return [AFTER[self.sort]] if self.after else []

    def parameters(self) -> dict[str, Any]:
        if self.after is None:
            return {}
        likes = {"after_likes": self.after.likes} if self.sort == "top" else {}
        return {**likes, "after_at": self.after.at, "after_id": self.after.id}


def comments_of_video(
    cursor: DuckDBPyConnection,
    scope: CommentScope,
    video_id: UUID,
    filters: CommentFilter,
    page: CommentPage,
) -> tuple[list[Comment], int]:
    """Return a page of a post's comments and their total, whether the post counts or not."""
    conditions = [scope.conditions(), "video_id = $video_id", *filters.conditions()]
    parameters = {**scope.parameters(), "video_id": video_id, **filters.parameters()}
    comments = _page(cursor, conditions, parameters, page)
    return comments, _count(cursor, conditions, parameters)


def comments_in(
    cursor: DuckDBPyConnection,
    scope: CommentScope,
    days: Days,
    filters: CommentFilter,
    page: CommentPage,
) -> list[Comment]:
    """Return a page of comments in these days on the counted posts in scope."""
    conditions, parameters = _of_days(scope, days, filters)
    return _page(cursor, conditions, parameters, page)


def comment_ids_in(
    cursor: DuckDBPyConnection,
    scope: CommentScope,
    days: Days,
    filters: CommentFilter,
    page: CommentPage,
) -> list[UUID]:
    """Return the ids of a page of `comments_in`, without reading the texts."""
    conditions, parameters = _of_days(scope, days, filters)
    return [row[0] for row in _rows(cursor, conditions, parameters, page, ("comment_id",))]


def comment_count_in(
    cursor: DuckDBPyConnection, scope: CommentScope, days: Days, filters: CommentFilter
) -> int:
    """Return how many comments all pages of `comments_in` have."""
    return _count(cursor, *_of_days(scope, days, filters))


def _of_days(
    scope: CommentScope, days: Days, filters: CommentFilter
) -> tuple[list[str], dict[str, Any]]:
    conditions = ["is_counted", "day between $first and $last", *filters.conditions()]
    parameters = {"first": days.first, "last": days.last, **filters.parameters()}
    return [scope.conditions(), *conditions], {**scope.parameters(), **parameters}


def comments_by_ids(
    cursor: DuckDBPyConnection, scope: CommentScope, ids: Collection[UUID]
) -> Mapping[UUID, Comment]:
    statement = BY_IDS.format(
        columns=", ".join(COLUMNS), conditions=scope.conditions(), ids=IDS.format("$ids")
    )
    parameters = {**scope.parameters(), "ids": ",".join(map(str, ids))}
    comments = [Comment(*row) for row in cursor.execute(statement, parameters).fetchall()]
    return {comment.comment_id: comment for comment in comments}


def _count(cursor: DuckDBPyConnection, conditions: list[str], parameters: Mapping[str, Any]) -> int:
    total = TOTAL.format(conditions=" and ".join(conditions))
    [(count,)] = cursor.execute(total, parameters).fetchall()
    return int(count)


def _page(
    cursor: DuckDBPyConnection,
    conditions: list[str],
    parameters: Mapping[str, Any],
    page: CommentPage,
) -> list[Comment]:
    return [Comment(*row) for row in _rows(cursor, conditions, parameters, page, COLUMNS)]


def _rows(
    cursor: DuckDBPyConnection,
    conditions: list[str],
    parameters: Mapping[str, Any],
    page: CommentPage,
    columns: Sequence[str],
) -> list[Any]:
    statement = PAGE.format(
        conditions=" and ".join([*conditions, *page.conditions()]),
        order=ORDERS[page.sort],
        columns=", ".join(columns),
    )
    where = {**parameters, **page.parameters(), "limit": page.limit, "offset": page.offset}
    return cursor.execute(statement, where).fetchall()
