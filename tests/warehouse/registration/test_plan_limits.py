"""Where posts are discovered: the plan's limit pauses the oldest, and refuses nobody."""

from collections.abc import Callable
from threading import Thread
from typing import Any

import pytest
from sqlalchemy import func, select

from tests.factories.landing import NOON, post
from tests.factories.limits import leave_room
from tests.factories.tracking import add_account, add_organization, add_video, change
from tests.fixtures.locks import wait_until_waiting
from warehouse.landing.batches import incoming, registered
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter
from warehouse.operational.models import Account, Organization, Video
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore
from warehouse.registration.register import RegistrationResult, register_batch
from warehouse.settings import Settings

Register = Callable[..., RegistrationResult]


@pytest.fixture
def register(store: OperationalStore, settings: Settings) -> Register:
    """Land posts of these days of May and register them."""

    def of_days(handle: str, *days: int, **changes: Any) -> RegistrationResult:
        posts = [post(f"70{day:02}", handle, posted_at=NOON.replace(day=day)) for day in days]
        LandingWriter(open_landing(settings)).land(
            posts=[{**post, **changes} for post in posts], profiles=[], outcomes=[]
        )
        return register_batch(store, open_landing(settings), incoming(settings.landing_path)[-1])

    return of_days


@pytest.fixture
def small(store: OperationalStore, organization: NewOrganization) -> NewOrganization:
    """An organization with room for two more tracked videos, and an account `demo`."""
    leave_room(store, organization, 2)
    add_account(store, organization, "demo")
    return organization


def paused(store: OperationalStore, organization: NewOrganization) -> dict[str, bool]:
    """Which posts are paused; those that only fill the plan are left out."""
    statement = select(Video.platform_video_id, Video.plan_limit_paused_at).where(
        Video.organization_id == organization.organization_id,
        Video.tracking_exempted.is_(False),
    )
    with store.read_session() as session:
        return {name: at is not None for name, at in session.execute(statement)}


def test_the_oldest_are_paused_be_they_new_or_not(
    store: OperationalStore, small: NewOrganization, register: Register
) -> None:
    add_video(store, small, "there", posted_at=NOON.replace(day=2))
    register("demo", 1, 3, 4)
    assert paused(store, small) == {"there": True, "7001": True, "7003": False, "7004": False}


def test_a_post_that_is_paused_at_once_keeps_the_reading_that_found_it(
    store: OperationalStore, settings: Settings, small: NewOrganization, register: Register
) -> None:
    first = register("demo", 1, 2, 3)
    assert (first.new_videos, first.video_readings) == (3, 3)
    with store.read_session() as session:
        paused_at = session.scalar(select(func.max(Video.plan_limit_paused_at)))
    again = register("demo", 1, 2, 3, captured_at=paused_at)
    assert (again.new_videos, again.video_readings) == (0, 2)
    assert len(list(registered(settings.landing_path))) == 2


@pytest.mark.parametrize(
    "tracking",
    [
        {"tracking_mode": "selective"},
        {
            "tracking_mode": "hashtag",
            "tracking_hashtags": ["ad"],
            "hashtag_inbox_non_matching": False,
        },
    ],
)
def test_posts_that_do_not_count_need_no_room(
    store: OperationalStore, small: NewOrganization, register: Register, tracking: dict[str, Any]
) -> None:
    add_account(store, small, "other", **tracking)
    register("other", 1, 2, 3)
    assert not any(paused(store, small).values())


def test_exempt_ones_are_passed_over_and_new_ones_wait_where_all_are_exempt(
    store: OperationalStore, small: NewOrganization, register: Register
) -> None:
    for name in ("a", "b"):
        add_video(store, small, name, posted_at=NOON.replace(day=1), tracking_exempted=True)
    register("demo", 5, 6)
    assert paused(store, small) == {"7005": True, "7006": True}


def test_each_organization_has_its_own_limit(
    store: OperationalStore, small: NewOrganization, register: Register
) -> None:
    roomy = add_organization(store, "Roomy")
    add_account(store, roomy, "demo")
    register("demo", 1, 2, 3)
    assert sum(paused(store, small).values()) == 1
    assert not any(paused(store, roomy).values())


def test_posts_that_come_back_with_their_handle_need_room(
    store: OperationalStore, small: NewOrganization, register: Register
) -> None:
    removed = add_account(store, small, "back", is_active=False)
    for name in ("7001", "7002"):
        add_video(
            store,
            small,
            name,
            account=removed,
            posted_at=NOON.replace(day=9),
            frozen_at=NOON,
        )
    add_video(store, small, "there", posted_at=NOON.replace(day=8))
    add_account(store, small, "back")
    register("back", 1, 2)
    assert paused(store, small) == {"7001": False, "7002": False, "there": True}


@pytest.mark.parametrize("is_known_elsewhere", [False, True])
def test_the_organization_is_locked_before_its_accounts_so_that_nobody_waits_in_a_circle(
    store: OperationalStore, small: NewOrganization, register: Register, *, is_known_elsewhere: bool
) -> None:
    if is_known_elsewhere:
        elsewhere = add_organization(store, "Elsewhere")
        add_video(store, elsewhere, "7001", account=add_account(store, elsewhere, "demo"))
    registering = Thread(target=register, args=("demo", 1))
    with store.write_session() as session:
        organization = select(Organization.id).where(Organization.id == small.organization_id)
        session.execute(organization.with_for_update(key_share=True))
        registering.start()
        wait_until_waiting(store.dsn)
        accounts = select(Account.id).where(Account.organization_id == small.organization_id)
        assert session.scalars(accounts.with_for_update(nowait=True)).one()
    registering.join()
    assert paused(store, small) == {"7001": False}


def test_a_batch_of_known_posts_waits_for_nobody(
    store: OperationalStore, small: NewOrganization, register: Register
) -> None:
    register("demo", 1)
    with store.write_session() as session:
        organization = select(Organization.id).where(Organization.id == small.organization_id)
        session.execute(organization.with_for_update(key_share=True))
        assert register("demo", 1).video_readings == 1


def test_a_suspended_organization_is_none_to_make_room_in(
    store: OperationalStore, small: NewOrganization, register: Register
) -> None:
    change(store, Organization, small.organization_id, is_suspended=True)
    assert register("demo", 1, 2, 3).new_videos == 0
    assert paused(store, small) == {}
