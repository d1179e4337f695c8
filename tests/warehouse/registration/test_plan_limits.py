"""Discovery at the plan's limit pauses the oldest posts and rejects none."""

from collections.abc import Callable
from threading import Thread
from typing import Any

import pytest
from sqlalchemy import func, select

from tests.factories.landing import NOON, post
from tests.factories.limits import leave_room
from tests.factories.tracking import Customer, add_account, add_organization, add_video, change
from tests.fixtures.locks import wait_until_waiting
from warehouse.landing.batches import incoming, registered
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter
from warehouse.operational.models import Account, Organization, Video
from warehouse.operational.store import OperationalStore
from warehouse.registration.gathering import RegistrationResult
from warehouse.registration.register import register_batch
from warehouse.settings import Settings

Register = Callable[..., RegistrationResult]


@pytest.fixture
def register(store: OperationalStore, settings: Settings) -> Register:
    """Return a function that lands and registers posts of these days of May."""

    def of_days(handle: str, *days: int, **changes: Any) -> RegistrationResult:
        posts = [post(f"70{day:02}", handle, posted_at=NOON.replace(day=day)) for day in days]
        LandingWriter(open_landing(settings)).land(
            posts=[{**post, **changes} for post in posts], profiles=[], outcomes=[]
        )
        return register_batch(store, open_landing(settings), incoming(settings.landing_path)[-1])

    return of_days


@pytest.fixture
def small(customer: Customer) -> Customer:
    """An organization with room for two more tracked videos, and an account `demo`."""
    leave_room(customer.store, customer.organization, 2)
    customer.account("demo")
    return customer


def paused(customer: Customer) -> dict[str, bool]:
    """Return whether each post is paused, without the fillers."""
    statement = select(Video.platform_video_id, Video.plan_limit_paused_at).where(
        Video.organization_id == customer.organization.organization_id,
        Video.tracking_exempted.is_(False),
    )
    with customer.store.read_session() as session:
        return {name: at is not None for name, at in session.execute(statement)}


def test_the_oldest_are_paused_new_or_known(small: Customer, register: Register) -> None:
    small.video("there", posted_at=NOON.replace(day=2))
    register("demo", 1, 3, 4)
    assert paused(small) == {"there": True, "7001": True, "7003": False, "7004": False}


def test_a_post_that_is_paused_at_once_keeps_the_reading_that_found_it(
    settings: Settings, small: Customer, register: Register
) -> None:
    assert register("demo", 1, 2, 3).video_readings == len(paused(small)) == 3
    with small.store.read_session() as session:
        paused_at = session.scalar(select(func.max(Video.plan_limit_paused_at)))
    assert register("demo", 1, 2, 3, captured_at=paused_at).video_readings == 2
    assert len(paused(small)) == 3
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
    small: Customer, register: Register, tracking: dict[str, Any]
) -> None:
    small.account("other", **tracking)
    register("other", 1, 2, 3)
    assert not any(paused(small).values())


def test_exempt_posts_are_skipped_and_new_ones_wait_if_all_are_exempt(
    small: Customer, register: Register
) -> None:
    for name in ("a", "b"):
        small.video(name, posted_at=NOON.replace(day=1), tracking_exempted=True)
    register("demo", 5, 6)
    assert paused(small) == {"7005": True, "7006": True}


def test_each_organization_has_its_own_limit(small: Customer, register: Register) -> None:
    roomy = Customer(small.store, add_organization(small.store, "Roomy"))
    roomy.account("demo")
    register("demo", 1, 2, 3)
    assert sum(paused(small).values()) == 1
    assert not any(paused(roomy).values())


def test_posts_that_return_with_their_handle_need_room(small: Customer, register: Register) -> None:
    removed = small.account("back", is_active=False)
    for name in ("7001", "7002"):
        small.video(
            name,
            account=removed,
            posted_at=NOON.replace(day=9),
            frozen_at=NOON,
        )
    small.video("there", posted_at=NOON.replace(day=8))
    small.account("back")
    register("back", 1, 2)
    assert paused(small) == {"7001": False, "7002": False, "there": True}


@pytest.mark.parametrize("is_known_elsewhere", [False, True])
def test_the_organization_is_locked_before_its_accounts(
    small: Customer, register: Register, *, is_known_elsewhere: bool
) -> None:
    if is_known_elsewhere:
        elsewhere = add_organization(small.store, "Elsewhere")
        add_video(
            small.store, elsewhere, "7001", account=add_account(small.store, elsewhere, "demo")
        )
    registering = Thread(target=register, args=("demo", 1))
    with small.store.write_session() as session:
        organization = select(Organization.id).where(
            Organization.id == small.organization.organization_id
        )
        session.execute(organization.with_for_update(key_share=True))
        registering.start()
        wait_until_waiting(small.store.dsn)
        accounts = select(Account.id).where(
            Account.organization_id == small.organization.organization_id
        )
        assert session.scalars(accounts.with_for_update(nowait=True)).one()
    registering.join()
    assert paused(small) == {"7001": False}


def test_a_batch_of_known_posts_needs_no_organization_lock(
    small: Customer, register: Register
) -> None:
    register("demo", 1)
    with small.store.write_session() as session:
        organization = select(Organization.id).where(
            Organization.id == small.organization.organization_id
        )
        session.execute(organization.with_for_update(key_share=True))
        assert register("demo", 1).video_readings == 1


def test_a_suspended_organization_gets_no_room(small: Customer, register: Register) -> None:
    change(small.store, Organization, small.organization.organization_id, is_suspended=True)
    register("demo", 1, 2, 3)
    assert paused(small) == {}
