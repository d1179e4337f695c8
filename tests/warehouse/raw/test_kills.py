"""A process that registers and ingests is killed (SIGKILL) at a named step or at a random time.

The next run finishes whatever it was doing, and every reading is there exactly once.
"""

import random
from collections.abc import Iterator
from datetime import timedelta

import pytest

from tests.doses import sample
from tests.factories.landing import NOON, comment, comment_crawl, post
from tests.factories.tracking import add_account, add_video
from tests.fixtures.forked import assert_kills_itself, kill_after
from tests.warehouse.raw.killed_worker import work
from warehouse.connection import open_warehouse
from warehouse.landing.archive import segments
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore
from warehouse.raw.ingest import ingest_registered
from warehouse.registration.register import register_landed
from warehouse.settings import Settings

BATCHES = 3
POSTS = 20
COMMENTS = 30

STEPS = [
    "warehouse.registration.register:decide_batches before",
    "warehouse.registration.once:write_frames before",
    "warehouse.registration.once:write_frames after",
    "warehouse.registration.once:give_number before",
    "warehouse.registration.register:register_once after",
    "warehouse.raw.ingest:insert_file after",
    "warehouse.raw.ingest:insert_batch after",
    "warehouse.landing.archive:archive before",
    "warehouse.landing.archive:write_records after",
    "warehouse.landing.archive:archive after",
    "warehouse.landing.compaction:_compact_day before",
    "warehouse.landing.compaction:_concatenate after",
    "warehouse.landing.compaction:_compact_day after",
    "warehouse.landing.folders:remove after",
]


@pytest.fixture
def landed(
    store: OperationalStore, settings: Settings, organization: NewOrganization
) -> Iterator[Settings]:
    """Settings of a service with landed batches, one hour apart.

    All batches read the same posts and crawl the comments of the first post.
    """
    account = add_account(store, organization, "demo")
    video = add_video(store, organization, "0", account=account)
    writer = LandingWriter(open_landing(settings))
    for hour in range(BATCHES):
        at = NOON + timedelta(hours=hour)
        writer.land(
            posts=[post(str(n), "demo", captured_at=at) for n in range(POSTS)],
            comments=[comment("0", n, captured_at=at) for n in range(COMMENTS)],
            comment_walks=[comment_crawl("0", video, started_at=at, finished_at=at)],
        )
    return settings


def finish_and_check(store: OperationalStore, settings: Settings) -> None:
    register_landed(store, settings)
    with open_warehouse(settings) as warehouse:
        ingest_registered(store, settings, warehouse)
        readings = warehouse.sql(
            "select count(*), count(distinct (video_id, captured_at)), count(distinct batch_seq)"
            " from raw.video_snapshots"
        ).fetchone()
        seen = warehouse.sql(
            "select count(*), count(distinct (platform_comment_id, captured_at)),"
            " (select count(*) from raw.comment_walks) from raw.comments"
        ).fetchone()
        counted = warehouse.sql(
            "select batch_seq, video_snapshots, comments, comment_walks from raw.batches order by 1"
        )
        assert readings == (BATCHES * POSTS, BATCHES * POSTS, BATCHES)
        assert seen == (BATCHES * COMMENTS, BATCHES * COMMENTS, BATCHES)
        assert counted.fetchall() == [(n, POSTS, COMMENTS, 1) for n in range(1, BATCHES + 1)]
    archived = [
        batch.batch_seq for segment in segments(settings.landing_path) for batch in segment.batches
    ]
    assert archived == [1, 2, 3]
    for place in ("incoming", "registered"):
        assert list((settings.landing_path / place).iterdir()) == []


@pytest.mark.parametrize("step", STEPS)
def test_a_kill_at_a_step_loses_and_doubles_nothing(
    store: OperationalStore, landed: Settings, step: str
) -> None:
    assert_kills_itself(work, None, landed, *step.split())
    finish_and_check(store, landed)


@pytest.mark.parametrize("step", [*STEPS[:5], STEPS[-1]])
def test_a_kill_among_batches_registered_together_loses_and_doubles_nothing(
    store: OperationalStore, settings: Settings, organization: NewOrganization, step: str
) -> None:
    """The batches are independent, so one transaction registers them."""
    writer = LandingWriter(open_landing(settings))
    for number in range(BATCHES):
        add_account(store, organization, f"creator{number}")
        writer.land(posts=[post(f"{number}-{n}", f"creator{number}") for n in range(POSTS)])
    assert_kills_itself(work, None, settings, *step.split())
    register_landed(store, settings)
    with open_warehouse(settings) as warehouse:
        ingest_registered(store, settings, warehouse)
        readings = "select batch_seq, count(*) from raw.video_snapshots group by 1 order by 1"
        assert warehouse.sql(readings).fetchall() == [(n, POSTS) for n in range(1, BATCHES + 1)]
    assert open_landing(settings).incoming() == []


@pytest.mark.parametrize("seed", sample(range(4), small=1))
def test_kills_at_any_moment_lose_and_double_nothing(
    store: OperationalStore, landed: Settings, seed: int
) -> None:
    kill_after(random.Random(seed).uniform(0, 0.5), work, landed)
    finish_and_check(store, landed)
