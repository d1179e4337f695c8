"""Comment paging without a platform: stored comments, the end of the list, completeness."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from scrapers.comments import CommentPage, CommentPaging, require_progress
from scrapers.snapshots import CommentSnapshot
from tests.orchestration.own_provider import COUNTED

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


def comment(number: int, text: str = "hello") -> CommentSnapshot:
    return CommentSnapshot(
        platform="tiktok",
        platform_video_id="1",
        platform_comment_id=str(number),
        text=text,
        like_count=None,
        reply_count=None,
        author_unique_id=None,
        author_nickname=None,
        posted_at=None,
        source="list",
        captured_at=NOON,
    )


def page(*numbers: int, cursor: str | None, total: int | None = None) -> CommentPage:
    return CommentPage(tuple(map(comment, numbers)), cursor, total)


def paged(*pages: CommentPage, most: int = 9, fruitless: int = 3) -> CommentPaging:
    """Add pages until they or the paging end."""
    paging = CommentPaging(first_cursor="0", pages=most, fruitless_pages=fruitless)
    for page in pages:
        if paging.goes_on:
            paging.add_page(page)
    return paging


def ids(paging: CommentPaging) -> list[str]:
    return [comment.platform_comment_id for comment in paging.comment_crawl().comments]


class TestCommentPaging:
    def test_with_an_unreadable_comment_it_is_not_complete(self) -> None:
        paging = paged(replace(page(1, cursor="1"), unread=1), page(2, 3, cursor=None, total=4))
        assert ids(paging) == ["1", "2", "3"]
        assert not paging.comment_crawl().is_complete

    def test_the_page_limit_ends_it_incomplete(self) -> None:
        paging = paged(page(1, cursor="1"), page(2, cursor="2"), page(3, cursor=None), most=2)
        assert ids(paging) == ["1", "2"]
        assert not paging.comment_crawl().is_complete
        require_progress(paging)

    def test_a_repeated_comment_counts_once_as_first_seen(self) -> None:
        paging = CommentPaging(first_cursor="0", pages=9, fruitless_pages=3)
        paging.add_page(page(1, 2, cursor="2"))
        paging.add_page(CommentPage((comment(2, "later"), comment(3)), None))
        assert ids(paging) == ["1", "2", "3"]
        assert {comment.text for comment in paging.comment_crawl().comments} == {"hello"}

    def test_an_empty_page_is_retried_once_before_it_is_skipped(self) -> None:
        paging = CommentPaging(first_cursor="0", pages=9, fruitless_pages=3)
        paging.add_page(page(1, cursor="1"))
        paging.add_page(page(cursor="50"))
        assert paging.cursor == "1"
        paging.add_page(page(cursor="50"))
        assert paging.cursor == "50"
        assert paging.goes_on

    @pytest.mark.parametrize(
        ("total", "replies", "is_complete"),
        [(4, None, True), (5, None, False), (9, 3, True), (None, None, True)],
    )
    def test_a_list_shorter_than_half_of_the_count_is_not_complete(
        self, total: int | None, replies: int | None, is_complete: bool
    ) -> None:
        """Walls also end lists early, and platforms count replies and hidden comments."""
        first = CommentPage((replace(comment(1), reply_count=replies),), "1", total)
        paging = paged(first, page(2, cursor="2", total=total), page(cursor=None, total=total))
        assert paging.comment_crawl().is_complete is is_complete


def test_the_post_gives_the_count_that_a_list_lacks() -> None:
    paging = paged(page(1, cursor=None))
    seven = replace(COUNTED, comment_count=7)
    assert paging.comment_crawl(seven).platform_comment_count == 7
    assert paged(page(1, cursor=None, total=4)).comment_crawl(seven).platform_comment_count == 4
