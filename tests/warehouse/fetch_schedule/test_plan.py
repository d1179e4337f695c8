"""The contents of the fetch schedule: what is fetched, and when."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from uuid import UUID

import duckdb
import pytest
from sqlalchemy import text

from tests.factories.landing import NOON, fetch, post, profile
from tests.factories.payouts import add_assignment, add_structure, rule
from tests.factories.tracking import Customer, add_account, add_organization, add_video, change
from tests.warehouse.fetch_schedule.conftest import Plan
from warehouse.fetch_schedule.claims import settle
from warehouse.fetch_schedule.deadlines import replace_deadlines
from warehouse.operational.models import Account, Organization, Video

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
OLD = NOON - 100 * DAY


@pytest.fixture
def account(customer: Customer) -> UUID:
    return customer.account("demo", platform_user_id="id-of-demo")


@pytest.fixture
def old(customer: Customer, account: UUID) -> UUID:
    return customer.video("1", account=account, posted_at=OLD)


@pytest.fixture
def publication() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute("create schema marts")
        connection.execute(
            "create table marts.payout_accruals (creator_id uuid, period_end date,"
            " timezone varchar, kind varchar, status varchar, subject_id uuid)"
        )
        connection.execute(
            "create table marts.goal_compliance (creator_id uuid, ends_at timestamptz)"
        )
        connection.execute("create table marts.projects (project_id uuid)")
        yield connection


def _add_deadlines(plan: Plan, *ends: datetime) -> None:
    with plan.store.write_session() as session:
        session.execute(
            text(
                "insert into look_deadlines (creator_id, ends_at, organization_id)"
                " select id, unnest(cast(:ends as timestamptz[])), organization_id from creators"
            ),
            {"ends": [*ends]},
        )


class TestMembers:
    def test_tracked_posts_enter_the_plan_at_once_and_others_leave_it(
        self, customer: Customer, plan: Plan, old: UUID
    ) -> None:
        customer.video("2")
        customer.video("3", tracking_disabled=True)
        plan.everything()
        assert {name: why for name, (_, why) in plan.posts().items()} == {
            "1": "never_fetched",
            "2": "never_fetched",
        }
        assert set(plan.account_fetches()) == {"id-of-demo", "#2"}
        change(customer.store, Video, old, tracking_disabled=True)
        plan.everything()
        assert set(plan.posts()) == {"2"}

    def test_tracked_posts_of_a_deactivated_account_are_fetched_separately(
        self, customer: Customer, plan: Plan, account: UUID, old: UUID
    ) -> None:
        assert old
        plan.everything()
        change(customer.store, Account, account, deactivated_at=NOON)
        plan.everything()
        assert set(plan.account_fetches()) == {"#1"}

    def test_an_account_of_two_projects_is_one_account_fetch(
        self, customer: Customer, plan: Plan, account: UUID
    ) -> None:
        other = add_organization(customer.store, "Other")
        assert account
        add_account(customer.store, other, "renamed", platform_user_id="id-of-demo")
        plan.everything()
        assert set(plan.account_fetches()) == {"id-of-demo"}

    def test_a_new_account_is_fetched_under_its_id_as_soon_as_that_is_known(
        self, customer: Customer, plan: Plan
    ) -> None:
        customer.account("demo")
        plan.everything()
        assert set(plan.account_fetches()) == {"@demo"}
        plan.read(post("1", "demo"), profiles=[profile("demo")])
        plan.everything()
        assert set(plan.account_fetches()) == {"id-of-demo"}


class TestPlanned:
    def test_a_reading_decides_at_once_by_how_the_post_grew(self, plan: Plan, old: UUID) -> None:
        assert old
        plan.read(post("1", "demo", posted_at=OLD, view_count=100_000))
        # 1,000 a day: 5% of 100,000 take five days, so it waits for the end of the day
        [(after, reason)] = plan.posts().values()
        assert reason == "day_end"
        assert timedelta(hours=11) < after < timedelta(hours=11, minutes=49)
        plan.after(hours=1)
        plan.read(post("1", "demo", posted_at=OLD, view_count=102_500))
        # 60,000 a day: 5% of 102,500 take 2 hours and 3 minutes
        assert plan.posts() == {"1": (timedelta(hours=2, minutes=3), "growth")}

    def test_a_pause_of_growth_halves_its_pace(self, plan: Plan, old: UUID) -> None:
        assert old
        for views in (0, 5_000, 5_000):
            plan.read(post("1", "demo", posted_at=OLD, view_count=views))
            plan.after(hours=1)
        # 120,000 a day, then 0: at half of that 250 take six minutes; the minimum is 2 hours
        assert plan.posts() == {"1": (HOUR, "growth")}

    def test_the_end_of_the_day_is_that_of_the_organizations_zone(
        self, customer: Customer, plan: Plan
    ) -> None:
        tokyo = add_organization(customer.store, "Tokyo", "Asia/Tokyo")
        account = add_account(customer.store, tokyo, "demo", platform_user_id="id-of-demo")
        add_video(customer.store, tokyo, "1", account=account, posted_at=NOON - 20 * DAY)
        plan.read(post("1", "demo", view_count=100_000))
        [(after, reason)] = plan.posts().values()
        assert reason == "day_end"  # at 15:00 UTC, three hours after noon
        assert timedelta(hours=2) < after < timedelta(hours=2, minutes=49)

    def test_freshness_is_the_strictest_of_all_who_track_a_post(
        self, customer: Customer, plan: Plan, old: UUID
    ) -> None:
        assert old
        other = add_organization(customer.store, "Other")
        account = add_account(customer.store, other, "demo", platform_user_id="id-of-demo")
        add_video(customer.store, other, "1", account=account, posted_at=OLD)
        plan.everything()
        plan.read(post("1", "demo", posted_at=OLD, view_count=0))
        at_first = plan.account_fetches()["id-of-demo"][0]
        change(customer.store, Organization, other.organization_id, freshness="fast")
        plan.everything()
        assert at_first == plan.account_fetches()["id-of-demo"][0] == datetime.fromtimestamp(0, UTC)
        plan.settle(*plan.claim())
        assert plan.account_fetches()["id-of-demo"] == (NOON + HOUR, "account")
        change(customer.store, Organization, other.organization_id, freshness="frugal")
        change(
            customer.store, Organization, customer.organization.organization_id, freshness="frugal"
        )
        plan.everything()
        assert plan.account_fetches()["id-of-demo"][0] - NOON > 11 * HOUR

    def test_a_post_is_read_right_before_a_period_ends_in_the_payouts_zone(
        self,
        customer: Customer,
        plan: Plan,
        account: UUID,
        old: UUID,
        publication: duckdb.DuckDBPyConnection,
    ) -> None:
        assert old
        with customer.store.read_session() as session:
            creator = session.get_one(Account, account).creator_id
        publication.execute(
            "insert into marts.payout_accruals values"
            " ($1, '2026-05-04', 'Asia/Tokyo', 'earning', 'open', null),"
            " ($1, '2026-05-01', 'Asia/Tokyo', 'earning', 'settling', null)",
            [creator],
        )
        publication.execute(
            "insert into marts.goal_compliance values ($1, '2026-05-03 22:00:00+00'),"
            " ($1, '2026-05-10 22:00:00+00')",
            [creator],
        )
        plan.read(post("1", "demo", posted_at=OLD, view_count=2_000))
        with plan.store.write_session() as session:
            replace_deadlines(session, publication, NOON)
        plan.everything()
        [(after, reason)] = plan.posts().values()
        assert reason == "period_end"  # 20 views a day: about one until then
        assert timedelta(hours=2, minutes=44) < after < timedelta(hours=2, minutes=50)

    def test_an_account_that_gets_no_answer_is_tried_before_a_period_ends_too(
        self,
        customer: Customer,
        plan: Plan,
        account: UUID,
        old: UUID,
        publication: duckdb.DuckDBPyConnection,
    ) -> None:
        """With hours of backoff, the next attempt would come after the period ends."""
        assert old
        with customer.store.read_session() as session:
            creator = session.get_one(Account, account).creator_id
        publication.execute(
            "insert into marts.goal_compliance values ($1, '2026-05-04 22:00:00+00')", [creator]
        )
        plan.read(post("1", "demo", posted_at=OLD, view_count=2_000))
        with plan.store.write_session() as session:
            replace_deadlines(session, publication, NOON)
        plan.everything()
        tries = 0
        while plan.now < NOON + 8 * HOUR:
            account_fetches = plan.claim()
            plan.settle(*account_fetches, failed=account_fetches)
            [(due_at, _)] = plan.account_fetches().values()
            plan.now = due_at + timedelta(minutes=1)
            tries += 1
        assert tries > 5
        assert timedelta(minutes=11) < NOON + 10 * HOUR - due_at < timedelta(minutes=16)
        account_fetches = plan.claim()
        assert plan.due(*account_fetches) == ["1"]
        plan.settle(*account_fetches, failed=account_fetches)
        [(due_at, _)] = plan.account_fetches().values()
        assert due_at - plan.now > 5 * HOUR  # then as usual

    @pytest.mark.parametrize(
        ("ends", "thresholds", "reached"),
        [
            # post 1 gains 2,000 an hour: it passes its threshold long before the period ends
            ([12], [61_000], []),
            # post 2 gains 400 an hour: it reaches the other in 2.7 hours, 42 minutes after post 1
            ([12], [61_000, 65_080], [2.7]),
            ([8, 9, 12], [], []),
        ],
    )
    def test_such_an_account_is_tried_for_every_paying_post(  # noqa: PLR0917
        self,
        customer: Customer,
        plan: Plan,
        account: UUID,
        ends: list[int],
        thresholds: list[int],
        reached: list[float],
    ) -> None:
        for number in "12":
            customer.video(number, account=account, posted_at=NOON - 6 * DAY)
        with customer.store.read_session() as session:
            creator = session.get_one(Account, account).creator_id
        counts = [{"view_count": count, "amount_cents": 500} for count in thresholds]
        pays = rule("view_threshold") | {"criteria_params": {"thresholds": counts}}
        if thresholds:
            structure = add_structure(customer.store, customer.organization, pays)
            add_assignment(customer.store, structure, creator, date(2026, 1, 1))
        _add_deadlines(plan, *(NOON + hours * HOUR for hours in ends))
        for hours in (-5, 0):
            plan.now = NOON + hours * HOUR
            plan.everything()
            account_fetches = plan.claim()
            views = [60_000 + 2_000 * hours, 64_000 + 400 * hours]
            plan.read(*(post(str(n), "demo", view_count=views[n - 1]) for n in (1, 2)))
            plan.settle(*account_fetches, posts=["1", "2"])
        tries = []
        while plan.now < NOON + 13 * HOUR:
            [(due_at, _)] = plan.account_fetches().values()
            plan.now = max(plan.now, due_at)
            account_fetches = plan.claim()
            tries += [plan.now - NOON] * len(account_fetches)
            plan.settle(*account_fetches, failed=account_fetches)
        for hours in reached:
            assert any(abs(at - hours * HOUR) < timedelta(minutes=2) for at in tries)
        for hours in ends:
            assert any(timedelta() < hours * HOUR - at < timedelta(minutes=16) for at in tries)

    @pytest.mark.parametrize("left", [65, 90, 240, 299])
    @pytest.mark.parametrize(
        ("pays", "failing_hours", "tries"), [(True, 0, 2), (True, 6, 1), (False, 0, 1)]
    )
    def test_an_account_that_fails_right_before_a_period_ends_is_tried_once_more(  # noqa: PLR0917
        self,
        customer: Customer,
        plan: Plan,
        account: UUID,
        left: int,
        pays: bool,
        failing_hours: int,
        tries: int,
    ) -> None:
        """Five minutes later it has ended. One that pays nothing or keeps failing waits."""
        assert account
        end = NOON + 8 * HOUR
        _add_deadlines(plan, end)
        plan.everything()
        if pays:
            plan.read(post("1", "demo", view_count=60_000))
        plan.settle(*plan.claim(), posts=["1"])
        plan.now = end - left * timedelta(seconds=1)
        claims = []
        while plan.now < end:
            [account_fetch] = plan.claim()
            claims.append(account_fetch.claimed_at)
            since = claims[0] - failing_hours * HOUR
            settle(plan.store, "tiktok", [account_fetch], [], {account_fetch: since})
            [(plan.now,)] = plan._rows("select due_at from visits")
        assert len(claims) == tries

    def test_a_period_that_ends_soon_after_another_is_read_before_its_end_too(
        self, customer: Customer, plan: Plan
    ) -> None:
        """The longest lead exceeds the 15 minutes in which a reading counts for a period's end."""
        earliest = "from generate_series(1, 999) as n where hashtext(n::text) & 31 = 31 limit 1"
        [(subject,)] = plan._rows(f"select n::text {earliest}")
        account = customer.account("demo", platform_user_id=subject)
        customer.video("1", account=account, posted_at=NOON - 6 * DAY)
        _add_deadlines(plan, NOON + HOUR, NOON + 2 * HOUR)
        plan.everything()
        plan.read(post("1", "demo", view_count=90_000))
        for hours in (1, 2):
            [(plan.now, reason)] = plan._rows("select due_at, reason from post_looks")
            assert reason == "period_end"
            before_end = NOON + hours * HOUR - plan.now
            assert timedelta(minutes=11) < before_end < timedelta(minutes=16)
            plan.read(post("1", "demo", view_count=90_000 + 9_000 * hours))

    def test_deadlines_of_another_shards_projects_stay(
        self, customer: Customer, plan: Plan, account: UUID, publication: duckdb.DuckDBPyConnection
    ) -> None:
        with customer.store.read_session() as session:
            creator = session.get_one(Account, account).creator_id

        def deadline_count() -> int:
            with plan.store.write_session() as session:
                replace_deadlines(session, publication, NOON)
                count = session.execute(text("select count(*) from look_deadlines"))
                return int(count.scalar_one())

        publication.execute(
            "insert into marts.goal_compliance values ($1, '2026-05-10 22:00:00+00')", [creator]
        )
        assert deadline_count() == 1
        publication.execute("delete from marts.goal_compliance")
        assert deadline_count() == 1, "the publication lacks the project"
        publication.execute(
            "insert into marts.projects values ($1)", [customer.organization.project_id]
        )
        assert deadline_count() == 0

    def test_a_post_near_a_threshold_is_fetched_when_it_may_have_reached_it(
        self, customer: Customer, plan: Plan, account: UUID, old: UUID
    ) -> None:
        assert old
        with customer.store.read_session() as session:
            creator = session.get_one(Account, account).creator_id
        structure = add_structure(customer.store, customer.organization, rule("view_threshold"))
        add_assignment(customer.store, structure, creator, date(2026, 1, 1))
        plan.read(post("1", "demo", posted_at=NOON - 9 * DAY, view_count=900))
        # 9 a day since the registered posting time: the remaining 100 take days
        assert plan.posts()["1"][1] != "threshold"
        plan.after(hours=1)
        plan.read(post("1", "demo", posted_at=OLD, view_count=910))
        # 240 a day: the remaining 90 take nine hours, 5% of 1,000 five
        assert plan.posts() == {"1": (5 * HOUR, "growth")}

    def test_a_failed_post_is_retried_at_growing_intervals(self, plan: Plan, old: UUID) -> None:
        assert old
        plan.everything()
        plan.read(post("1", "demo", posted_at=OLD, view_count=0))
        waits = []
        plan.after(hours=3)
        for _ in range(4):
            plan.settle(*plan.claim(), posts=["1"])
            [(after, _)] = plan.posts().values()
            waits.append(after)
            plan.now += after
        assert waits[:2] == [3 * HOUR, 6 * HOUR]
        assert max(waits) <= 27 * HOUR


class TestNothingStarves:
    @pytest.mark.slow
    def test_for_a_week_no_post_waits_longer_than_28_hours(
        self, customer: Customer, plan: Plan, account: UUID
    ) -> None:
        for number in range(8):
            posted_at = NOON - number * number * DAY
            customer.video(f"{number}", account=account, posted_at=posted_at)
        plan.everything()
        last: dict[str, datetime] = {}
        for _ in range(7 * 24):
            claimed = plan.claim()
            due = plan.due(*claimed)
            if due:
                plan.read(*(post(post_id, "demo", posted_at=OLD, view_count=7) for post_id in due))
            plan.settle(*claimed, posts=due)
            for post_id in due:
                assert plan.now - last.get(post_id, plan.now) <= 28 * HOUR
                last[post_id] = plan.now
            plan.after(hours=1)
        assert len(last) == 8
        assert min(last.values()) >= plan.now - 28 * HOUR


def test_a_failed_profile_fetch_is_recorded_too(plan: Plan, account: UUID) -> None:
    assert account
    plan.everything()
    plan.read(outcomes=[fetch("demo", job_type="creator_profiles", outcome="blocked_wall")])
    plan.everything()
    assert plan.account_fetches()["id-of-demo"][0] > NOON


class TestRunningClock:
    """Claiming, reading, landing and settling each take time."""

    @pytest.mark.usefixtures("old")
    @pytest.mark.parametrize("freshness", ["frugal", "standard"])
    @pytest.mark.parametrize("is_settled_first", [True, False])
    def test_a_read_post_does_not_count_as_failed(
        self, customer: Customer, plan: Plan, freshness: str, is_settled_first: bool
    ) -> None:
        change(
            customer.store, Organization, customer.organization.organization_id, freshness=freshness
        )
        plan.everything()
        for _ in range(3):
            claimed = plan.claim()
            assert plan.due(*claimed) == ["1"]
            captured_at = plan.tick()
            if is_settled_first:
                plan.settle(*claimed, posts=["1"])
            plan.read(post("1", "demo", posted_at=OLD, view_count=5000), captured_at=captured_at)
            if not is_settled_first:
                plan.settle(*claimed, posts=["1"])
            [(after, reason)] = plan.posts().values()
            assert reason != "failed"
            assert after > 2 * HOUR
            plan.after(hours=28)
