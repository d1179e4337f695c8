"""Accounts of the simulator whose newest posts are known before a scrape."""

from datetime import UTC, datetime

import pytest

from scrapers.simulator import RunningSimulator
from scrapers.simulator.records import TruePost
from tests.factories.tracking import add_account, put_video
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore

NOW = datetime(2026, 9, 1, 6, tzinfo=UTC)
ACCOUNTS, POSTS = 10, 40


@pytest.fixture
def tracked(
    store: OperationalStore, organization: NewOrganization, simulator: RunningSimulator
) -> dict[str, list[TruePost]]:
    """Handles of accounts whose newest forty posts are known."""
    simulator.set_now(NOW)
    world, posts_by_handle = simulator.world, dict[str, list[TruePost]]()
    for handle in world.handles("tiktok", at=NOW):
        posts = world.posts("tiktok", handle, NOW)[:POSTS]
        if len(posts) < POSTS or len(posts_by_handle) == ACCOUNTS:
            continue
        posts_by_handle[handle] = posts
        profile = world.profile("tiktok", handle, NOW)
        assert profile
        account = add_account(
            store,
            organization,
            handle,
            platform_user_id=profile.platform_user_id,
            platform_alt_id=profile.platform_alt_id,
            tracking_start_date=min(post.posted_at for post in posts).date(),
            last_discovered_at=NOW,
        )
        with store.write_session() as session:
            for post in posts:
                fields = {"account": account, "posted_at": post.posted_at}
                put_video(session, organization, post.platform_video_id, **fields)
    assert len(posts_by_handle) == ACCOUNTS
    return posts_by_handle
