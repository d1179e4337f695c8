from datetime import UTC, date, datetime, timedelta

import pytest

from tests.factories.tracking import add_account, add_organization, add_video
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore
from warehouse.registration.scrapable import BEGINNING
from warehouse.scrape_jobs.targets import (
    AccountToScrape,
    VideoToScrape,
    accounts_asked_for,
    scheduled_accounts,
    scheduled_videos,
    videos_asked_for,
    videos_of_accounts,
)

MAY_1 = datetime(2026, 5, 1, tzinfo=UTC)
MAY_2 = MAY_1 + timedelta(days=1)
MAY_3 = MAY_1 + timedelta(days=2)


@pytest.fixture
def rival(store: OperationalStore) -> NewOrganization:
    return add_organization(store, "Rival", "Pacific/Auckland")


def accounts(store: OperationalStore) -> list[AccountToScrape]:
    with store.read_session() as session:
        return scheduled_accounts(session, MAY_3)


def videos(store: OperationalStore) -> list[VideoToScrape]:
    with store.read_session() as session:
        return scheduled_videos(session)


class TestScheduledAccounts:
    def test_an_account_tracked_by_two_organizations_is_one_target(
        self, store: OperationalStore, organization: NewOrganization, rival: NewOrganization
    ) -> None:
        for owner in (organization, rival):
            add_account(store, owner, "demo", platform_user_id="u1", platform_alt_id="sec")
        [target] = accounts(store)
        assert (target.handle, target.platform_user_id, target.platform_alt_id) == (
            "demo",
            "u1",
            "sec",
        )

    def test_one_handle_on_two_platforms_or_of_two_users_is_two_targets(
        self, store: OperationalStore, organization: NewOrganization, rival: NewOrganization
    ) -> None:
        add_account(store, organization, "demo", platform_user_id="u1")
        add_account(store, organization, "demo", platform="instagram")
        add_account(store, rival, "demo", platform_user_id="u2")
        assert {(t.platform, t.platform_user_id) for t in accounts(store)} == {
            ("tiktok", "u1"),
            ("tiktok", "u2"),
            ("instagram", None),
        }

    def test_discovery_goes_back_to_the_earliest_window_of_all_who_track(
        self, store: OperationalStore, organization: NewOrganization, rival: NewOrganization
    ) -> None:
        add_account(store, organization, "demo", tracking_start_date=date(2026, 5, 2))
        add_account(store, rival, "demo", tracking_start_date=date(2026, 5, 2))
        [target] = accounts(store)
        assert target.since == datetime(2026, 5, 1, 12, tzinfo=UTC)  # midnight in Auckland

    def test_without_a_start_date_discovery_goes_back_to_the_beginning(
        self, store: OperationalStore, organization: NewOrganization
    ) -> None:
        add_account(store, organization, "demo")
        assert accounts(store)[0].since == BEGINNING

    def test_known_posts_are_those_behind_which_a_complete_discovery_left_no_gap(
        self, store: OperationalStore, organization: NewOrganization
    ) -> None:
        account = add_account(store, organization, "demo", last_discovered_at=MAY_2)
        add_video(store, organization, "1", account=account, posted_at=MAY_1)
        add_video(store, organization, "2", account=account, posted_at=MAY_3)
        assert accounts(store)[0].known == {"1"}

    def test_nothing_is_known_before_the_first_complete_discovery(
        self, store: OperationalStore, organization: NewOrganization
    ) -> None:
        account = add_account(store, organization, "demo")
        add_video(store, organization, "1", account=account, posted_at=MAY_1)
        assert accounts(store)[0].known == frozenset()

    def test_a_post_is_known_only_if_every_project_has_it(
        self, store: OperationalStore, organization: NewOrganization, rival: NewOrganization
    ) -> None:
        for owner, ids in ((organization, ["1", "2"]), (rival, ["2"])):
            account = add_account(store, owner, "demo", last_discovered_at=MAY_2)
            for video_id in ids:
                add_video(store, owner, video_id, account=account, posted_at=MAY_1)
        assert accounts(store)[0].known == {"2"}

    def test_undated_are_posts_of_any_project_whose_time_is_no_more_than_a_guess(
        self, store: OperationalStore, organization: NewOrganization, rival: NewOrganization
    ) -> None:
        account = add_account(store, organization, "demo")
        theirs = add_account(store, rival, "demo")
        add_video(store, organization, "1", account=account, posted_at=MAY_1)
        guess = {"posted_at": MAY_1, "posted_at_is_estimate": True, "created_at": MAY_2}
        add_video(store, organization, "2", account=account, **guess)
        add_video(store, organization, "3", account=account, posted_at=None)
        add_video(store, rival, "4", account=theirs, **guess)
        add_video(store, organization, "5", account=account, tracking_status="excluded", **guess)
        stands = {**guess, "created_at": MAY_1}  # two days are over: the guess stands
        add_video(store, organization, "6", account=account, **stands)
        assert accounts(store)[0].undated == {"2", "3", "4"}

    def test_what_was_scraped_longest_ago_comes_first(
        self, store: OperationalStore, organization: NewOrganization
    ) -> None:
        for handle, scraped_at in (("a", MAY_2), ("b", None), ("c", MAY_1)):
            add_account(store, organization, handle, last_scraped_at=scraped_at)
        assert [target.handle for target in accounts(store)] == ["b", "c", "a"]

    def test_removed_and_deactivated_accounts_are_left_alone(
        self, store: OperationalStore, organization: NewOrganization
    ) -> None:
        add_account(store, organization, "removed", is_active=False)
        add_account(store, organization, "deactivated", deactivated_at=MAY_1)
        assert accounts(store) == []


class TestScheduledVideos:
    def test_each_post_is_fetched_once_under_its_authors_handle(
        self, store: OperationalStore, organization: NewOrganization, rival: NewOrganization
    ) -> None:
        account = add_account(store, organization, "demo", platform_user_id="7")
        add_video(store, organization, "1", account=account, last_scraped_at=MAY_2)
        add_video(store, rival, "1", last_scraped_at=MAY_2)
        add_video(store, rival, "2")
        assert videos(store) == [
            VideoToScrape(platform="tiktok", platform_video_id="2", handle=None),
            VideoToScrape(
                platform="tiktok", platform_video_id="1", handle="demo", platform_user_id="7"
            ),
        ]

    def test_a_post_that_is_switched_off_everywhere_is_not_fetched(
        self, store: OperationalStore, organization: NewOrganization
    ) -> None:
        add_video(store, organization, "1", tracking_disabled=True)
        add_video(store, organization, "2", tracking_status="excluded")
        assert videos(store) == []

    def test_of_a_deactivated_account_those_that_were_kept_are_fetched(
        self, store: OperationalStore, organization: NewOrganization
    ) -> None:
        account = add_account(store, organization, "demo", deactivated_at=MAY_1)
        add_video(store, organization, "1", account=account)
        add_video(store, organization, "2", account=account, frozen_at=MAY_1)
        add_video(store, organization, "3", account=account, stopped_at=MAY_1)
        assert [video.platform_video_id for video in videos(store)] == ["1"]


class TestAskedFor:
    def test_who_asks_for_a_discovery_gets_a_complete_one(
        self, store: OperationalStore, organization: NewOrganization
    ) -> None:
        account = add_account(store, organization, "demo", last_discovered_at=MAY_2)
        removed = add_account(store, organization, "gone", is_active=False)
        add_video(store, organization, "1", account=account, posted_at=MAY_1)
        with store.read_session() as session:
            targets = accounts_asked_for(session, [account, removed])
        assert list(targets) == [account]
        assert targets[account].known == frozenset()

    def test_posts_asked_for_one_by_one_or_by_account(
        self, store: OperationalStore, organization: NewOrganization
    ) -> None:
        account = add_account(store, organization, "demo")
        old = add_video(store, organization, "1", account=account, posted_at=MAY_1)
        add_video(store, organization, "2", account=account, posted_at=MAY_2)
        stopped = add_video(store, organization, "3", account=account, stopped_at=MAY_1)
        with store.read_session() as session:
            single = videos_asked_for(session, [old, stopped])
            every = videos_of_accounts(session, [account])
        assert {video_id: v.platform_video_id for video_id, v in single.items()} == {old: "1"}
        assert [v.platform_video_id for v in every[account]] == ["2", "1"]
