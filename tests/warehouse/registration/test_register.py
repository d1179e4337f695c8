from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from threading import Thread
from typing import Any, TypeVar
from uuid import UUID

import polars as pl
import pytest
from sqlalchemy import select, text
from sqlalchemy.orm import Session
from structlog.testing import capture_logs

from tests.factories.landing import NOON, fetch, post, profile
from tests.factories.machine_clock import clock_ahead
from tests.factories.tracking import (
    Customer,
    add_account,
    add_deactivation,
    add_organization,
    change,
)
from tests.fixtures.locks import wait_until_waiting
from tests.fixtures.statements import statements_sent
from warehouse.clock import fixed_clock
from warehouse.landing.batches import Batch, incoming, read_landed, registered
from warehouse.landing.in_folder import FolderLanding
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter
from warehouse.operational import clock
from warehouse.operational.models import (
    Account,
    AccountProfileChange,
    Creator,
    Organization,
    PostPicture,
    Project,
    RegisteredBatch,
    ScrapeJob,
    Video,
    VideoOwner,
    VideoStatus,
)
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.session import driver_of
from warehouse.operational.store import OperationalStore
from warehouse.platforms import PLATFORM_BEGAN
from warehouse.registration import deciding
from warehouse.registration.deciding import decide_batches, lock_organizations
from warehouse.registration.gathering import RegistrationResult
from warehouse.registration.posting_times import awaited_until
from warehouse.registration.register import (
    register_batch,
    register_before_fetching,
    register_landed,
    register_one,
)
from warehouse.scrape_jobs.queue import enqueue
from warehouse.settings import Settings

LATER = NOON + timedelta(hours=6)
Row = TypeVar("Row")
Rows = Iterable[dict[str, Any]]


@dataclass(frozen=True)
class Desk(Customer):
    """The landing zone and the store of one test."""

    settings: Settings

    @property
    def landing(self) -> Path:
        return self.settings.landing_path

    def land(self, posts: Rows = (), profiles: Rows = (), outcomes: Rows = ()) -> Batch:
        LandingWriter(open_landing(self.settings)).land(
            posts=posts, profiles=profiles, outcomes=outcomes
        )
        return incoming(self.landing)[-1]

    def register(
        self, posts: Rows = (), profiles: Rows = (), outcomes: Rows = ()
    ) -> RegistrationResult:
        return self.register_batch(self.land(posts, profiles, outcomes))

    def register_batch(self, batch: Batch) -> RegistrationResult:
        return register_batch(self.store, open_landing(self.settings), batch)

    def frame(self, name: str) -> pl.DataFrame:
        """Return a table's rows in all registered batches."""
        files = [file for batch in registered(self.landing) if (file := batch.file(name))]
        return pl.concat([pl.read_parquet(file) for file in files]) if files else pl.DataFrame()

    def readings(self) -> list[tuple[str, int | None]]:
        """Return the registered posts with their views."""
        frame = self.frame("video_snapshots")
        return [] if frame.is_empty() else frame.select("video_id", "view_count").rows()

    def videos(self) -> list[Video]:
        with self.store.read_session() as session:
            return list(session.scalars(select(Video).order_by(Video.platform_video_id)))

    def one(self, row_type: type[Row], row_id: UUID) -> Row:
        with self.store.read_session() as session:
            return session.get_one(row_type, row_id)


@pytest.fixture
def desk(store: OperationalStore, settings: Settings, organization: NewOrganization) -> Desk:
    return Desk(store, organization, settings)


class TestNewPosts:
    def test_a_post_enters_every_project_that_tracks_its_account(self, desk: Desk) -> None:
        rival = add_organization(desk.store, "Rival")
        stranger = add_organization(desk.store, "Stranger")
        accounts = {add_account(desk.store, org, "demo") for org in (desk.organization, rival)}
        add_account(desk.store, stranger, "other")
        result = desk.register(posts=[post("7001", "demo", view_count=42)])
        videos = desk.videos()
        assert {video.account_id for video in videos} == accounts
        assert {video.tracking_status for video in videos} == {"auto_tracked"}
        assert sorted(desk.readings()) == sorted((str(video.id), 42) for video in videos)
        assert result.video_readings == 2

    def test_its_status_and_its_owner_are_dated(self, desk: Desk) -> None:
        account = desk.account("demo", tracking_mode="selective")
        desk.register(posts=[post("7001", "demo")])
        [video] = desk.videos()
        with desk.store.read_session() as session:
            status = session.scalars(select(VideoStatus)).one()
            owner = session.scalars(select(VideoOwner)).one()
        assert (status.video_id, status.tracking_status) == (video.id, "pending_review")
        assert (owner.video_id, owner.account_id) == (video.id, account)
        assert status.valid_from == owner.valid_from == video.created_at

    def test_a_posts_fields_are_stored(self, desk: Desk) -> None:
        desk.account("demo")
        caption = 'He said "hi", then\n\\N left; \tok'
        desk.register(
            posts=[post("7001", "demo", caption=caption, duration_seconds=31, thumbnail_url="")]
        )
        [video] = desk.videos()
        assert (video.caption, video.duration_seconds, video.thumbnail_url) == (caption, 31, "")
        assert (video.media_type, video.posted_at, video.last_scraped_at) == (None, NOON, NOON)

    def test_hashtag_mode_tracks_matches_and_excludes_the_rest_without_readings(
        self, desk: Desk
    ) -> None:
        desk.account(
            "demo",
            tracking_mode="hashtag",
            tracking_hashtags=["ad"],
            hashtag_inbox_non_matching=False,
        )
        desk.register(
            posts=[post("7001", "demo", caption="#AD!"), post("7002", "demo", caption="#adv")]
        )
        matching, other = desk.videos()
        assert (matching.tracking_status, other.tracking_status) == ("auto_tracked", "excluded")
        assert desk.readings() == [(str(matching.id), 10)]
        assert other.last_scraped_at is None

    def test_the_window_is_that_of_each_organizations_zone(self, desk: Desk) -> None:
        auckland = add_organization(desk.store, "Kiwi", "Pacific/Auckland")
        desk.account("demo", tracking_start_date=date(2026, 5, 5))
        account = add_account(desk.store, auckland, "demo", tracking_start_date=date(2026, 5, 5))
        desk.register(posts=[post("7001", "demo", posted_at=NOON + timedelta(hours=1))])
        assert [video.account_id for video in desk.videos()] == [account]

    def test_a_post_whose_time_is_unknown_counts_as_posted_when_first_seen(
        self, desk: Desk
    ) -> None:
        desk.account("demo", tracking_end_date=date(2026, 5, 4))
        desk.register(
            posts=[
                post("7001", "demo", posted_at=None),
                post("7002", "demo", posted_at=None, captured_at=NOON + timedelta(days=1)),
                post("7003", "demo", posted_at=NOON.replace(year=9000)),
            ]
        )
        assert [(v.platform_video_id, v.posted_at) for v in desk.videos()] == [
            ("7001", None),
            ("7003", None),
        ]

    @pytest.mark.parametrize(
        "state",
        [{"is_active": False}, {"deactivated_at": NOON}],
    )
    def test_a_removed_or_deactivated_account_gets_no_posts(
        self, desk: Desk, state: dict[str, Any]
    ) -> None:
        desk.account("demo", **state)
        desk.register(posts=[post("7001", "demo")], profiles=[profile("demo")])
        assert desk.videos() == []
        assert desk.frame("account_snapshots").is_empty()

    @pytest.mark.parametrize(
        ("choice", "mode", "status"),
        [
            ("inbox", "auto", "pending_review"),
            ("track", "auto", "auto_tracked"),
            ("track", "selective", "pending_review"),
            ("ignore", "auto", "excluded"),
            ("inbox", "hashtag", "pending_review"),
        ],
    )
    def test_posts_published_while_deactivated_follow_the_reactivation(
        self, desk: Desk, choice: str, mode: str, status: str
    ) -> None:
        """The interval includes its start and excludes its end; other posts are filed as usual."""
        account = desk.account(
            "demo",
            tracking_mode=mode,
            tracking_hashtags=["ad"],
            hashtag_inbox_non_matching=False,
        )
        add_deactivation(desk.store, account, NOON, LATER, choice)
        times = (NOON - timedelta(seconds=1), NOON, LATER - timedelta(seconds=1), LATER)
        desk.register(posts=[post(f"700{n}", "demo", posted_at=at) for n, at in enumerate(times)])
        ordinary = {"auto": "auto_tracked", "selective": "pending_review", "hashtag": "excluded"}
        statuses = [video.tracking_status for video in desk.videos()]
        assert statuses == [ordinary[mode], status, status, ordinary[mode]]

    def test_a_post_outside_the_window_is_never_recorded(self, desk: Desk) -> None:
        account = desk.account("demo", tracking_start_date=date(2026, 5, 5))
        add_deactivation(desk.store, account, NOON, LATER, "inbox")
        desk.register(posts=[post("7001", "demo")])
        assert desk.videos() == []

    def test_a_post_seen_twice_in_a_batch_is_one_post_with_two_readings(self, desk: Desk) -> None:
        desk.account("demo")
        desk.register(
            posts=[
                post("7001", "demo", caption="hello", captured_at=NOON),
                post("7001", "demo", view_count=12, captured_at=LATER),
                post("7001", "demo", view_count=12, captured_at=LATER),
            ]
        )
        [video] = desk.videos()
        assert (video.caption, video.last_scraped_at) == ("hello", LATER)
        assert desk.readings() == [(str(video.id), 10), (str(video.id), 12)]


class TestPostsOfSeveralAuthors:
    """A post appears under its co-author, then under its author; its own page names the author."""

    @staticmethod
    def shown() -> list[dict[str, Any]]:
        under = ({"platform_user_id": "u2"}, {"platform_user_id": "u1"})
        rows = [
            post("7001", f"of.{ids['platform_user_id']}", view_count=42, **ids) for ids in under
        ]
        return [*rows, rows[1] | {"captured_at": NOON + timedelta(minutes=1)}]

    def test_each_authors_project_gets_it(self, desk: Desk) -> None:
        rival = add_organization(desk.store, "Rival")
        authors = desk.account("of.u1", platform_user_id="u1")
        coauthors = add_account(desk.store, rival, "of.u2", platform_user_id="u2")
        desk.register(posts=self.shown())
        videos = {video.account_id: video for video in desk.videos()}
        assert videos.keys() == {authors, coauthors}
        assert {video.organization_id for video in videos.values()} == {
            desk.organization.organization_id,
            rival.organization_id,
        }
        once_each_time = 2 * [(str(video.id), 42) for video in videos.values()]
        assert sorted(desk.readings()) == sorted(once_each_time)

    @pytest.mark.parametrize("older", ["u1", "u2"])
    def test_with_its_author_tracked_it_is_the_authors(self, desk: Desk, older: str) -> None:
        other = {"u1": "u2", "u2": "u1"}[older]
        accounts = {
            user_id: desk.account(f"of.{user_id}", platform_user_id=user_id)
            for user_id in (older, other)
        }
        desk.register(posts=self.shown())
        assert [video.account_id for video in desk.videos()] == [accounts["u1"]]

    def test_an_account_known_only_by_handle_gets_it_too(self, desk: Desk) -> None:
        account = desk.account("of.u2")
        desk.register(posts=self.shown())
        assert [video.account_id for video in desk.videos()] == [account]

    def test_other_accounts_do_not(self, desk: Desk) -> None:
        desk.account("of.u2", platform_user_id="u3")
        desk.account("other", platform_user_id="u4")
        desk.register(posts=self.shown())
        assert desk.videos() == []


class TestKnownPosts:
    @pytest.mark.parametrize(
        ("state", "counts"),
        [
            ({}, True),
            ({"tracking_status": "pending_review"}, True),
            ({"tracking_status": "excluded"}, False),
            ({"tracking_disabled": True}, False),
            ({"plan_limit_paused_at": NOON}, False),
            ({"frozen_at": NOON}, False),
            ({"stopped_at": NOON}, False),
        ],
    )
    def test_tracked_posts_get_readings(
        self, desk: Desk, state: dict[str, Any], counts: bool
    ) -> None:
        video = desk.video("7001", **state)
        desk.register(posts=[post("7001")])
        assert desk.readings() == ([(str(video), 10)] if counts else [])

    @pytest.mark.parametrize("mark", ["plan_limit_paused_at", "frozen_at", "stopped_at"])
    def test_a_reading_from_before_tracking_ended_counts_when_registered_late(
        self, desk: Desk, mark: str
    ) -> None:
        video = desk.video("7001", **{mark: LATER})
        ends = [post("7001", captured_at=at) for at in (NOON, LATER, LATER + timedelta(hours=1))]
        desk.register(posts=ends)
        assert desk.frame("video_snapshots")["captured_at"].to_list() == [NOON]
        assert desk.readings() == [(str(video), 10)]

    def test_a_removed_account_gets_readings_from_before_its_removal(self, desk: Desk) -> None:
        account = desk.account("demo")
        video = desk.video("7001", account=account)
        change(desk.store, Account, account, is_active=False, removed_at=LATER)
        desk.register(posts=[post("7001", captured_at=at) for at in (NOON, LATER)])
        assert desk.frame("video_snapshots")["captured_at"].to_list() == [NOON]
        assert desk.readings() == [(str(video), 10)]

    @pytest.mark.parametrize(
        ("row_type", "state"),
        [
            (Project, {"is_archived": True}),
            (Organization, {"is_suspended": True}),
            (Account, {"is_active": False}),
        ],
    )
    def test_inactive_projects_organizations_and_accounts_get_no_readings(
        self, desk: Desk, row_type: type[Any], state: dict[str, Any]
    ) -> None:
        account = desk.account("demo")
        desk.video("7001", account=account)
        assert desk.organization.project_id is not None
        ids = {
            Project: desk.organization.project_id,
            Organization: desk.organization.organization_id,
            Account: account,
        }
        change(desk.store, row_type, ids[row_type], **state)
        desk.register(posts=[post("7001")], profiles=[profile("demo")])
        assert desk.readings() == []
        assert desk.frame("account_snapshots").is_empty()

    def test_a_kept_post_of_a_deactivated_account_is_still_read(self, desk: Desk) -> None:
        account = desk.account("demo", deactivated_at=NOON)
        video = desk.video("7001", account=account)
        desk.register(posts=[post("7001", "demo")])
        assert desk.readings() == [(str(video), 10)]

    def test_a_post_without_counters_has_no_reading(self, desk: Desk) -> None:
        video = desk.video("7001")
        desk.register(posts=[post("7001", view_count=None, caption="only words")])
        assert desk.readings() == []
        assert desk.one(Video, video).caption == "only words"
        assert desk.one(Video, video).last_scraped_at is None

    @pytest.mark.parametrize("minutes", [2, -2])
    def test_a_machine_whose_clock_is_wrong_registers_nothing(
        self, desk: Desk, monkeypatch: pytest.MonkeyPatch, minutes: int
    ) -> None:
        """The post's owner would start in the future; its earlier readings would have none."""
        desk.account("demo")
        batch = desk.land(posts=[post("7001", "demo")])
        monkeypatch.setattr(clock, "datetime", clock_ahead(timedelta(minutes=minutes)))
        for register in (register_landed, register_before_fetching):
            with pytest.raises(clock.WrongClockError):
                register(desk.store, desk.settings)
        assert incoming(desk.landing) == [batch]
        assert desk.videos() == []
        fixed = replace(desk.store, clock=fixed_clock(NOON))  # TRACKER_NOW
        register_landed(fixed, desk.settings)
        assert len(desk.videos()) == 1

    def test_unknown_counters_stay_unknown(self, desk: Desk) -> None:
        desk.video("7001")
        desk.register(posts=[post("7001", view_count=None, like_count=0, is_exact=False)])
        [row] = desk.frame("video_snapshots").rows(named=True)
        assert (row["view_count"], row["like_count"], row["share_count"]) == (None, 0, None)
        assert (row["is_exact"], row["captured_at"]) == (False, NOON)

    def test_fields_missing_from_a_route_are_unchanged(self, desk: Desk) -> None:
        video = desk.video("7001")
        first = {"posted_at_is_estimate": True, "posted_at": NOON - timedelta(minutes=1)}
        desk.register(posts=[post("7001", caption="one", media_type="video", **first)])
        desk.register(posts=[post("7001", caption=None, thumbnail_url="x", captured_at=LATER)])
        row = desk.one(Video, video)
        assert (row.caption, row.media_type, row.thumbnail_url) == ("one", "video", "x")
        assert (row.posted_at, row.posted_at_is_estimate) == (NOON, False)

    def test_its_picture_is_requested_by_the_latest_url_until_it_is_stored(
        self, desk: Desk
    ) -> None:
        for number, changes in enumerate(({}, {}, {"tracking_status": "excluded"}, {})):
            desk.video(f"700{number}", **changes)
        now = desk.store.clock()
        long_ago = {"captured_at": now - timedelta(hours=7)}

        def show(address: str) -> dict[str, str]:
            columns_by_post: dict[str, dict[str, Any]] = {
                "7000": {},
                "7001": {},
                "7002": {},
                "7003": long_ago,
            }
            at = {"captured_at": now, "thumbnail_url": address}
            desk.register(
                posts=[post(post_id, **{**at, **own}) for post_id, own in columns_by_post.items()]
            )
            with desk.store.read_session() as session:
                rows = session.scalars(select(PostPicture).order_by(PostPicture.platform_video_id))
                return {row.platform_video_id: row.url for row in rows}

        assert show("https://a.example/1") == dict.fromkeys(("7000", "7001"), "https://a.example/1")
        with desk.store.write_session() as session:
            picture = session.get_one(PostPicture, ("tiktok", "7001"))
            picture.path, picture.due_at = "pictures/1.png", None
        assert show("https://a.example/2") == {
            "7000": "https://a.example/2",
            "7001": "https://a.example/1",
        }

    def test_a_posting_time_that_was_estimated_gives_way_to_the_true_one_for_two_days(
        self, desk: Desk
    ) -> None:
        """Later, money depends on the posting time, so it must not change any more."""
        guess = {"posted_at_is_estimate": True, "posted_at": NOON - timedelta(minutes=100)}
        now = desk.settings.clock()
        for number, age, moves in (("7001", 47.9, True), ("7002", 48.0, False)):
            created_at = now - timedelta(hours=age)
            video = desk.video(number, created_at=created_at, **guess)
            desk.register(posts=[post(number, posted_at=NOON)])
            row = desk.one(Video, video)
            expected = (NOON, False) if moves else (guess["posted_at"], True)
            assert (row.posted_at, row.posted_at_is_estimate) == expected

    @pytest.mark.parametrize("posted_at", [None, datetime(1970, 1, 2, tzinfo=UTC)])
    def test_an_unknown_posting_time_is_no_estimate(self, desk: Desk, posted_at: object) -> None:
        """The post does not wait for one: it counts from its first reading on (rule M7)."""
        desk.account("demo")
        desk.register(posts=[post("7001", "demo", posted_at=posted_at, posted_at_is_estimate=True)])
        with desk.store.read_session() as session:
            video = session.scalars(select(Video)).one()
        assert (video.posted_at, video.posted_at_is_estimate) == (None, False)
        assert awaited_until(video) is None

    def test_a_late_batch_adds_its_reading_and_keeps_newer_texts(self, desk: Desk) -> None:
        video = desk.video("7001")
        desk.register(posts=[post("7001", caption="new", captured_at=LATER)])
        desk.register(posts=[post("7001", caption="old", view_count=9, captured_at=NOON)])
        assert desk.one(Video, video).caption == "new"
        assert desk.one(Video, video).last_scraped_at == LATER
        assert desk.readings() == [(str(video), 10), (str(video), 9)]

    def test_a_post_added_by_url_is_filed_under_its_account_once_that_is_tracked(
        self, desk: Desk
    ) -> None:
        video = desk.video("7001")
        desk.register(posts=[post("7001", "demo")])
        assert desk.one(Video, video).account_id is None
        account = desk.account("demo")
        desk.register(posts=[post("7001", "demo", captured_at=LATER)])
        row = desk.one(Video, video)
        assert (row.account_id, row.tracking_status) == (account, "direct_add")
        assert row.creator_id == desk.one(Account, account).creator_id
        with desk.store.read_session() as session:
            owner = session.scalars(select(VideoOwner)).one()
        assert (owner.video_id, owner.account_id) == (video, account)

    def test_posts_of_a_removed_account_move_to_the_one_that_tracks_the_same_user(
        self, desk: Desk
    ) -> None:
        removed = desk.account("demo", is_active=False)
        video = desk.video("7001", account=removed, stopped_at=NOON)
        again = desk.account("demo")
        desk.register(posts=[post("7001", "demo")])
        row = desk.one(Video, video)
        assert (row.account_id, row.stopped_at) == (again, None)
        with desk.store.read_session() as session:
            owners = session.scalars(select(VideoOwner).order_by(VideoOwner.valid_from)).all()
        assert [owner.account_id for owner in owners] == [removed, again]
        assert desk.readings() == [(str(video), 10)]


class TestProfiles:
    def test_the_account_shows_what_the_profile_shows(self, desk: Desk) -> None:
        account = desk.account("demo")
        seen = {"display_name": "Demo", "bio_link": "https://example.com", "is_private": False}
        desk.register(profiles=[profile("Demo", platform_alt_id="MS4", **seen)])
        row = desk.one(Account, account)
        assert (row.display_name, row.bio_link, row.is_private) == tuple(seen.values())
        assert (row.platform_user_id, row.platform_alt_id) == ("id-of-Demo", "MS4")
        assert (row.handle, row.last_scraped_at) == ("demo", NOON)
        [reading] = desk.frame("account_snapshots").rows(named=True)
        assert (reading["account_id"], reading["follower_count"]) == (str(account), 100)
        assert reading["video_count"] is None

    def test_a_profile_without_counters_is_no_reading(self, desk: Desk) -> None:
        account = desk.account("demo")
        desk.register(profiles=[profile("demo", follower_count=None, is_private=True)])
        assert desk.one(Account, account).is_private is True
        assert desk.one(Account, account).last_scraped_at is None
        assert desk.frame("account_snapshots").is_empty()

    def test_a_late_profile_changes_nothing_but_the_history(self, desk: Desk) -> None:
        account = desk.account("demo")
        desk.register(profiles=[profile("demo", display_name="new", captured_at=LATER)])
        desk.register(profiles=[profile("demo", display_name="old", captured_at=NOON)])
        assert desk.one(Account, account).display_name == "new"
        assert desk.frame("account_snapshots").height == 2

    def test_profile_changes_are_stored_with_their_time(self, desk: Desk) -> None:
        account = desk.account("demo")
        first = {"display_name": "Demo", "avatar_url": "https://cdn.example/1"}
        second = {"display_name": "Demo Two", "avatar_url": "https://cdn.example/2"}
        later = {"bio_link": "https://example.com", "captured_at": LATER, **second}
        renamed = profile("renamed", platform_user_id="id-of-demo", **later)
        for seen in (profile("demo", **first), renamed, {**renamed, "display_name": None}):
            desk.register(profiles=[seen])
        with desk.store.read_session() as session:
            [change] = session.scalars(select(AccountProfileChange)).all()
        assert (change.account_id, change.observed_at) == (account, LATER)
        assert change.changes == {  # link and picture were unknown or unchanged
            "handle": {"from": "demo", "to": "renamed"},
            "display_name": {"from": "Demo", "to": "Demo Two"},
        }

    def test_profiles_of_one_instant_in_two_batches_are_one_change(self, desk: Desk) -> None:
        """For example, with a stopped business clock (TRACKER_NOW)."""
        account = desk.account("demo")
        for name in ("One", "Two", "Three"):
            seen = LATER if name != "One" else NOON
            desk.register(profiles=[profile("demo", display_name=name, captured_at=seen)])
        with desk.store.read_session() as session:
            [change] = session.scalars(select(AccountProfileChange)).all()
        assert (change.account_id, change.observed_at) == (account, LATER)
        assert change.changes == {"display_name": {"from": "One", "to": "Three"}}

    def test_the_handle_follows_a_rename_of_the_same_user(self, desk: Desk) -> None:
        account = desk.account("old", platform_user_id="u1")
        desk.register(
            profiles=[profile("old", observed_handle="New", platform_user_id="u1")],
            posts=[post("7001", "new", platform_user_id="u1")],
            outcomes=[fetch("old")],
        )
        row = desk.one(Account, account)
        assert (row.handle, row.last_discovered_at) == ("new", NOON)
        assert [video.account_id for video in desk.videos()] == [account]
        assert desk.frame("scrape_outcomes")["account_id"].to_list() == [str(account)]

    def test_a_handle_that_the_project_tracks_already_is_not_taken_over(self, desk: Desk) -> None:
        account = desk.account("old", platform_user_id="u1")
        desk.account("new", platform_user_id="u2")
        desk.register(profiles=[profile("old", observed_handle="new", platform_user_id="u1")])
        assert desk.one(Account, account).handle == "old"
        assert desk.frame("account_snapshots")["account_id"].to_list() == [str(account)]

    def test_renames_that_free_each_others_handles_are_all_followed(self, desk: Desk) -> None:
        names = ["a", "b", "c"]
        accounts = [desk.account(name, platform_user_id=f"u{name}") for name in names]
        moved = zip(names, ["b", "c", "d"], strict=True)
        desk.register(
            profiles=[
                profile(old, observed_handle=new, platform_user_id=f"u{old}") for old, new in moved
            ]
        )
        assert [desk.one(Account, account).handle for account in accounts] == ["b", "c", "d"]

    def test_an_account_gets_nothing_of_its_handles_next_owner(self, desk: Desk) -> None:
        account = desk.account("demo", platform_user_id="first")
        newcomer = add_account(desk.store, add_organization(desk.store, "Rival"), "demo")
        desk.register(
            profiles=[profile("demo", platform_user_id="second", display_name="Impostor")],
            posts=[
                post("7001", "demo", platform_user_id="second"),
                post("7002", "demo", platform_user_id=None),
            ],
            outcomes=[fetch("demo")],
        )
        row = desk.one(Account, account)
        assert (row.display_name, row.last_scraped_at, row.last_discovered_at) == (None,) * 3
        assert {video.account_id for video in desk.videos()} == {newcomer}
        assert desk.frame("account_snapshots")["account_id"].to_list() == [str(newcomer)]

    def test_a_removed_creators_account_gets_no_readings(self, desk: Desk) -> None:
        account = desk.account("demo")
        change(desk.store, Creator, desk.one(Account, account).creator_id, is_active=False)
        desk.register(profiles=[profile("demo")])
        assert desk.frame("account_snapshots").is_empty()


class TestImpossibleInstants:
    """A worker's clock was behind: the other readings of its batch count."""

    def test_a_reading_older_than_its_post_is_refused_and_reported(self, desk: Desk) -> None:
        desk.account("demo")
        early = NOON - timedelta(minutes=6)
        with capture_logs() as logs:
            result = desk.register(
                posts=[post("7001", "demo", captured_at=early), post("7002", "demo")]
            )
        late, on_time = desk.videos()
        assert desk.readings() == [(str(on_time.id), 10)]
        assert (result.video_readings, result.rejected) == (1, None)
        [log] = [log for log in logs if log["event"].startswith("readings refused")]
        assert (log["count"], log["video_id"]) == (1, str(late.id))
        assert (log["captured_at"], log["posted_at"]) == (str(early), str(NOON))

    def test_a_known_post_is_not_read_from_before_its_posting_time(self, desk: Desk) -> None:
        desk.video("7001", posted_at=LATER)
        assert desk.register(posts=[post("7001", posted_at=None)]).video_readings == 0
        later = post("7001", posted_at=None, captured_at=LATER)
        assert desk.register(posts=[later]).video_readings == 1

    def test_a_clock_that_is_minutes_behind_loses_no_first_reading(self, desk: Desk) -> None:
        desk.account("demo")
        early = NOON - timedelta(minutes=4)
        assert desk.register(posts=[post("7001", "demo", captured_at=early)]).video_readings == 1

    def test_an_estimated_posting_time_refuses_no_reading(self, desk: Desk) -> None:
        desk.account("demo")
        early = NOON - timedelta(hours=6)
        guessed = post("7001", "demo", captured_at=early, posted_at_is_estimate=True)
        assert desk.register(posts=[guessed]).video_readings == 1

    @pytest.mark.parametrize("is_timed", [True, False])
    def test_no_post_is_read_from_before_its_platform(self, desk: Desk, *, is_timed: bool) -> None:
        """Its posting time may be an estimate or unknown."""
        desk.account("demo")
        began = PLATFORM_BEGAN["tiktok"]
        times = {"posted_at": NOON if is_timed else None, "posted_at_is_estimate": is_timed}
        early = post("7001", "demo", captured_at=began - timedelta(seconds=1), **times)
        on_time = post("7001", "demo", captured_at=began, **times)
        assert desk.register(posts=[early]).video_readings == 0
        assert desk.register(posts=[on_time]).video_readings == 1

    def test_an_account_is_not_read_from_before_its_platform(self, desk: Desk) -> None:
        desk.account("demo")
        began = PLATFORM_BEGAN["tiktok"]
        with capture_logs() as logs:
            desk.register(
                profiles=[
                    profile("demo", captured_at=began - timedelta(seconds=1)),
                    profile("demo", captured_at=began),
                ]
            )
        assert desk.frame("account_snapshots")["captured_at"].to_list() == [began]
        [log] = [log for log in logs if log["event"].startswith("readings refused")]
        assert (log["handle"], log["began"]) == ("demo", str(began))


class TestFetches:
    def test_a_complete_discovery_dates_the_account_from_its_start(self, desk: Desk) -> None:
        account = desk.account("demo")
        desk.register(outcomes=[fetch("demo", finished_at=LATER)])
        desk.register(outcomes=[fetch("demo", reached_known=False, started_at=LATER)])
        assert desk.one(Account, account).last_discovered_at == NOON

    def test_a_discovery_for_another_project_counts_only_from_a_reactivation_on(
        self, desk: Desk
    ) -> None:
        account = desk.account("demo")
        add_deactivation(
            desk.store, account, NOON - timedelta(days=3), NOON + timedelta(hours=1), "inbox"
        )
        desk.register(outcomes=[fetch("demo", finished_at=LATER)])
        assert desk.one(Account, account).last_discovered_at is None
        desk.register(outcomes=[fetch("demo", started_at=LATER, finished_at=LATER)])
        assert desk.one(Account, account).last_discovered_at == LATER

    def test_the_account_records_the_outcome_of_its_last_profile_fetch(self, desk: Desk) -> None:
        account = desk.account("demo")
        seen = {"job_type": "creator_profiles", "reached_known": False}
        desk.register(
            outcomes=[
                fetch("demo", **seen, outcome="banned", finished_at=LATER),
                fetch("demo", **seen, outcome="ok", finished_at=NOON),
            ]
        )
        desk.register(outcomes=[fetch("demo", outcome="rate_limited", finished_at=LATER)])
        desk.register(outcomes=[fetch("demo", **seen, outcome="ok", finished_at=NOON)])  # late
        row = desk.one(Account, account)
        assert (row.profile_outcome, row.profile_looked_at) == ("banned", LATER)

    def test_a_failed_fetch_is_an_outcome_and_not_a_reading(self, desk: Desk) -> None:
        account = desk.account("demo")
        failed = fetch(
            "demo",
            job_type="creator_profiles",
            outcome="rate_limited",
            http_status=429,
            reached_known=False,
        )
        desk.register(outcomes=[failed])
        [row] = desk.frame("scrape_outcomes").rows(named=True)
        assert (row["account_id"], row["video_id"]) == (str(account), None)
        assert (row["outcome"], row["http_status"]) == ("rate_limited", 429)
        assert desk.one(Account, account).last_scraped_at is None

    def test_a_fetch_belongs_to_its_account_after_the_handle_moved(self, desk: Desk) -> None:
        """It landed after the profile with the new handle, and beside that of the next owner."""
        renamed = desk.account("demo", platform_user_id="id-of-demo")
        with desk.store.write_session() as session:
            account = session.get_one(Account, renamed)
            job = enqueue(session, job_type="discover_videos", account=account)
        desk.register(profiles=[{**profile("demo"), "observed_handle": "new"}])
        other = desk.account("demo", platform_user_id="7")
        later = {"started_at": LATER, "finished_at": LATER, "job_id": str(job.id)}
        ended = fetch("demo", platform_user_id="id-of-demo", **later)
        gone = {"job_type": "creator_profiles", "outcome": "not_found", "reached_known": False}
        desk.register(
            profiles=[profile("demo", platform_user_id="7")],
            outcomes=[ended, fetch("demo", platform_user_id="id-of-demo", **gone)],
        )
        assert desk.one(ScrapeJob, job.id).status == "succeeded"
        assert desk.one(Account, renamed).last_discovered_at == LATER
        assert desk.one(Account, renamed).profile_outcome == "not_found"
        assert desk.one(Account, other).last_discovered_at is None
        assert desk.one(Account, other).profile_outcome is None

    def test_a_post_fetch_names_the_post_and_its_account(self, desk: Desk) -> None:
        account = desk.account("demo")
        video = desk.video("7001", account=account)
        gone = {"job_type": "video_stats", "outcome": "post_unavailable", "reached_known": False}
        desk.register(outcomes=[fetch("demo", platform_video_id="7001", **gone)])
        [row] = desk.frame("scrape_outcomes").rows(named=True)
        assert (row["account_id"], row["video_id"]) == (str(account), str(video))


class TestOnce:
    def test_a_batch_delivered_twice_counts_once(self, desk: Desk) -> None:
        desk.video("7001")
        batch = desk.land(posts=[post("7001")])
        copy = {file.name: file.read_bytes() for file in batch.path.iterdir()}
        desk.register_batch(batch)
        batch.path.mkdir()
        for name, content in copy.items():
            (batch.path / name).write_bytes(content)
        again = desk.register_batch(batch)
        assert again.was_registered
        assert desk.frame("video_snapshots").height == 1
        assert incoming(desk.landing) == []

    def test_two_registrars_of_one_batch_count_it_once(self, desk: Desk) -> None:
        desk.account("demo")
        batch = desk.land(posts=[post(str(7000 + n), "demo") for n in range(200)])
        results: list[RegistrationResult] = []

        def work() -> None:
            results.append(desk.register_batch(batch))

        workers = [Thread(target=work) for _ in range(2)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert sorted(result.was_registered for result in results) == [False, True]
        assert len(desk.videos()) == desk.frame("video_snapshots").height == 200

    def test_batches_are_decided_one_after_the_other(self, desk: Desk) -> None:
        """Each sees what the preceding one wrote to accounts and posts that both touch."""
        desk.account("demo")
        first = desk.land(posts=[post("7001", "somebody.else")])
        second = desk.land(posts=[post("7002", "demo")])
        with ThreadPoolExecutor(1) as pool:
            with desk.store.write_session() as session:
                decide_batches(session, [read_landed(first)], NOON)
                behind = pool.submit(
                    register_batch, desk.store, open_landing(desk.settings), second
                )
                wait_until_waiting(desk.store.dsn)
            assert behind.result().video_readings == 1

    def test_a_failed_registration_leaves_nothing_and_can_be_repeated(
        self, desk: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        desk.account("demo")
        batch = desk.land(posts=[post("7001", "demo")])
        with monkeypatch.context() as patch:
            patch.setattr("warehouse.registration.once.write_frames", disk_full)
            with pytest.raises(OSError, match="No space left"):
                desk.register_batch(batch)
        assert (desk.videos(), incoming(desk.landing)) == ([], [batch])
        assert desk.register_batch(batch).video_readings == len(desk.videos()) == 1

    def test_a_damaged_batch_is_rejected_and_blocks_no_other(self, desk: Desk) -> None:
        desk.video("7001")
        damaged = desk.land(posts=[post("7001")])
        (damaged.path / "posts.parquet").write_bytes(b"PAR1")
        whole = desk.land(posts=[post("7001")])
        first, second = register_landed(desk.store, desk.settings)
        assert first.rejected is not None
        assert "not a complete Parquet file" in first.rejected
        assert (second.batch_id, second.video_readings) == (whole.batch_id, 1)
        aside = desk.landing / "rejected" / str(damaged.batch_id)
        assert "not a complete Parquet file" in (aside / "reason.txt").read_text()
        with desk.store.read_session() as session:
            ids = session.scalars(select(RegisteredBatch.batch_id)).all()
        assert ids == [whole.batch_id]

    @pytest.mark.parametrize("unknown", ["column", "file"])
    def test_a_batch_of_a_newer_version_waits_and_blocks_no_other(
        self, desk: Desk, unknown: str
    ) -> None:
        desk.video("7001")
        newer, known = desk.land(posts=[post("7001")]), desk.land(posts=[post("7001")])
        posts, thoughts = newer.path / "posts.parquet", newer.path / "thoughts.parquet"
        frame = pl.read_parquet(posts)
        if unknown == "column":
            frame.with_columns(mood=pl.lit(1)).write_parquet(posts)
        else:
            frame.write_parquet(thoughts)
        [result] = register_landed(desk.store, desk.settings)
        assert (result.batch_id, result.video_readings) == (known.batch_id, 1)
        assert incoming(desk.landing) == [newer]
        assert not (desk.landing / "rejected").exists()
        frame.write_parquet(posts)
        thoughts.unlink(missing_ok=True)
        [result] = register_landed(desk.store, desk.settings)
        assert (result.batch_id, result.video_readings) == (newer.batch_id, 1)

    def test_a_batch_from_the_future_waits_until_postgresqls_clock_has_come_so_far(
        self, desk: Desk
    ) -> None:
        """Its worker's clock was ahead: the reading would count on a later day."""
        desk.video("7001")
        now = datetime.now(UTC)
        ahead = desk.land(posts=[post("7001", captured_at=now + timedelta(minutes=20))])
        in_time = desk.land(posts=[post("7001", captured_at=now + timedelta(seconds=30))])
        [result] = register_landed(desk.store, desk.settings)
        assert (result.batch_id, result.video_readings) == (in_time.batch_id, 1)
        assert incoming(desk.landing) == [ahead]
        assert not (desk.landing / "rejected").exists()

    def test_an_impossible_length_is_unknown(self, desk: Desk) -> None:
        desk.account("demo")
        desk.register(posts=[post("7001", "demo", duration_seconds=2**40)])
        assert [video.duration_seconds for video in desk.videos()] == [None]


def disk_full(*_arguments: object) -> None:
    raise OSError(28, "No space left on device")


def test_a_batch_that_has_just_landed_is_registered_without_a_listing(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Thousands may wait behind a failing registration."""
    waiting, landed = desk.land([post("7001")]), desk.land([post("7002")])
    landing = open_landing(desk.settings)
    with monkeypatch.context() as patch:
        patch.delattr(FolderLanding, "incoming")
        for _ in range(2):
            register_one(desk.store, landing, landed.batch_id)
    assert [batch.batch_id for batch in landing.registered()] == [landed.batch_id]
    assert landing.incoming() == [waiting]


WRITES = """
    select n_tup_upd, n_tup_upd - n_tup_hot_upd from pg_stat_xact_user_tables
    where relname in ('videos', 'post_looks') order by relname
"""
POSTS = 60


def test_few_readings_of_known_posts_write_an_index(desk: Desk) -> None:
    """Updated columns are in no index, and most rows have room for their next version (HOT
    updates).

    The second sighting of a post still records its author, which finds posts without an account.
    """
    desk.account("demo")
    for hours in (0, 6):
        desk.register(posts=posts_at(hours))
    for hours in (12, 18):
        batch = desk.land(posts=posts_at(hours))
        with desk.store.write_session() as session:
            counts = [pl.DataFrame(session.execute(text(WRITES)).all(), orient="row")]
            decide_batches(session, [read_landed(batch)], desk.settings.clock())
            counts.append(pl.DataFrame(session.execute(text(WRITES)).all(), orient="row"))
        before, after = counts
        (schedules, moved_schedules), (videos, moved_videos) = (after - before).rows()
        assert (schedules, videos) == (POSTS, POSTS)
        assert 10 * moved_schedules <= schedules
        assert 10 * moved_videos <= videos


def posts_at(hours: int) -> Rows:
    at = NOON + timedelta(hours=hours)
    return [
        post(f"7{number}", "demo", captured_at=at, view_count=100 * hours + number)
        for number in range(POSTS)
    ]


MANY_ACCOUNTS = """
    insert into accounts
    select copies.*
    from accounts cross join generate_series(1, 300) as numbers (number)
    cross join lateral jsonb_populate_record(
        accounts, jsonb_build_object('id', gen_random_uuid(), 'handle', 'creator' || number)
    ) as copies
"""
ONE_AMONG_DEAD_PAGES = "delete from accounts where handle <> 'demo'; analyze"
COPIED_POSTS = """
    insert into videos
    select copies.*
    from videos cross join lateral jsonb_populate_record(
        videos,
        jsonb_build_object('id', gen_random_uuid(), 'platform_video_id', 1 || platform_video_id)
    ) as copies
    limit 20
"""
REPORTED = "select pg_stat_force_next_flush()"


def test_posts_are_read_once_to_find_growing_accounts(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading them for each new account took 11 s for 5,000 posts and accounts."""
    desk.account("demo")
    with desk.store.engine.connect() as connection:
        connection.execution_options(isolation_level="AUTOCOMMIT")
        for statement in (MANY_ACCOUNTS, ONE_AMONG_DEAD_PAGES, MANY_ACCOUNTS, REPORTED):
            connection.execute(text(statement))
    batch = desk.land(posts=[post(f"7{number}", f"creator{number}") for number in range(1, 101)])
    lines: list[str] = []

    def explain(session: Session) -> None:
        with statements_sent() as sent:
            lock_organizations(session)
        plan = driver_of(session).execute(f"explain (analyze, timing off) {sent[-1]}".encode())
        lines.extend(line for (line,) in plan)

    monkeypatch.setattr(deciding, "lock_organizations", explain)
    with desk.store.write_session() as session:
        decide_batches(session, [read_landed(batch)], NOON)
    loops = {line.partition("loops=")[2] for line in lines if "on staged_posts" in line}
    compared = [line for line in lines if "Removed by Join Filter" in line]
    assert (loops, compared) == ({"1)"}, [])


def test_a_registry_that_grew_is_analyzed_before_its_readings_are_joined(desk: Desk) -> None:
    desk.account("demo")
    desk.register(posts=posts_at(0))
    with desk.store.read_session() as session:
        known = text("select reltuples from pg_class where oid = 'videos'::regclass")
        assert session.scalar(known) == POSTS


def test_tables_are_analyzed_together(desk: Desk) -> None:
    """Beside old statistics of posts, new ones of accounts had all compared with all."""
    desk.account("demo")
    desk.register(posts=posts_at(0))
    with desk.store.write_session() as session:
        for statement in ("analyze", COPIED_POSTS, MANY_ACCOUNTS, REPORTED):
            session.execute(text(statement))
    desk.register(posts=[post("79", "demo")])
    known = text("select reltuples from pg_class where oid = 'videos'::regclass")
    with desk.store.read_session() as session:
        assert session.scalar(known) == session.scalar(text("select count(*) from videos"))
