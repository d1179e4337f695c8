"""Registration of comment crawls: their videos, and what is stored for each."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import polars as pl
import pytest

from tests.factories.landing import NOON, comment, comment_crawl
from tests.factories.tracking import add_organization, add_video, change
from warehouse.landing.batches import incoming, registered
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter
from warehouse.operational.models import CommentCollection, Organization, Video
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore
from warehouse.plans import plan
from warehouse.registration.gathering import RegistrationResult
from warehouse.registration.register import register_batch
from warehouse.settings import Settings

LATER = NOON + timedelta(hours=6)


class Desk:
    """The landing zone and the store of one test."""

    def __init__(self, store: OperationalStore, settings: Settings) -> None:
        self.store = store
        self.settings = settings

    def register(self, **rows: Any) -> RegistrationResult:
        LandingWriter(open_landing(self.settings)).land(**rows)
        batch = incoming(self.settings.landing_path)[-1]
        return register_batch(self.store, open_landing(self.settings), batch)

    def frame(self, name: str) -> list[dict[str, Any]]:
        """Return a table's rows in all registered batches."""
        batches = registered(self.settings.landing_path)
        files = [file for batch in batches if (file := batch.file(name))]
        return [row for file in files for row in pl.read_parquet(file).to_dicts()]

    def collection(self, video_id: UUID) -> tuple[datetime, str, int] | None:
        with self.store.read_session() as session:
            collection = session.get(CommentCollection, video_id)
            return (
                (collection.walked_at, collection.outcome, collection.failures)
                if collection
                else None
            )


@pytest.fixture
def desk(store: OperationalStore, settings: Settings) -> Desk:
    return Desk(store, settings)


@pytest.fixture
def video(store: OperationalStore, organization: NewOrganization) -> UUID:
    return add_video(store, organization, "7001")


def test_a_crawl_and_its_comments_belong_to_the_requested_videos(
    desk: Desk, store: OperationalStore, video: UUID
) -> None:
    rivals = add_video(store, add_organization(store, "Rival"), "7001")
    add_video(store, add_organization(store, "Not due"), "7001")
    result = desk.register(
        comments=[comment("7001", 1, like_count=None), comment("7001", 2, text="")],
        comment_walks=[comment_crawl("7001", video, rivals, collected_count=2)],
    )
    takers = {str(video), str(rivals)}
    rows = desk.frame("comments")
    assert {(row["video_id"], row["platform_comment_id"]) for row in rows} == {
        (taker, f"7001-{number}") for taker in takers for number in (1, 2)
    }
    first = next(row for row in rows if row["platform_comment_id"] == "7001-1")
    assert first | {"video_id": None} == {
        "video_id": None,
        "platform_comment_id": "7001-1",
        "text": "comment 1",
        "like_count": None,
        "reply_count": 0,
        "author_unique_id": "viewer",
        "author_nickname": "A viewer",
        "posted_at": NOON,
        "captured_at": NOON,
        "source": "page",
    }
    comment_crawls = desk.frame("comment_walks")
    assert {row["video_id"] for row in comment_crawls} == takers
    assert {(row["is_complete"], row["collected_count"]) for row in comment_crawls} == {(True, 2)}
    assert (result.comments, result.fetches) == (4, 2)
    assert desk.frame("scrape_outcomes") == []


def test_a_refused_crawl_has_its_comments_and_is_incomplete(desk: Desk, video: UUID) -> None:
    refused = comment_crawl(
        "7001", video, outcome="rate_limited", is_complete=False, detail="HTTP 429", http_status=429
    )
    desk.register(comments=[comment("7001")], comment_walks=[refused])
    [row] = desk.frame("comment_walks")
    assert (row["outcome"], row["is_complete"], row["detail"], row["http_status"]) == (
        "rate_limited",
        False,
        "HTTP 429",
        429,
    )
    assert len(desk.frame("comments")) == 1


@pytest.mark.slow
def test_the_last_crawl_is_recorded_with_consecutive_failures(desk: Desk, video: UUID) -> None:
    for hour, outcome, failures in ((0, "ok", 0), (1, "private", 1), (2, "gated", 2), (3, "ok", 0)):
        at = NOON + timedelta(hours=hour)
        desk.register(comment_walks=[comment_crawl("7001", video, outcome=outcome, finished_at=at)])
        assert desk.collection(video) == (at, outcome, failures)


def test_a_crawl_that_is_registered_late_does_not_undo_a_newer_one(desk: Desk, video: UUID) -> None:
    desk.register(comment_walks=[comment_crawl("7001", video, finished_at=LATER)])
    desk.register(comment_walks=[comment_crawl("7001", video, outcome="gated", finished_at=NOON)])
    assert desk.collection(video) == (LATER, "ok", 0)
    assert len(desk.frame("comment_walks")) == 2


@pytest.mark.parametrize("changes", [{"tracking_status": "excluded"}, {"stopped_at": NOON}])
def test_a_video_that_was_stopped_meanwhile_gets_no_comments(
    desk: Desk, store: OperationalStore, video: UUID, changes: dict[str, Any]
) -> None:
    change(store, Video, video, **changes)
    desk.register(comments=[comment("7001")], comment_walks=[comment_crawl("7001", video)])
    assert desk.frame("comments") == desk.frame("comment_walks") == []
    assert desk.collection(video) is None


def test_nor_does_one_whose_organization_went_to_a_plan_without_comments(
    desk: Desk, store: OperationalStore, organization: NewOrganization, video: UUID
) -> None:
    change(store, Organization, organization.organization_id, plan="free")
    desk.register(comments=[comment("7001")], comment_walks=[comment_crawl("7001", video)])
    assert desk.frame("comments") == []


def test_nor_does_one_of_another_post_or_an_unknown_one(desk: Desk, video: UUID) -> None:
    desk.register(comments=[comment("7002")], comment_walks=[comment_crawl("7002", video, uuid4())])
    assert desk.frame("comments") == desk.frame("comment_walks") == []


def test_the_days_limit_holds_for_concurrent_crawls(
    desk: Desk,
    store: OperationalStore,
    organization: NewOrganization,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    two = plan("starter").model_copy(update={"max_comment_videos_per_day": 2})
    monkeypatch.setattr("warehouse.operational.comment_settings.plan", lambda _name: two)
    videos = {str(n): add_video(store, organization, str(n)) for n in range(4)}
    now = store.clock()

    def comment_crawls(*numbers: str) -> list[dict[str, Any]]:
        return [comment_crawl(number, videos[number], finished_at=now) for number in numbers]

    desk.register(comment_walks=comment_crawls("0"))
    desk.register(comment_walks=comment_crawls("0", "1", "2", "3"))
    video_ids = {UUID(row["video_id"]) for row in desk.frame("comment_walks")}
    assert video_ids == {videos["0"], videos["1"]}


def test_impossible_times_lengths_and_repeats_are_cleaned(desk: Desk, video: UUID) -> None:
    rows = [
        comment("7001", 1, text="x" * 20_000, author_unique_id="Viewer.One"),
        comment("7001", 2, posted_at=datetime(1980, 1, 1, tzinfo=UTC)),
        comment("7001", 3, text="first"),
        comment("7001", 3, text="second"),
        comment("7001", 4, text="nul\x00 and half \ud83d"),
    ]
    desk.register(comments=rows, comment_walks=[comment_crawl("7001", video)])
    first, second, third, fourth = desk.frame("comments")
    assert (len(first["text"]), first["author_unique_id"]) == (10_000, "viewer.one")
    assert second["posted_at"] is None
    assert third["text"] == "second"
    assert fourth["text"] == "nul and half ?"


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (
            {"comment_walks": [comment_crawl("7001", collected_count=-1)]},
            "collected_count is negative",
        ),
        (
            {"comment_walks": [comment_crawl("7001") | {"video_ids": ["7001"]}]},
            "video_ids is not a UUID",
        ),
        (
            {"comment_walks": [comment_crawl("7001") | {"video_ids": [None]}]},
            "video_ids is not a UUID",
        ),
        ({"comment_walks": [comment_crawl("7001") | {"video_ids": None}]}, "video_ids is missing"),
        ({"comments": [comment("7001", text=None)]}, "text is missing"),
        ({"comments": [comment("7001", like_count=-1)]}, "like_count is negative"),
        (
            {"comments": [comment("7001", captured_at=datetime(1990, 1, 1, tzinfo=UTC))]},
            "captured_at is not between",
        ),
    ],
)
def test_an_impossible_batch_is_rejected(desk: Desk, rows: dict[str, Any], reason: str) -> None:
    result = desk.register(**rows)
    assert result.rejected is not None
    assert reason in result.rejected
