"""Effects of a run on published comments and their sums."""

from datetime import datetime, timedelta
from uuid import UUID

import pytest

from tests.dbt_project.comment_histories import BEGIN, CommentHistory, score
from tests.dbt_project.harness import Harness, selected
from tests.dbt_project.statements import failing_tests
from warehouse.control import Run

NEEDED = selected("comments", "video_comments", "video_comment_daily")


@pytest.mark.slow
def test_a_run_rewrites_only_crawled_posts(settled: tuple[Harness, datetime]) -> None:
    """A marker in every row survives in old comments, but not in sums of crawled posts."""
    harness, as_of = settled
    comments = harness.column("marts.comments", "comment_id")
    posts = {mart: sorted(harness.column(f"marts.{mart}", "video_id")) for mart in SUMS}
    crawled = posts["video_comment_daily"][0]
    with harness.connect() as connection:
        connection.execute("update marts.comments set like_count = -1")
        for mart in SUMS:
            connection.execute(f"update marts.{mart} set comment_count = -1")
    comment_crawl(harness, crawled, as_of)

    run = build_comments(harness, as_of=as_of + timedelta(minutes=1))

    assert not run.is_full_refresh
    assert harness.column("marts.comments", "comment_id", "like_count = -1") == comments
    assert len(harness.column("marts.comments", "comment_id")) == len(comments) + 1
    for mart in SUMS:
        unchanged = sorted(harness.column(f"marts.{mart}", "video_id", "comment_count = -1"))
        assert unchanged == [post for post in posts[mart] if post != crawled]


@pytest.mark.slow
def test_comments_missing_in_a_complete_crawl_are_deleted(
    settled: tuple[Harness, datetime],
) -> None:
    """Earlier versions also recorded refused crawls without comments as complete."""
    harness, as_of = settled
    comments = harness.column("marts.comments", "comment_id")
    crawled = max(harness.column("marts.comments", "video_id"))
    own = harness.column("marts.comments", "comment_id", f"video_id = uuid '{crawled}'")
    at = as_of + timedelta(minutes=1)
    ended = {"outcome": "ok", "is_complete": True, "collected_count": 0, "source": "web"}
    crawl = {**ended, "video_id": crawled, "started_at": at, "finished_at": at}
    harness.ingest(comment_walks=[{**crawl, "outcome": "blocked_silent"}])
    build_comments(harness, as_of=at)
    assert harness.column("marts.comments", "comment_id") == comments
    harness.ingest(comment_walks=[crawl])

    run = build_comments(harness, as_of=at + timedelta(minutes=1))

    assert not run.is_full_refresh
    assert harness.column("marts.comments", "comment_id") == comments - own


def test_no_comment_is_lost_when_batches_land_out_of_order(
    settled: tuple[Harness, datetime],
) -> None:
    """Two workers' crawls are incomplete; the one that began first lands last."""
    harness, as_of = settled
    crawled = min(harness.column("marts.comments", "video_id"))
    comment_crawl(harness, crawled, as_of + timedelta(minutes=3))
    build_comments(harness, as_of=as_of + timedelta(minutes=4))
    comment_crawl(harness, crawled, as_of + timedelta(minutes=2))

    run = build_comments(harness, as_of=as_of + timedelta(minutes=5))

    with harness.connect() as connection:
        assert "assert_what_was_copied_and_said_is_in_the_marts" not in failing_tests(
            connection, run
        )


SUMS = ("video_comments", "video_comment_daily")


@pytest.fixture(scope="module")
def settled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Harness, datetime]:
    """A warehouse with a published run, and the time of the run."""
    harness, history = Harness(tmp_path_factory.mktemp("settled")), CommentHistory(seed=1)
    harness.decide(**history.operational())
    score(harness, history.scores, history.mentions, score_seq=1)
    for batch in history.batches():
        harness.ingest(**batch)
    as_of = BEGIN + timedelta(days=40)
    harness.run(as_of=as_of)
    return harness, as_of


def build_comments(harness: Harness, as_of: datetime, *, full_refresh: bool = False) -> Run:
    """Run the models of comments on a complete warehouse."""
    run = harness.begin(as_of=as_of, full_refresh=full_refresh)
    harness.build(run, *NEEDED)
    harness.promote(run)
    return run


def comment_crawl(harness: Harness, video_id: UUID, at: datetime) -> None:
    """Ingest an incomplete crawl with a new comment."""
    seen = {"video_id": video_id, "source": "web"}
    ended = {"outcome": "ok", "is_complete": False, "collected_count": 1}
    harness.ingest(
        comments=[{**seen, "platform_comment_id": "new", "text": "new", "captured_at": at}],
        comment_walks=[{**seen, **ended, "started_at": at, "finished_at": at}],
    )
