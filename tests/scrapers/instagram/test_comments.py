"""Instagram's public comments, from the post page and from its GraphQL query."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from scrapers.instagram.comments import parse_comments, parse_first_comments
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.snapshots import CommentSnapshot

PK = "3981064899117325116"
NOON = datetime(2026, 9, 10, 12, tzinfo=UTC)
CURSOR = '{"server_cursor":"abc","is_server_cursor_inverse":true}'
NODE = {
    "pk": "18010000000000001",
    "text": "Nice one",
    "created_at": 1788803600,
    "comment_like_count": 3,
    "child_comment_count": 1,
    "parent_comment_id": None,
    "user": {"pk": "67000000777", "username": "Viewer_One", "is_verified": False},
}
REPLY = NODE | {"pk": "18010000000000002", "parent_comment_id": "18010000000000001"}
READ = CommentSnapshot(
    platform="instagram",
    platform_video_id=PK,
    platform_comment_id="18010000000000001",
    text="Nice one",
    like_count=3,
    reply_count=1,
    author_unique_id="viewer_one",
    author_nickname=None,
    posted_at=datetime(2026, 9, 7, 17, 53, 20, tzinfo=UTC),
    source="instagram.comment_query",
    captured_at=NOON,
)


def connection(*nodes: Any, has_next: Any = True, cursor: Any = CURSOR) -> dict[str, Any]:
    info = {"has_next_page": has_next, "end_cursor": cursor}
    return {"edges": [{"node": node} for node in nodes], "page_info": info}


def result(comments: Any) -> dict[str, Any]:
    return {"data": {"xig_polaris_media": {"pk": PK, "comments_connection": comments}}}


def parsed(answer: Any) -> Any:
    return parse_comments(json.dumps(answer), pk=PK, captured_at=NOON)


def test_an_answer_is_read_its_cursor_left_untouched_and_replies_left_out() -> None:
    page = parsed(result(connection(NODE, REPLY)))
    assert page.comments == (READ,)
    assert page.cursor == CURSOR


def test_the_last_page_has_no_cursor() -> None:
    assert parsed(result(connection(NODE, has_next=False, cursor=None))).cursor is None


def test_the_first_comments_stand_in_the_posts_page(relay_page: Callable[..., str]) -> None:
    page = relay_page({"data": {"xig_user_by_username": None}}, result(connection(NODE)))
    first = parse_first_comments(page, pk=PK, captured_at=NOON)
    assert [comment.source for comment in first.comments] == ["instagram.post_page"]
    assert first.cursor == CURSOR


def test_a_page_may_carry_no_list_of_comments(relay_page: Callable[..., str]) -> None:
    page = relay_page({"data": {"xig_polaris_media": {"pk": PK}}})
    assert parse_first_comments(page, pk=PK, captured_at=NOON) is None


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ({"data": {"xig_polaris_media": None}}, Outcome.POST_UNAVAILABLE),
        ({"data": None, "errors": [{"message": "execution error"}]}, Outcome.SCHEMA_CHANGED),
        ({"require_login": True, "message": "Please wait"}, Outcome.LOGIN_REQUIRED),
        ({"error": 1675004}, Outcome.RATE_LIMITED),
        ({"data": {"xig_polaris_media": {"pk": PK}}}, Outcome.SCHEMA_CHANGED),
        (result(connection(NODE, has_next=None)), Outcome.SCHEMA_CHANGED),
        (result(connection(NODE, cursor=None)), Outcome.SCHEMA_CHANGED),
        (result(connection({"text": "no pk"})), Outcome.SCHEMA_CHANGED),
        (result(connection({"pk": "1", "body": "renamed"})), Outcome.SCHEMA_CHANGED),
    ],
)
def test_another_response_gives_its_outcome(answer: Any, outcome: Outcome) -> None:
    with pytest.raises(ScrapeError) as refused:
        parsed(answer)
    assert refused.value.outcome is outcome
