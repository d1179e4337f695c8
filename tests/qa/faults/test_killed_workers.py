"""Workers that share a queue are killed (SIGKILL) over a simulated week, at any request.

No fetch is lost, and only those under way at a kill are repeated.
"""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest
from sqlalchemy import text

from scrapers.simulator import Kind, RunningSimulator, World, running_simulator
from tests.doses import SEED, dose
from tests.factories.tracking import add_account, add_organization, add_video
from tests.fixtures.operational import FreshDatabase, settings_for
from tests.qa.faults.programs import ask, program
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.registration.register import register_landed

pytestmark = pytest.mark.slow

WORKERS = 3
KILLS = dose(small=3, full=50)
STEP = timedelta(hours=10)
"""Between rounds; the full dose makes a week of them."""
ACCOUNTS, POSTS = 6, 20
NO_LIST = "None, None"
"""Profiles and posts: an empty page of a list is requested again by any worker."""
STALE = timedelta(hours=28)
BEGINS = datetime(2026, 9, 1, 6, tzinfo=UTC)


@pytest.fixture(scope="module")
def simulator() -> Iterator[RunningSimulator]:
    with running_simulator(World(seed=11, creators=30)) as running:
        running.set_now(BEGINS)
        yield running


def track(store: OperationalStore, world: World) -> int:
    """Track plain accounts with their newest posts; return the number of posts."""
    organization = add_organization(store, "Shop")
    profiles = (
        world.profile("tiktok", handle, BEGINS) for handle in world.handles("tiktok", at=BEGINS)
    )
    plain = [
        profile
        for profile in profiles
        if profile and profile.kind is Kind.PLAIN and profile.video_count > POSTS
    ]
    for profile in plain[:ACCOUNTS]:
        posts = world.posts("tiktok", profile.handle, BEGINS)[:POSTS]
        account = add_account(
            store,
            organization,
            profile.handle,
            platform_user_id=profile.platform_user_id,
            platform_alt_id=profile.platform_alt_id,
            tracking_start_date=posts[-1].posted_at.date(),
            last_discovered_at=BEGINS,
        )
        for post in posts:
            name, posted_at = post.platform_video_id, post.posted_at
            add_video(store, organization, name, account=account, posted_at=posted_at)
    return ACCOUNTS * POSTS


def left_alone_for(store: OperationalStore, now: datetime) -> timedelta:
    """The time since the longest unfetched post was last fetched; some posts are deleted."""
    with store.read_session() as session:
        oldest = session.scalars(
            text("select min(coalesce(looked_at, '-infinity')) from post_looks")
        )
        return now - oldest.one()


def test_killed_workers_lose_no_fetch_and_repeat_only_those_under_way(
    databases: FreshDatabase, simulator: RunningSimulator, tmp_path: Path
) -> None:
    draw, log, killed, now = Random(SEED), tmp_path / "asked", 0, BEGINS
    with databases() as url, operational_store(settings_for(tmp_path / "home", url)) as store:
        settings = settings_for(tmp_path / "home", url)
        posts = track(store, simulator.world)
        with program("killed_workers", log, simulator.tiktok_url, settings=settings) as workers:
            while killed < KILLS:
                simulator.set_now(now)
                log.write_text("")
                lives = [draw.randrange(8) for _ in range(WORKERS)]
                order = {"now": now.isoformat()}
                killed += ask(workers, {**order, "lives": lives})
                with store.write_session() as session:
                    session.execute(text("update visits set lease_expires_at = 'epoch'"))
                ask(workers, {**order, "lives": [None]})
                register_landed(store, settings.at(now))
                pages = (line for line in log.read_text().splitlines() if NO_LIST in line)
                page_counts = Counter(pages)
                assert page_counts.total() - len(page_counts) <= sum(lives), page_counts
                assert left_alone_for(store, now) <= STALE
                now += STEP
    assert posts == ACCOUNTS * POSTS
