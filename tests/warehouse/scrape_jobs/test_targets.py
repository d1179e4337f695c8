from datetime import UTC, date, datetime, timedelta

import pytest

from tests.factories.tracking import Customer, add_organization
from warehouse.operational.store import OperationalStore
from warehouse.registration.scrapable import BEGINNING
from warehouse.scrape_jobs.targets import (
    AccountToScrape,
    load_requested_accounts,
    scheduled_accounts,
)
from warehouse.scrape_jobs.video_targets import (
    VideoToScrape,
    load_requested_videos,
    scheduled_videos,
    videos_of_accounts,
)

MAY_1 = datetime(2026, 5, 1, tzinfo=UTC)
MAY_2 = MAY_1 + timedelta(days=1)
MAY_3 = MAY_1 + timedelta(days=2)


@pytest.fixture
def rival(store: OperationalStore) -> Customer:
    return Customer(store, add_organization(store, "Rival", "Pacific/Auckland"))


def accounts(store: OperationalStore) -> list[AccountToScrape]:
    with store.read_session() as session:
        return scheduled_accounts(session, MAY_3)


def videos(store: OperationalStore) -> list[VideoToScrape]:
    with store.read_session() as session:
        return scheduled_videos(session)


class TestScheduledAccounts:
    def test_an_account_tracked_by_two_organizations_is_one_target(
        self, customer: Customer, rival: Customer
    ) -> None:
        for owner in (customer, rival):
            owner.account("demo", platform_user_id="u1", platform_alt_id="sec")
        [target] = accounts(customer.store)
        assert (target.handle, target.platform_user_id, target.platform_alt_id) == (
            "demo",
            "u1",
            "sec",
        )

    def test_one_handle_on_two_platforms_or_of_two_users_is_two_targets(
        self, customer: Customer, rival: Customer
    ) -> None:
        customer.account("demo", platform_user_id="u1")
        customer.account("demo", platform="instagram")
        rival.account("demo", platform_user_id="u2")
        assert {(t.platform, t.platform_user_id) for t in accounts(customer.store)} == {
            ("tiktok", "u1"),
            ("tiktok", "u2"),
            ("instagram", None),
        }

    def test_discovery_goes_back_to_the_earliest_window(
        self, customer: Customer, rival: Customer
    ) -> None:
        customer.account("demo", tracking_start_date=date(2026, 5, 2))
        rival.account("demo", tracking_start_date=date(2026, 5, 2))
        [target] = accounts(customer.store)
        assert target.since == datetime(2026, 5, 1, 12, tzinfo=UTC)  # midnight in Auckland

    def test_without_a_start_date_discovery_goes_back_to_the_beginning(
        self, customer: Customer
    ) -> None:
        customer.account("demo")
        assert accounts(customer.store)[0].since == BEGINNING

    def test_known_posts_are_those_before_a_complete_discovery(self, customer: Customer) -> None:
        account = customer.account("demo", last_discovered_at=MAY_2)
        customer.video("1", account=account, posted_at=MAY_1)
        customer.video("2", account=account, posted_at=MAY_3)
        assert accounts(customer.store)[0].known == {"1"}

    def test_nothing_is_known_before_the_first_complete_discovery(self, customer: Customer) -> None:
        account = customer.account("demo")
        customer.video("1", account=account, posted_at=MAY_1)
        assert accounts(customer.store)[0].known == frozenset()

    @pytest.mark.parametrize(
        ("of_rival", "known"), [(MAY_2, {"1", "2"}), (MAY_1, {"2"}), (None, set[str]())]
    )
    def test_a_post_is_known_once_every_project_was_searched_for_it(
        self, customer: Customer, rival: Customer, of_rival: datetime | None, known: set[str]
    ) -> None:
        """The rival's window begins after the first post, so the rival lacks it."""
        account = customer.account("demo", last_discovered_at=MAY_2)
        theirs = rival.account("demo", last_discovered_at=of_rival)
        customer.video("1", account=account, posted_at=MAY_1 - timedelta(days=1))
        customer.video("2", account=account, posted_at=MAY_1)
        rival.video("2", account=theirs, posted_at=MAY_1)
        assert accounts(customer.store)[0].known == known

    @pytest.mark.parametrize(
        ("searched_at", "since"),
        [(None, BEGINNING), (MAY_3, BEGINNING), (MAY_3 + timedelta(days=1), None)],
    )
    def test_a_searched_window_needs_no_earlier_posts(
        self, customer: Customer, searched_at: datetime | None, since: datetime | None
    ) -> None:
        ended = {"tracking_end_date": MAY_1.date(), "last_discovered_at": searched_at}
        account = customer.account("demo", **ended)
        assert accounts(customer.store)[0].since == (since or searched_at)
        with customer.store.read_session() as session:
            assert load_requested_accounts(session, [account])[account].since == BEGINNING

    def test_posts_with_an_estimated_time_in_any_project_are_undated(
        self, customer: Customer, rival: Customer
    ) -> None:
        account = customer.account("demo")
        theirs = rival.account("demo")
        customer.video("1", account=account, posted_at=MAY_1)
        guess = {"posted_at": MAY_1, "posted_at_is_estimate": True, "created_at": MAY_2}
        customer.video("2", account=account, **guess)
        customer.video("3", account=account, posted_at=None)
        rival.video("4", account=theirs, **guess)
        customer.video("5", account=account, tracking_status="excluded", **guess)
        stands = {**guess, "created_at": MAY_1}  # the estimate is final after two days
        customer.video("6", account=account, **stands)
        assert accounts(customer.store)[0].undated == {"2", "3", "4"}

    def test_the_longest_unscraped_comes_first(self, customer: Customer) -> None:
        for handle, scraped_at in (("a", MAY_2), ("b", None), ("c", MAY_1)):
            customer.account(handle, last_scraped_at=scraped_at)
        assert [target.handle for target in accounts(customer.store)] == ["b", "c", "a"]

    def test_removed_and_deactivated_accounts_are_not_targets(self, customer: Customer) -> None:
        customer.account("removed", is_active=False)
        customer.account("deactivated", deactivated_at=MAY_1)
        assert accounts(customer.store) == []


class TestScheduledVideos:
    def test_each_post_is_fetched_once_under_its_authors_handle(
        self, customer: Customer, rival: Customer
    ) -> None:
        account = customer.account("demo", platform_user_id="7")
        customer.video("1", account=account, last_scraped_at=MAY_2)
        rival.video("1", last_scraped_at=MAY_2)
        rival.video("2")
        assert videos(customer.store) == [
            VideoToScrape(platform="tiktok", platform_video_id="2", handle=None),
            VideoToScrape(
                platform="tiktok",
                platform_video_id="1",
                handle="demo",
                platform_user_id="7",
                read_at=MAY_2,
            ),
        ]

    def test_a_post_that_is_switched_off_everywhere_is_not_fetched(
        self, customer: Customer
    ) -> None:
        customer.video("1", tracking_disabled=True)
        customer.video("2", tracking_status="excluded")
        assert videos(customer.store) == []

    def test_tracked_posts_of_a_deactivated_account_are_fetched(self, customer: Customer) -> None:
        account = customer.account("demo", deactivated_at=MAY_1)
        customer.video("1", account=account)
        customer.video("2", account=account, frozen_at=MAY_1)
        customer.video("3", account=account, stopped_at=MAY_1)
        assert [video.platform_video_id for video in videos(customer.store)] == ["1"]


class TestRequestedTargets:
    def test_a_requested_discovery_is_complete(self, customer: Customer) -> None:
        account = customer.account("demo", last_discovered_at=MAY_2)
        removed = customer.account("gone", is_active=False)
        customer.video("1", account=account, posted_at=MAY_1)
        with customer.store.read_session() as session:
            targets = load_requested_accounts(session, [account, removed])
        assert list(targets) == [account]
        assert targets[account].known == frozenset()

    def test_posts_requested_one_by_one_or_by_account(self, customer: Customer) -> None:
        account = customer.account("demo")
        old = customer.video("1", account=account, posted_at=MAY_1)
        customer.video("2", account=account, posted_at=MAY_2)
        stopped = customer.video("3", account=account, stopped_at=MAY_1)
        with customer.store.read_session() as session:
            single = load_requested_videos(session, [old, stopped])
            every = videos_of_accounts(session, [account])
        assert {video_id: v.platform_video_id for video_id, v in single.items()} == {old: "1"}
        assert [v.platform_video_id for v in every[account]] == ["2", "1"]
