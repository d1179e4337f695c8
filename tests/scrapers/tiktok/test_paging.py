"""Paging back through a creator's list ends, misses no post, and detects incomplete lists."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from scrapers.findings import ListedPost
from scrapers.snapshots import DuePost, VideoSnapshot
from scrapers.tiktok.paging import CreatorListPaging, milliseconds
from scrapers.tiktok.parse import ItemPage
from tests.orchestration.own_provider import COUNTED

NOW = datetime(2026, 9, 8, tzinfo=UTC)


def video(number: int, *, days_ago: float) -> VideoSnapshot:
    posted_at = NOW - timedelta(days=days_ago)
    return replace(COUNTED, platform_video_id=str(number), posted_at=posted_at, captured_at=NOW)


def post(number: int, *, days_ago: float, is_pinned: bool = False) -> ListedPost:
    return ListedPost(video(number, days_ago=days_ago), is_pinned)


def page(*posts: ListedPost, has_more: bool = True) -> ItemPage:
    return ItemPage(posts, has_more)


def paging(
    *, since_days: float = 60, known: Collection[str] = (), due: Collection[int] | None = None
) -> CreatorListPaging:
    """Return the paging; `due` lists due posts by age in days, see `dated`."""
    due_posts = None if due is None else [DuePost(dated(n), NOW - timedelta(days=n)) for n in due]
    since = NOW - timedelta(days=since_days)
    return CreatorListPaging(now=NOW, since=since, known=known, due=due_posts)


def dated(days_ago: int) -> str:
    """Return an id that grows with the post's time, like the platform's."""
    return str(1000 - days_ago)


def ids(paged: CreatorListPaging) -> list[str]:
    return [video.platform_video_id for video in paged.findings.videos]


def cursor_days_ago(paged: CreatorListPaging) -> float:
    return (milliseconds(NOW) - int(paged.cursor)) / 86_400_000


def serve(paged: CreatorListPaging, posts: Iterable[ListedPost], size: int = 3) -> int:
    """Serve posts up to the cursor, like the platform; return the number of requests."""
    newest_first = sorted(posts, key=lambda p: p.video.posted_at or NOW, reverse=True)
    requests = 0
    while paged.goes_on:
        requests += 1
        below = [
            p
            for p in newest_first
            if p.video.posted_at and milliseconds(p.video.posted_at) <= int(paged.cursor)
        ]
        paged.add_page(page(*below[:size], has_more=len(below) > size))
    return requests


def test_it_starts_now_and_continues_at_the_last_post() -> None:
    paged = paging()
    assert cursor_days_ago(paged) == 0
    paged.add_page(page(post(1, days_ago=1), post(2, days_ago=3)))
    assert cursor_days_ago(paged) == 3
    assert paged.goes_on


def test_it_stops_at_the_start_of_tracking_and_leaves_older_posts_out() -> None:
    paged = paging(since_days=4.5)
    requests = serve(paged, [post(n, days_ago=n) for n in range(1, 100)])
    assert ids(paged) == ["1", "2", "3", "4"]
    assert paged.is_complete
    assert requests <= 3


def test_it_stops_at_known_posts_and_still_reads_those_of_the_last_page() -> None:
    known = [str(n) for n in range(4, 40)]
    paged = paging(known=known)
    serve(paged, [post(n, days_ago=n) for n in range(1, 40)])
    assert ids(paged) == ["1", "2", "3", "4", "5"]
    assert paged.is_complete


def test_a_known_post_older_than_the_start_is_refreshed_when_it_shows() -> None:
    paged = paging(since_days=2, known=["9"])
    paged.add_page(page(post(1, days_ago=1), post(9, days_ago=30), post(8, days_ago=31)))
    assert ids(paged) == ["1", "9"]


def test_a_pinned_old_post_neither_ends_the_crawl_nor_moves_the_cursor() -> None:
    paged = paging(since_days=10, known=["7"])
    paged.add_page(
        page(
            post(7, days_ago=200, is_pinned=True),
            post(1, days_ago=1),
            post(8, days_ago=300, is_pinned=True),
        )
    )
    assert paged.goes_on
    assert cursor_days_ago(paged) == 1


def test_a_pinned_post_that_is_new_does_not_hide_that_the_rest_is_known() -> None:
    paged = paging(known=["1", "2"])
    paged.add_page(
        page(post(9, days_ago=40, is_pinned=True), post(1, days_ago=1), post(2, days_ago=2))
    )
    assert paged.is_complete
    assert ids(paged) == ["9", "1", "2"]


def test_an_empty_page_is_retried_and_then_skipped() -> None:
    paged = paging()
    paged.add_page(page(post(1, days_ago=1)))
    paged.add_page(page())
    assert cursor_days_ago(paged) == 1
    paged.add_page(page())
    assert cursor_days_ago(paged) == 8
    paged.add_page(page())
    assert cursor_days_ago(paged) == 15
    paged.add_page(page(post(2, days_ago=20), has_more=False))
    assert ids(paged) == ["1", "2"]
    assert paged.is_complete


def test_a_page_with_only_the_post_at_its_edge_is_skipped() -> None:
    paged = paging()
    paged.add_page(page(post(1, days_ago=1)))
    paged.add_page(page(post(1, days_ago=1)))
    assert cursor_days_ago(paged) == 8
    assert paged.goes_on


def test_a_platform_that_always_claims_more_is_stopped_at_the_start() -> None:
    paged = paging(since_days=60)
    requests = 0
    while paged.goes_on:
        paged.add_page(page())
        requests += 1
    assert requests < 15
    assert paged.findings.saw_nothing


def test_the_start_of_tracking_long_ago_cannot_page_for_ever() -> None:
    paged = CreatorListPaging(now=NOW, since=datetime(1970, 1, 1, tzinfo=UTC), known=())
    number = 0
    while paged.goes_on:
        number += 1
        paged.add_page(page(post(number, days_ago=number / 1000)))
    assert number == 400
    assert not paged.is_complete


@pytest.mark.parametrize("size", [1, 2, 15])
def test_any_page_size_gives_the_same_posts(size: int) -> None:
    paged = paging()
    serve(paged, [post(n, days_ago=n * 1.7) for n in range(1, 30)], size=max(size, 2))
    assert ids(paged) == [str(n) for n in range(1, 30)]


@pytest.mark.parametrize(
    ("due", "requests"),
    [
        ([], 1),
        ([1, 2, 3], 1),
        ([4], 2),
        (range(1, 31), 15),  # consecutive pages overlap by a post
        ([1, 30], 1),  # nine pages for one post
        ([28, 29, 30], 1),
        (range(20, 31), 15),
        ([300], 1),
    ],
    ids=str,
)
def test_it_reads_on_for_posts_that_are_due_where_pages_are_fewer(
    due: Collection[int], requests: int
) -> None:
    everything = range(1, 31)
    paged = paging(known=[dated(n) for n in everything], due=due)
    sent = serve(paged, [post(int(dated(n)), days_ago=n) for n in everything])
    assert paged.is_complete
    assert sent == requests


def test_reading_on_keeps_the_result_without_gaps() -> None:
    paged = paging(known=[dated(n) for n in range(1, 31)], due=range(1, 31))
    paged.add_page(page(*(post(int(dated(n)), days_ago=n) for n in range(1, 4))))
    assert (paged.is_complete, paged.goes_on) == (True, True)
