"""Stored progress of listings: only consecutive pages count, for each account."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import update

from tests.factories.landing import NOON, fetch, post
from tests.factories.tracking import add_account, add_organization
from warehouse.landing.batches import incoming
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter
from warehouse.operational.models import Account
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore
from warehouse.registration.listings import Unfinished, common_cut
from warehouse.registration.register import register_landed
from warehouse.settings import Settings

LATER = NOON + timedelta(hours=3)


def page(pages: int, cursor: str | None = None, **changes: Any) -> dict[str, Any]:
    """Return a listing of demo's posts after these pages; without a cursor it is complete."""
    row = {
        "platform": "tiktok",
        "handle": "demo",
        "platform_user_id": "id-of-demo",
        "began_at": NOON,
        "pages": pages,
        "provider": cursor and "web",
        "cursor": cursor,
        "reached_known": cursor is None,
    }
    return {**row, **changes}


class Desk:
    """Lands and registers listings, and reads the stored progress."""

    def __init__(self, store: OperationalStore, settings: Settings) -> None:
        self._store = store
        self._settings = settings

    def register(self, *listings: dict[str, Any], **rows: Any) -> None:
        LandingWriter(open_landing(self._settings)).land(listings=listings, **rows)
        [result] = register_landed(self._store, self._settings)
        assert (result.rejected, incoming(self._settings.landing_path)) == (None, [])

    def kept(self, account: UUID) -> tuple[int | None, datetime | None]:
        """Return after how many pages the listing continues, and since when it has no gaps."""
        with self._store.read_session() as session:
            row = session.get_one(Account, account)
            cut = common_cut([(row.last_discovered_at, row.listing)])
            return cut and cut.pages, row.last_discovered_at


@pytest.fixture
def desk(store: OperationalStore, settings: Settings) -> Desk:
    return Desk(store, settings)


@pytest.fixture
def account(store: OperationalStore, organization: NewOrganization) -> UUID:
    return add_account(store, organization, "demo", platform_user_id="id-of-demo")


def test_consecutive_pages_complete_a_discovery_as_of_the_first(desk: Desk, account: UUID) -> None:
    desk.register(page(1, "a"), posts=[post("7001", "demo")])
    assert desk.kept(account) == (1, None)
    desk.register(page(2, "b"), page(3, "c"))
    assert desk.kept(account) == (3, None)
    ended = fetch("demo", started_at=LATER, finished_at=LATER)
    desk.register(page(4), outcomes=[ended])
    assert desk.kept(account) == (None, NOON)


def test_a_lost_page_is_requested_again(desk: Desk, account: UUID) -> None:
    desk.register(page(1, "a"))
    desk.register(page(3, "c"))
    assert desk.kept(account) == (1, None)
    desk.register(page(4), outcomes=[fetch("demo", started_at=LATER, finished_at=LATER)])
    assert desk.kept(account) == (1, None)


def test_a_new_listing_replaces_the_preceding_one(desk: Desk, account: UUID) -> None:
    desk.register(page(1, "a"))
    desk.register(page(1, "b", began_at=LATER))
    desk.register(page(2, "c"))
    assert desk.kept(account) == (1, None)
    desk.register(page(2, began_at=LATER))
    assert desk.kept(account) == (None, LATER)


def test_a_late_first_page_leaves_a_listing_that_began_later(desk: Desk, account: UUID) -> None:
    """Its worker was suspended. A listing that began while a clock was ahead is replaced."""
    desk.register(page(1, "a", began_at=LATER), page(2, "b", began_at=LATER))
    desk.register(page(1, "late"))
    assert desk.kept(account) == (2, None)
    ahead = datetime(2099, 1, 1, tzinfo=UTC)
    desk.register(page(1, "c", began_at=ahead), page(2, "d", began_at=ahead))
    desk.register(page(1, "e"))
    assert desk.kept(account) == (1, None)


def test_an_interrupted_listing_leaves_a_gap(desk: Desk, account: UUID) -> None:
    desk.register(page(1, "a"))
    desk.register(page(2, reached_known=False))
    assert desk.kept(account) == (None, None)


def test_an_account_added_meanwhile_has_its_own_listing(
    desk: Desk, store: OperationalStore, account: UUID
) -> None:
    desk.register(page(1, "a"), posts=[post("7001", "demo")])
    late = add_account(
        store, add_organization(store, "Late"), "demo", platform_user_id="id-of-demo"
    )
    desk.register(page(2, "b"))
    desk.register(page(3), outcomes=[fetch("demo", started_at=LATER, finished_at=LATER)])
    assert (desk.kept(account), desk.kept(late)) == ((None, NOON), (None, None))


def test_a_renamed_account_is_known_by_its_user_id(
    desk: Desk, store: OperationalStore, account: UUID
) -> None:
    desk.register(page(1, "a"))
    with store.write_session() as session:
        session.execute(update(Account).values(handle="new"))
    desk.register(page(2, "b"))
    assert desk.kept(account) == (2, None)


def test_accounts_continue_together_only_from_the_same_page() -> None:
    here = {"pages": 2, "provider": "web", "cursor": "b", "began_at": NOON.isoformat()}
    there = {**here, "pages": 3, "cursor": "c"}
    cut = Unfinished(began_at=NOON, pages=2, provider="web", cursor="b")
    assert common_cut([(None, here), (None, here)]) == cut
    assert common_cut([(None, here), (NOON, None)]) == cut
    assert common_cut([(None, here), (None, None)]) is None
    assert common_cut([(None, here), (None, there)]) is None
    assert common_cut([(NOON, here)]) is None
    assert common_cut([]) is None
