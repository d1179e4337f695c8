"""The plan goes forward on a copy: by hand for a small one, and without a trace in the real one."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from sqlalchemy import text

from tests.factories.landing import NOON, post
from tests.factories.tracking import add_account, add_video, change
from tests.warehouse.fetch_schedule.conftest import Plan
from warehouse.fetch_schedule import shadow
from warehouse.fetch_schedule.forecast import Lists, forecast
from warehouse.operational.models import Organization
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore

DAY = timedelta(days=1)
LISTS = {"tiktok": Lists(posts_a_page=15, most_pages=400)}


def add_old_posts(
    store: OperationalStore, organization: NewOrganization, handle: str, number: int
) -> None:
    account = add_account(store, organization, handle, platform_user_id=f"id-{handle}")
    for index in range(number):
        posted_at = NOON - (100 + index) * DAY
        add_video(store, organization, f"{handle}{index}", account=account, posted_at=posted_at)


@pytest.fixture
def frugal(store: OperationalStore, organization: NewOrganization) -> NewOrganization:
    change(store, Organization, organization.organization_id, freshness="frugal")
    return organization


def rows(store: OperationalStore) -> Mapping[str, list[Any]]:
    """Everything that the plan consists of."""
    with store.read_session() as session:
        return {
            name: list(session.execute(text(f"select * from {name} order by 1, 2")).all())
            for name in ("post_looks", "visits", "videos")
        }


class TestForecast:
    def test_a_plan_of_one_account_goes_forward_as_by_hand(
        self, plan: Plan, store: OperationalStore, frugal: NewOrganization
    ) -> None:
        """Twenty posts are two pages, now and right before both days end, as is the profile."""
        add_old_posts(store, frugal, "demo", 20)
        add_video(store, frugal, "alone", posted_at=NOON - 100 * DAY)
        outlook = forecast(plan.store, 2, LISTS)
        first, second = outlook.fetches
        assert (first.profiles, first.lists, first.pages, first.posts) == (2, 2, 4, 2)
        assert (second.profiles, second.lists, second.pages, second.posts) == (1, 1, 2, 1)
        [ages] = outlook.ages
        assert (ages.freshness, ages.posts, ages.late) == ("frugal", 21, 0)
        assert ages.within[1] < ages.within[12] < ages.within[24] == ages.within[28] == 1

    @pytest.mark.parametrize(("most_pages", "pages", "posts"), [(400, 8, 0), (1, 2, 90)])
    def test_posts_that_no_list_shows_are_read_by_themselves(  # noqa: PLR0917  fixtures and a table
        self,
        plan: Plan,
        store: OperationalStore,
        frugal: NewOrganization,
        most_pages: int,
        pages: int,
        posts: int,
    ) -> None:
        add_old_posts(store, frugal, "demo", 60)
        [first] = forecast(plan.store, 1, {"tiktok": Lists(15, most_pages)}).fetches
        assert (first.pages, first.posts) == (pages, posts)

    def test_a_list_is_read_on_where_single_pages_were_more(
        self, plan: Plan, store: OperationalStore, frugal: NewOrganization
    ) -> None:
        """The 59th of 60 posts lies three pages behind the first: alone it is read by itself.

        Before the day ends all are due, on four pages.
        """
        add_old_posts(store, frugal, "demo", 60)
        plan.everything()
        plan.read(
            *(post(f"demo{number}", "demo", view_count=0) for number in range(60) if number != 58)
        )
        [first] = forecast(plan.store, 1, LISTS).fetches
        assert (first.pages, first.posts) == (1 + 4, 1)

    def test_accounts_publish_as_they_did(
        self, plan: Plan, store: OperationalStore, frugal: NewOrganization
    ) -> None:
        account = add_account(store, frugal, "demo", platform_user_id="id-demo")
        for number in range(3):
            posted_at = NOON - number * DAY - timedelta(hours=20)
            add_video(store, frugal, f"{number}", account=account, posted_at=posted_at)
        plan.everything()
        plan.read(*(post(f"{number}", "demo", view_count=900) for number in range(3)))
        [ages] = forecast(plan.store, 3, LISTS).ages
        assert ages.posts == 6

    def test_nothing_of_it_is_written(
        self, plan: Plan, store: OperationalStore, frugal: NewOrganization
    ) -> None:
        add_old_posts(store, frugal, "demo", 3)
        plan.everything()
        add_old_posts(store, frugal, "later", 3)
        before = rows(store)
        forecast(plan.store, 2, LISTS)
        assert rows(store) == before

    def test_a_post_that_waits_for_longer_than_28_hours_is_counted_as_late(
        self, plan: Plan, store: OperationalStore, frugal: NewOrganization
    ) -> None:
        add_old_posts(store, frugal, "demo", 3)
        plan.everything()
        plan.read(*(post(f"demo{number}", "demo", view_count=900) for number in range(2)))
        plan.after(hours=30)
        [ages] = forecast(plan.store, 1, LISTS).ages
        assert ages.late == 2

    def test_a_budget_that_is_too_small_is_kept_and_what_comes_late_is_counted(
        self, plan: Plan, store: OperationalStore, frugal: NewOrganization
    ) -> None:
        for number in range(12):
            add_old_posts(store, frugal, f"demo{number}-", 4)
        free, held, tight = (
            forecast(plan.store, 3, LISTS, {"tiktok": most} if most else None)
            for most in (None, 1000, 12)
        )
        requests = [day.profiles + day.pages + day.posts for day in tight.fetches]
        # from noon on: a day of the forecast has parts of two days
        assert max(requests) <= 2 * 12
        assert sum(requests) <= 4 * 12
        assert (free.ages[0].late, held.ages[0].late) == (0, 0)
        assert tight.ages[0].late > 12

    @pytest.mark.slow
    def test_of_many_posts_a_sample_stands_for_all(
        self,
        plan: Plan,
        store: OperationalStore,
        frugal: NewOrganization,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        for number in range(24):
            add_old_posts(store, frugal, f"demo{number}-", 4)
        at_one_instant = plan.store
        whole = forecast(at_one_instant, 1, LISTS)
        monkeypatch.setattr(shadow, "MOST_POSTS", 48)
        part = forecast(at_one_instant, 1, LISTS)
        assert (whole.sampled, part.sampled) == (False, True)
        assert part == forecast(at_one_instant, 1, LISTS)
        assert part.fetches[0].profiles == pytest.approx(whole.fetches[0].profiles, rel=0.5)
        assert part.fetches[0].profiles % 2 == 0


def test_whatever_a_forecast_does_it_cannot_write_the_real_tables(
    plan: Plan, organization: NewOrganization
) -> None:
    with (
        shadow.shadow_plan(plan.store, NOON, DAY) as (connection, _),
        pytest.raises(psycopg.errors.ReadOnlySqlTransaction),
    ):
        connection.execute(
            "delete from organizations where id = %s", (organization.organization_id,)
        )
