"""A worker is killed (SIGKILL) while it lists an account's posts, and others take over.

They continue after the last landed page: no page is lost, and only the page under way is repeated.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import select, text

from scrapers.simulator import Kind, RunningSimulator, World, running_simulator
from scrapers.simulator.records import TrueProfile
from scrapers.tiktok.paging import milliseconds
from tests.factories.tracking import add_account, add_organization
from tests.fixtures.operational import FreshDatabase, settings_for
from tests.qa.faults.programs import ask, program
from warehouse.operational.models import Account, Video
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.registration.register import register_landed

pytestmark = pytest.mark.slow

BEGINS = datetime(2026, 9, 1, 6, tzinfo=UTC)
LATER = timedelta(hours=1)
LIST = "/tiktok/api/creator/item_list/"
FEWEST = 100
"""In posts: at least seven pages of the list."""
MOST_ROUNDS = 30


@pytest.fixture(scope="module")
def simulator() -> Iterator[RunningSimulator]:
    with running_simulator(World(seed=11, creators=30)) as running:
        running.set_now(BEGINS)
        yield running


@pytest.fixture
def profile(simulator: RunningSimulator) -> TrueProfile:
    """A plain account with many posts."""
    world = simulator.world
    profiles = (
        world.profile("tiktok", handle, BEGINS) for handle in world.handles("tiktok", at=BEGINS)
    )
    plain = [profile for profile in profiles if profile and profile.kind is Kind.PLAIN]
    return min(
        (profile for profile in plain if profile.video_count >= FEWEST),
        key=lambda profile: profile.video_count,
    )


def track(store: OperationalStore, profile: TrueProfile) -> UUID:
    return add_account(
        store,
        add_organization(store, "Shop"),
        profile.handle,
        platform_user_id=profile.platform_user_id,
        platform_alt_id=profile.platform_alt_id,
        tracking_start_date=datetime(2000, 1, 1, tzinfo=UTC).date(),
    )


def pages(log: Path) -> list[int]:
    """The requested cursors of the listing, which are times in milliseconds.

    Later cursors than the first belong to another fetch, which became due meanwhile.
    """
    requests = map(ast.literal_eval, log.read_text().splitlines())
    cursors = [int(cursor) for path, _, cursor in requests if path == LIST]
    return [cursor for cursor in cursors if cursor <= milliseconds(BEGINS)]


@pytest.mark.parametrize("life", [3, 6])
def test_another_worker_continues_after_the_last_landed_page(
    databases: FreshDatabase,
    simulator: RunningSimulator,
    profile: TrueProfile,
    tmp_path: Path,
    life: int,
) -> None:
    log, page_lists = tmp_path / "asked", list[list[int]]()
    with databases() as url, operational_store(settings_for(tmp_path / "home", url)) as store:
        settings = settings_for(tmp_path / "home", url)
        account = track(store, profile)
        with program("killed_workers", log, simulator.tiktok_url, settings=settings) as workers:
            for number in range(MOST_ROUNDS):
                now = BEGINS + number * LATER
                simulator.set_now(now)
                log.write_text("")
                killed = ask(workers, {"now": now.isoformat(), "lives": [life]})
                register_landed(store, settings.at(now))
                with store.write_session() as session:
                    session.execute(text("update visits set lease_expires_at = 'epoch'"))
                    row = session.get_one(Account, account)
                    is_whole, listing = row.last_discovered_at, row.listing
                page_lists.append(pages(log))
                assert killed or is_whole
                if is_whole:
                    break
        assert (is_whole, listing) == (BEGINS, None)
        with store.read_session() as session:
            counts = Counter(session.scalars(select(Video.platform_video_id)))
    world = simulator.world.posts("tiktok", profile.handle, BEGINS)
    assert set(counts) >= {post.platform_video_id for post in world}
    assert set(counts.values()) == {1}
    assert len(page_lists) > 1
    for before, after in pairwise(page_lists):
        assert max(after) <= min(before)
    requests = Counter(cursor for cursors in page_lists for cursor in cursors)
    assert requests.total() - len(requests) <= len(page_lists) - 1
