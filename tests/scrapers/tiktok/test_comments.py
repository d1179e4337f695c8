"""TikTok's comment lists: the documented response, and every other response."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from scrapers.outcomes import Outcome, ScrapeError
from scrapers.snapshots import CommentSnapshot
from scrapers.tiktok.comments import parse_comment_page

ITEM = "7682837474828885294"
NOON = datetime(2026, 9, 10, 12, tzinfo=UTC)


@pytest.fixture
def answer(payload: Callable[[str], Any]) -> Any:
    return payload("tiktok/comments.json")


def parsed(answer: Any) -> Any:
    text = answer if isinstance(answer, str) else json.dumps(answer)
    return parse_comment_page(text, item_id=ITEM, captured_at=NOON)


def test_a_page_is_read_and_replies_are_left_to_their_comment(answer: Any) -> None:
    page = parsed(answer)
    assert (page.cursor, page.total) == ("2", 214)
    assert page.comments == (
        CommentSnapshot(
            platform="tiktok",
            platform_video_id=ITEM,
            platform_comment_id="7682852961254519620",
            text="Nice one",
            like_count=31,
            reply_count=2,
            author_unique_id="viewer_one",
            author_nickname="Viewer One",
            posted_at=datetime(2026, 9, 7, 17, 53, 20, tzinfo=UTC),
            source="tiktok.comment_list",
            captured_at=NOON,
        ),
    )


def test_the_last_page_has_no_cursor(answer: Any) -> None:
    assert parsed(answer | {"has_more": 0}).cursor is None


@pytest.mark.parametrize(
    "answer",
    [
        {"comments": None, "cursor": 0, "has_more": 0},
        {"comments": None},
        {"comments": None, "cursor": None, "has_more": None},
        {"comments": [], "extra": {"now": 1788800000000}, "status_msg": ""},
    ],
)
def test_no_comments_are_an_empty_last_page(answer: Any) -> None:
    page = parsed({"status_code": 0, **answer})
    assert (page.comments, page.cursor, page.total) == ((), None, None)


def test_a_later_page_needs_an_end_flag() -> None:
    with pytest.raises(ScrapeError) as refused:
        parse_comment_page(
            '{"status_code": 0, "comments": null}', item_id=ITEM, captured_at=NOON, start="50"
        )
    assert refused.value.outcome is Outcome.SCHEMA_CHANGED


@pytest.mark.parametrize("answer", [{"cursor": 20}, {"has_more": 1}, {"has_more": "x"}])
def test_an_empty_page_with_half_of_its_end_is_an_unknown_shape(answer: Any) -> None:
    with pytest.raises(ScrapeError) as refused:
        parsed({"status_code": 0, "comments": None, **answer})
    assert refused.value.outcome is Outcome.SCHEMA_CHANGED


def test_missing_fields_of_a_comment_are_unknown(answer: Any) -> None:
    bare = {"cid": "1", "text": "\ud83d", "create_time": 5, "digg_count": -1}
    [comment] = parsed(answer | {"comments": [bare]}).comments
    assert (comment.like_count, comment.reply_count, comment.posted_at) == (None, None, None)
    assert (comment.author_unique_id, comment.author_nickname) == (None, None)
    assert comment.text == "\ufffd"


def test_a_sticker_is_a_comment_without_text(answer: Any) -> None:
    sticker = {"cid": "1", "text": "", "digg_count": 3}
    assert [comment.text for comment in parsed(answer | {"comments": [sticker]}).comments] == [""]


@pytest.mark.parametrize(
    ("spoil", "outcome"),
    [
        ({"status_code": 10204}, Outcome.POST_UNAVAILABLE),
        ({"status_code": 2483}, Outcome.LOGIN_REQUIRED),
        ({"type": "verify"}, Outcome.CHALLENGED),
        ({"has_more": None}, Outcome.SCHEMA_CHANGED),
        ({"cursor": None}, Outcome.SCHEMA_CHANGED),
        ({"comments": {}}, Outcome.SCHEMA_CHANGED),
        ({"comments": [{"text": "no id"}]}, Outcome.SCHEMA_CHANGED),
        ({"comments": [{"cid": "1", "body": "renamed"}]}, Outcome.SCHEMA_CHANGED),
        ({"comments": [{"cid": "1", "aweme_id": "2", "text": "x"}]}, Outcome.SCHEMA_CHANGED),
        ({"comments": ["text"]}, Outcome.SCHEMA_CHANGED),
        ({"comments": [{"cid": "1", "text": "x", "digg_count": "many"}]}, Outcome.SCHEMA_CHANGED),
    ],
)
def test_another_response_gives_its_outcome(answer: Any, spoil: Any, outcome: Outcome) -> None:
    with pytest.raises(ScrapeError) as refused:
        parsed(answer | spoil)
    assert refused.value.outcome is outcome


def test_a_list_under_another_name_is_not_empty(answer: Any) -> None:
    answer["comments_v2"] = answer.pop("comments")
    with pytest.raises(ScrapeError) as refused:
        parsed(answer)
    assert refused.value.outcome is Outcome.SCHEMA_CHANGED
