"""Which comments are due, and the daily limit of videos."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import duckdb
import pytest
from sqlalchemy import event, literal

from tests.factories.tracking import add_account, add_organization, add_video, change
from warehouse.operational.models import (
    CommentCollection,
    CommentSettings,
    Organization,
    Project,
    Video,
)
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore
from warehouse.plans import plan
from warehouse.scrape_jobs.comment_targets import CommentsToCollect, comments_due, due_again

NOW = datetime(2026, 5, 20, 12, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


class Desk:
    """Posts with their platforms' counters, in a publication and the registry."""

    def __init__(self, store: OperationalStore, organization: NewOrganization) -> None:
        self.store = store
        self.organization = organization
        self.publication = duckdb.connect()
        self.publication.execute("create schema marts")
        self.publication.execute(
            "create table marts.videos (video_id uuid, organization_id uuid, view_count bigint,"
            " like_count bigint, comment_count bigint, share_count bigint, save_count bigint,"
            " first_captured_at timestamptz, last_captured_at timestamptz,"
            " view_captured_at timestamptz, like_captured_at timestamptz,"
            " comment_captured_at timestamptz, share_captured_at timestamptz,"
            " save_captured_at timestamptz, posted_at timestamptz);"
            "create table marts.video_comments (video_id uuid)"
        )

    def video(
        self, number: str, *, age: timedelta = 5 * DAY, comments: int | None = 40, **changes: Any
    ) -> UUID:
        owner = changes.pop("owner", self.organization)
        posted_at = changes.pop("posted_at", NOW - age)
        video_id = add_video(self.store, owner, number, posted_at=posted_at, **changes)
        self.publication.execute(
            "insert into marts.videos (video_id, organization_id, posted_at, comment_count)"
            " values (?, ?, ?, ?)",
            [video_id, owner.organization_id, posted_at, comments],
        )
        return video_id

    def crawled(self, video_id: UUID, ago: timedelta, *, failures: int = 0) -> None:
        """Record a comment crawl of a video."""
        with self.store.write_session() as session:
            video = session.get_one(Video, video_id)
            session.add(
                CommentCollection(
                    video_id=video_id,
                    organization_id=video.organization_id,
                    walked_at=NOW - ago,
                    outcome="blocked_silent" if failures else "ok",
                    failures=failures,
                    due_at=due_again(
                        video.posted_at or video.created_at, NOW - ago, literal(failures)
                    ),
                )
            )

    def targets(self, now: datetime = NOW) -> list[CommentsToCollect]:
        with self.store.read_session() as session:
            return comments_due(session, self.publication, now)

    def due(self, now: datetime = NOW) -> list[str]:
        """Return the due posts in order."""
        return [target.platform_video_id for target in self.targets(now)]


@pytest.fixture
def desk(store: OperationalStore, organization: NewOrganization) -> Iterator[Desk]:
    desk = Desk(store, organization)
    yield desk
    desk.publication.close()


def set_plan(store: OperationalStore, organization: NewOrganization, name: str) -> None:
    change(store, Organization, organization.organization_id, plan=name)


class TestFirstCrawl:
    @pytest.mark.parametrize(
        ("age", "is_due"), [(3 * DAY, True), (3 * DAY - HOUR / 60, False), (400 * DAY, True)]
    )
    def test_a_video_is_due_once_it_is_three_days_old(
        self, desk: Desk, age: timedelta, *, is_due: bool
    ) -> None:
        desk.video("7001", age=age)
        assert desk.due() == ["7001"] * is_due

    def test_without_a_known_time_it_counts_from_when_it_was_added(self, desk: Desk) -> None:
        desk.video("7001", posted_at=None, created_at=NOW - 2 * DAY)
        assert desk.due() == []
        assert desk.due(NOW + DAY) == ["7001"]

    @pytest.mark.parametrize(
        ("comments", "is_due"), [(5, True), (4, False), (0, False), (None, False)]
    )
    def test_and_its_platform_shows_five_comments(
        self, desk: Desk, comments: int | None, *, is_due: bool
    ) -> None:
        desk.video("7001", comments=comments)
        assert desk.due() == ["7001"] * is_due

    @pytest.mark.parametrize(("least", "due"), [(41, []), (40, ["7001"]), (0, ["7001", "7002"])])
    def test_or_as_many_as_the_organization_sets(
        self, desk: Desk, store: OperationalStore, least: int, due: list[str]
    ) -> None:
        desk.video("7001", comments=40)
        desk.video("7002", comments=0)
        with store.write_session() as session:
            session.add(
                CommentSettings(
                    organization_id=desk.organization.organization_id, min_comment_count=least
                )
            )
        assert sorted(desk.due()) == due

    def test_only_published_posts_are_due(self, desk: Desk) -> None:
        desk.video("7001")
        desk.publication.execute("delete from marts.videos")
        assert desk.due() == []

    @pytest.mark.parametrize(
        "changes",
        [
            {"tracking_status": "pending_review"},
            {"tracking_status": "excluded"},
            {"tracking_disabled": True},
            {"plan_limit_paused_at": NOW},
            {"frozen_at": NOW},
            {"stopped_at": NOW},
        ],
    )
    def test_an_uncounted_or_untracked_video_is_not_crawled(
        self, desk: Desk, changes: dict[str, Any]
    ) -> None:
        desk.video("7001", **changes)
        assert desk.due() == []

    def test_archived_projects_and_suspended_organizations_are_not_crawled(
        self, desk: Desk, store: OperationalStore
    ) -> None:
        desk.video("7001")
        project_id = desk.organization.project_id
        assert project_id is not None
        change(store, Project, project_id, is_archived=True)
        assert desk.due() == []
        change(store, Project, project_id, is_archived=False)
        change(store, Organization, desk.organization.organization_id, is_suspended=True)
        assert desk.due() == []

    def test_the_target_names_the_post_its_author_and_the_row_it_is_for(
        self, desk: Desk, store: OperationalStore
    ) -> None:
        account = add_account(store, desk.organization, "demo", platform="instagram")
        video_id = desk.video("7001", platform="instagram", account=account)
        assert desk.targets() == [
            CommentsToCollect(
                platform="instagram",
                platform_video_id="7001",
                handle="demo",
                video_ids=(video_id,),
            )
        ]


class TestFurtherCrawls:
    @pytest.mark.parametrize(
        ("age_then", "wait"),
        [(3 * DAY, 36 * HOUR), (10 * DAY, 5 * DAY), (100 * DAY, 50 * DAY)],
    )
    def test_it_is_due_again_when_it_is_half_as_old_again(
        self, desk: Desk, age_then: timedelta, wait: timedelta
    ) -> None:
        desk.crawled(desk.video("7001", age=age_then), timedelta())
        assert desk.due(NOW + wait - HOUR / 60) == []
        assert desk.due(NOW + wait) == ["7001"]

    @pytest.mark.parametrize(
        ("failures", "wait"), [(1, 4 * HOUR), (2, 8 * HOUR), (4, 32 * HOUR), (90, 5 * DAY)]
    )
    def test_after_failures_sooner_with_backoff(
        self, desk: Desk, failures: int, wait: timedelta
    ) -> None:
        desk.crawled(desk.video("7001", age=10 * DAY), timedelta(), failures=failures)
        assert desk.due(NOW + wait - HOUR / 60) == []
        assert desk.due(NOW + wait) == ["7001"]

    def test_uncrawled_videos_come_first_newest_first(self, desk: Desk) -> None:
        desk.crawled(desk.video("long ago", age=30 * DAY), 20 * DAY)
        desk.crawled(desk.video("longer ago", age=30 * DAY), 25 * DAY)
        desk.video("old", age=9 * DAY)
        desk.video("new", age=4 * DAY)
        assert desk.due() == ["new", "old", "longer ago", "long ago"]

    def test_one_recorded_by_an_earlier_version_is_due(
        self, desk: Desk, store: OperationalStore
    ) -> None:
        """Schema 0058 did not store when the next crawl is due."""
        video_id = desk.video("7001")
        desk.crawled(video_id, HOUR)
        assert desk.due() == []
        change(store, CommentCollection, video_id, due_at=None)
        assert desk.due() == ["7001"]


def test_posts_that_are_not_due_are_not_read(desk: Desk) -> None:
    """PostgreSQL finds completed crawls by an index and reads no posts."""
    for number in range(20):
        desk.video(f"few {number}", comments=4)
        desk.crawled(desk.video(f"crawled {number}"), HOUR)
    desk.publication.execute(
        "insert into marts.video_comments select video_id from marts.videos"
        " where comment_count = 40"
    )
    statements: list[str] = []
    for engine in (desk.store.engine, desk.store.snapshots):
        event.listen(
            engine, "before_cursor_execute", lambda *arguments: statements.append(arguments[2])
        )
    assert desk.due() == []
    [of_posts] = [statement for statement in statements if "FROM videos" in statement]
    assert "comment_collections.due_at <= " in of_posts


class TestTheDaysLimit:
    @pytest.fixture
    def small(self, desk: Desk, store: OperationalStore, monkeypatch: pytest.MonkeyPatch) -> Desk:
        """An organization whose plan allows two videos a day."""
        two = plan("starter").model_copy(update={"max_comment_videos_per_day": 2})
        monkeypatch.setattr("warehouse.operational.comment_settings.plan", lambda _name: two)
        return desk

    def test_a_plan_without_comments_has_none(self, desk: Desk, store: OperationalStore) -> None:
        desk.video("7001")
        set_plan(store, desk.organization, "free")
        assert desk.due() == []
        set_plan(store, desk.organization, "starter")
        assert desk.due() == ["7001"]

    def test_no_more_than_the_days_limit_are_due(self, small: Desk) -> None:
        for number in range(4):
            small.video(f"700{number}", age=(4 + number) * DAY)
        assert small.due() == ["7000", "7001"]

    def test_todays_crawls_count_against_the_limit_with_any_outcome(self, small: Desk) -> None:
        small.crawled(small.video("7001", age=4 * DAY), 2 * HOUR, failures=1)
        small.video("7002")
        small.video("7003", age=6 * DAY)
        assert small.due() == ["7002"]

    def test_the_day_is_the_organizations(self, small: Desk, store: OperationalStore) -> None:
        organization = small.organization.organization_id
        for number in ("7001", "7002"):
            small.crawled(small.video(number, age=9 * DAY), 11 * HOUR)
        small.video("7003")
        assert small.due() == []
        change(store, Organization, organization, analytics_tz="Pacific/Kiritimati")
        assert small.due() == [
            "7003"
        ]  # there it is 02:00 of the next day; the crawls were at 15:00

    def test_organizations_have_separate_days(self, small: Desk, store: OperationalStore) -> None:
        rival = add_organization(store, "Rival")
        for number in range(3):
            small.video(f"700{number}", age=(4 + number) * DAY)
            small.video(f"800{number}", age=(4 + number) * DAY, owner=rival)
        assert sorted(small.due()) == ["7000", "7001", "8000", "8001"]

    def test_organizations_take_turns(self, small: Desk, store: OperationalStore) -> None:
        """A run may only reach the first posts."""
        later = add_organization(store, "Later")
        for number in ("1", "2", "3"):
            small.video(number, age=5 * DAY + int(number) * HOUR)
        small.video("7", owner=later)
        assert small.due() == ["1", "7", "2"]

    def test_a_shared_post_is_one_crawl_for_all_due_organizations(
        self, small: Desk, store: OperationalStore
    ) -> None:
        rival, idle = (add_organization(store, name) for name in ("Rival", "Idle"))
        ours, theirs = small.video("7001"), small.video("7001", owner=rival)
        small.crawled(small.video("7001", owner=idle), HOUR)
        [target] = small.targets()
        assert set(target.video_ids) == {ours, theirs}
