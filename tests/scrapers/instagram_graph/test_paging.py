"""Paging back through an account's media stops when no wanted post can follow, and not before."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from scrapers.discovery import TimelinePage
from scrapers.findings import ListedPost
from scrapers.instagram_graph.parse import MediaPaging
from scrapers.urls.shortcode import uploaded_at
from tests.orchestration.own_provider import COUNTED

TODAY = datetime(2026, 9, 8, 12, tzinfo=UTC)
ZERO = uploaded_at("1")
PAGES = 400


def pk(age_days: float) -> str:
    """Return the id of a post uploaded `age_days` ago."""
    return str(int((TODAY - timedelta(days=age_days) - ZERO) / timedelta(milliseconds=1)) << 23)


def post(age_days: float) -> ListedPost:
    """Return a post published a minute after its upload."""
    video = replace(
        COUNTED,
        platform="instagram",
        platform_video_id=pk(age_days),
        posted_at=TODAY - timedelta(days=age_days) + timedelta(minutes=1),
        captured_at=TODAY,
    )
    return ListedPost(video, is_pinned=False)


def page(*ages: float, cursor: str | None = "more") -> TimelinePage:
    return TimelinePage(tuple(post(age) for age in ages), cursor)


def paging(since_days: float = 30, known: tuple[float, ...] = ()) -> MediaPaging:
    return MediaPaging(since=TODAY - timedelta(days=since_days), known=[pk(age) for age in known])


def ids_of(comment_crawl: MediaPaging) -> list[str]:
    return [video.platform_video_id for video in comment_crawl.findings.videos]


def test_known_posts_without_a_route_are_crawled_to() -> None:
    comment_crawl = paging(known=(1, 2, 40, 50))
    comment_crawl.add_page(page(1, 2))
    assert comment_crawl.goes_on
    comment_crawl.add_page(page(35, 40))
    assert comment_crawl.goes_on
    comment_crawl.add_page(page(45, 50))
    assert (comment_crawl.goes_on, comment_crawl.is_complete) == (False, True)
    assert ids_of(comment_crawl) == [pk(1), pk(2), pk(40), pk(50)]


def test_a_known_post_that_is_gone_does_not_keep_the_crawl_going() -> None:
    comment_crawl = paging(known=(1, 3, 5))
    comment_crawl.add_page(page(1, 5))
    assert (comment_crawl.goes_on, comment_crawl.is_complete) == (False, True)


def test_a_known_post_may_have_been_published_long_after_its_upload() -> None:
    late = page(0.5).posts[0]
    late = replace(late, video=replace(late.video, platform_video_id=pk(90)))
    comment_crawl = paging(known=(0.3, 0.5, 90))
    comment_crawl.add_page(page(0.3))
    assert comment_crawl.goes_on
    comment_crawl.add_page(TimelinePage((late,), "more"))
    assert (comment_crawl.is_complete, ids_of(comment_crawl)) == (False, [pk(0.3), pk(90)])


def test_an_old_post_at_the_top_does_not_end_the_crawl() -> None:
    comment_crawl = paging(known=(1, 2, 3, 400))
    comment_crawl.add_page(page(400, 1, 2))
    assert comment_crawl.goes_on


def test_an_empty_page_with_a_cursor_is_retried_once_and_then_skipped() -> None:
    comment_crawl = paging()
    comment_crawl.add_page(page(1, cursor="a"))
    comment_crawl.add_page(page(cursor="b"))
    assert (comment_crawl.goes_on, comment_crawl.is_complete, comment_crawl.cursor) == (
        True,
        False,
        "a",
    )
    comment_crawl.add_page(page(cursor="b"))
    assert (comment_crawl.goes_on, comment_crawl.is_complete, comment_crawl.cursor) == (
        True,
        False,
        "b",
    )


def test_fruitless_pages_before_the_end_are_no_loop() -> None:
    comment_crawl = paging()
    comment_crawl.add_page(page(1, 2))
    comment_crawl.add_page(page())
    comment_crawl.add_page(page())
    comment_crawl.add_page(page(cursor=None))
    assert (comment_crawl.is_stuck, comment_crawl.is_complete) == (False, True)


def test_a_crawl_is_bounded() -> None:
    comment_crawl = paging(since_days=5000)
    for age in range(PAGES):
        assert comment_crawl.goes_on
        comment_crawl.add_page(page(float(age)))
    assert (comment_crawl.goes_on, comment_crawl.is_complete, comment_crawl.is_stuck) == (
        False,
        False,
        False,
    )
