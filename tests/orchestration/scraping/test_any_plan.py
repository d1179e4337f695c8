"""Everything due is read, and its reading equals that of a full crawl."""

from datetime import timedelta
from random import Random

import polars as pl
import pytest
from sqlalchemy import text

from orchestration.resources.providers import open_provider
from orchestration.running.progress import silent
from orchestration.scraping import worker
from orchestration.scraping.worker import Scope, fetch_platform
from scrapers.simulator import RunningSimulator
from tests.orchestration.conftest import FIRST_DAY
from warehouse.fetch_schedule.changes import plan_changes
from warehouse.landing.batches import incoming, read_landed
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.registration.register import register_landed
from warehouse.settings import Settings

pytestmark = pytest.mark.slow

COUNTS = ["view_count", "like_count", "comment_count", "share_count", "save_count"]
PLATFORMS = ("tiktok", "instagram")
STEPS = 4
Readings = dict[str, dict[str, int]]
"""The known counters of each post: routes differ in which they show."""


async def readings(settings: Settings, platform: str, scope: Scope) -> Readings:
    with operational_store(settings) as store, pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker, "register_one", lambda *_: None)  # the test reads it first
        await fetch_platform(settings, store, platform, open_provider, silent, scope)
        landed = [read_landed(batch)["posts"] for batch in incoming(settings.landing_path)]
        register_landed(store, settings)
    counts_by_post: Readings = {}
    for row in pl.concat(landed).rows(named=True) if landed else ():
        assert row["captured_at"] == settings.clock()
        reading = {count: row[count] for count in COUNTS if row[count] is not None}
        so_far = counts_by_post.setdefault(row["platform_video_id"], {})
        assert so_far | reading == reading | so_far  # routes do not contradict each other
        so_far |= reading
    return {post: counts for post, counts in counts_by_post.items() if counts}


def make_due(store: OperationalStore, draw: Random) -> set[tuple[str, str]]:
    """Make posts due at random, whatever the rule says; return them."""
    with store.write_session() as session:
        plan_changes(session)  # else the worker plans them later
        rows = session.execute(
            text("select platform, platform_video_id from post_looks order by 1, 2")
        )
        due = {(row[0], row[1]) for row in rows if draw.random() < 0.3}
        session.execute(text("update post_looks set due_at = '9000-01-01', reason = 'day_end'"))
        session.execute(
            text(
                "update visits set account_due_at = '9000-01-01', due_at = '9000-01-01',"
                " pays_at = null"
            )
        )
        for platform, post in sorted(due):
            of_post = {"platform": platform, "post": post}
            which = "platform = :platform and platform_video_id = :post"
            session.execute(text(f"update post_looks set due_at = 'epoch' where {which}"), of_post)
            session.execute(
                text(
                    "update visits set due_at = 'epoch' where (platform, subject) in"
                    f" (select platform, subject from post_looks where {which})"
                ),
                of_post,
            )
    return due


@pytest.mark.parametrize("seed", range(1))
async def test_readings_are_those_of_a_full_crawl_at_the_same_instant(
    scraping: Settings,
    two_tracked: list[str],
    simulator: RunningSimulator,
    seed: int,
) -> None:
    assert two_tracked
    draw, at = Random(seed), FIRST_DAY
    for platform in PLATFORMS:
        await readings(scraping, platform, Scope.DUE)
    for _ in range(STEPS):
        at += timedelta(minutes=draw.randrange(10, 3000))
        simulator.set_now(at)
        settings = scraping.at(at)
        for platform in PLATFORMS:
            with operational_store(settings) as store:
                due = make_due(store, draw)
            due_readings = await readings(settings, platform, Scope.DUE)
            all_readings = await readings(settings, platform, Scope.EVERYTHING)
            is_shown = set(all_readings)  # without posts deleted meanwhile
            assert is_shown & {post for of, post in due if of == platform} <= set(due_readings)
            for post, counts in due_readings.items():
                assert counts | all_readings[post] == all_readings[post] | counts
