"""Comment pagination while comments come and go: each remaining one appears once, in order."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from random import Random
from typing import get_args
from uuid import UUID

import duckdb
import pytest

from tests.factories.comments import Said, fill_comments
from tests.factories.marts import ORGANIZATION, PROJECT, History, Video, create_marts, fill_marts
from warehouse.reading.comments.listing import (
    Comment,
    CommentFilter,
    CommentPage,
    CommentPosition,
    Sort,
    comments_in,
)
from warehouse.reading.comments.scope import CommentScope, Days

pytestmark = pytest.mark.slow

DANCE = Video("dance")
HISTORY = History(videos=[DANCE])
SCOPE = CommentScope(organization_id=ORGANIZATION, project_id=PROJECT)
NOON = datetime(2026, 5, 19, 12, tzinfo=UTC)
DAYS = Days(first=date(2026, 5, 19), last=date(2026, 5, 19))
LIKES = (None, 0, 0, 1, 7, 2**40)


def random_comment(random: Random, number: int) -> Said:
    """Return a comment; likes and times repeat, some times differ by a microsecond."""
    at = NOON + timedelta(microseconds=random.randrange(3), seconds=random.randrange(3))
    likes = random.choice(LIKES)
    return Said(DANCE.id, at, likes=likes, name=f"{number}", is_post_time_known=likes != 7)


def place(comment: Said) -> tuple[int, datetime, UUID]:
    return (-1 if comment.likes is None else comment.likes, comment.at, comment.id)


@pytest.fixture
def marts() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute("set TimeZone = 'UTC'")
        create_marts(connection)
        fill_marts(connection, HISTORY)
        yield connection


def page_after(
    marts: duckdb.DuckDBPyConnection, sort: Sort, last: Comment | None, limit: int
) -> list[Comment]:
    page = CommentPage(sort=sort, limit=limit, after=last and CommentPosition.of(last))
    return comments_in(marts, SCOPE, DAYS, CommentFilter(), page)


ORDERS = {
    "top": lambda comment: tuple(reversed_place(comment)),
    "newest": lambda comment: tuple(reversed_place(comment)[1:]),
    "oldest": lambda comment: place(comment)[1:],
}


def reversed_place(comment: Said) -> list[float | int]:
    likes, at, identity = place(comment)
    return [-likes, (NOON - at) // timedelta(microseconds=1), -identity.int]


@pytest.mark.parametrize("sort", get_args(Sort))
@pytest.mark.parametrize("limit", [1, 3, 20])
def test_pages_show_all_in_order_once(
    marts: duckdb.DuckDBPyConnection, sort: Sort, limit: int
) -> None:
    """Most comments differ from others only in their id."""
    random = Random(limit)
    comments = [random_comment(random, number) for number in range(60)]
    fill_comments(marts, HISTORY, comments)
    read_comments: list[Comment] = []
    while page := page_after(marts, sort, read_comments[-1] if read_comments else None, limit):
        read_comments += page
    expected = [comment.id for comment in sorted(comments, key=ORDERS[sort])]
    assert [comment.comment_id for comment in read_comments] == expected


@pytest.mark.parametrize("sort", get_args(Sort))
def test_comments_that_come_and_go_between_pages_neither_repeat_nor_hide_others(
    marts: duckdb.DuckDBPyConnection, sort: Sort
) -> None:
    random = Random(5)
    comments = [random_comment(random, number) for number in range(60)]
    fill_comments(marts, HISTORY, comments)
    read_comments: list[Comment] = []
    gone: set[UUID] = set()
    while page := page_after(marts, sort, read_comments[-1] if read_comments else None, 4):
        read_comments += page
        come = [
            replace(random_comment(random, 0), name=f"new {len(read_comments)} {n}")
            for n in range(3)
        ]
        fill_comments(marts, HISTORY, come)
        leaving = {page[-1].comment_id, random.choice(comments).id}
        gone |= leaving
        for comment_id in leaving:
            marts.execute("delete from marts.comments where comment_id = ?", [comment_id])
    comment_ids = [comment.comment_id for comment in read_comments]
    assert len(comment_ids) == len(set(comment_ids))
    assert {comment.id for comment in comments} - gone <= set(comment_ids)
