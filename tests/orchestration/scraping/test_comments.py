"""Collecting comments: the job `comments` over real HTTP, from due posts to the raw tables."""

import asyncio
import errno
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import datetime, timedelta
from itertools import islice
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import duckdb
import pytest
from dagster import DagsterInstance, ExecuteInProcessResult, materialize
from pydantic import SecretStr

from orchestration.assembly import build_definitions
from orchestration.defs.scrape import COMMENTS, _collect, comments, due_comments
from orchestration.resources.providers import open_provider
from orchestration.running import steps
from orchestration.running.progress import Progress
from orchestration.scraping.worker import open_buffer
from scrapers.outcomes import Outcome
from scrapers.simulator import Fault, FaultKind, Faults, RunningSimulator, running_simulator
from scrapers.snapshots import ScrapeReport
from tests.factories.marts import empty_marts
from tests.factories.tracking import add_account, add_video
from tests.orchestration.conftest import FIRST_DAY
from tests.orchestration.ticks import ticked
from warehouse.connection import open_warehouse
from warehouse.landing.batches import incoming
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore
from warehouse.publication.publish import publish
from warehouse.raw.ingest import ingest_registered
from warehouse.registration.register import register_landed
from warehouse.settings import Settings
from warehouse.step_metrics import last_ended, note_failure

PLATFORMS = ("tiktok", "instagram")
POSTS = 3


def posts_to_crawl(simulator: RunningSimulator, platform: str) -> list[Any]:
    """A few posts that are old enough and have some comments."""
    world = simulator.world
    handles = (
        post
        for handle in world.handles(platform)[:5]
        for post in world.posts(platform, handle, FIRST_DAY)
        if 20 <= post.comment_count <= 300
        and not post.is_restricted
        and post.posted_at < FIRST_DAY - timedelta(days=3)
    )
    return list(islice(handles, POSTS))


@pytest.fixture
def tracked(
    scraping: Settings,
    store: OperationalStore,
    organization: NewOrganization,
    simulator: RunningSimulator,
) -> dict[UUID, Any]:
    """Published posts of both platforms with their comment counts, by registry id."""
    posts = {}
    for platform in PLATFORMS:
        for post in posts_to_crawl(simulator, platform):
            video_id = add_video(
                store,
                organization,
                post.platform_video_id,
                platform=platform,
                posted_at=post.posted_at,
            )
            posts[video_id] = post
    publish_counts(
        scraping, organization, {video_id: post.comment_count for video_id, post in posts.items()}
    )
    return posts


def publish_counts(
    settings: Settings, organization: NewOrganization, counts: dict[UUID, int]
) -> None:
    """Publish the comment counts that platforms show for videos."""
    with empty_marts() as connection:
        for video_id, count in counts.items():
            connection.execute(
                "insert into marts.videos (video_id, organization_id, comment_count)"
                " values (?, ?, ?)",
                [video_id, organization.organization_id, count],
            )
        publish(settings, connection, as_of=FIRST_DAY)


def collect(
    settings: Settings, store: OperationalStore, reports: list[Progress] | None = None
) -> dict[str, Any]:
    """Run the asset; return its metadata."""
    with DagsterInstance.ephemeral() as instance:
        result: ExecuteInProcessResult = materialize(
            [comments],
            instance=instance,
            resources={
                "settings": settings,
                "store": store,
                "open_provider": open_provider,
                "on_progress": reports.append if reports is not None else lambda _progress: None,
            },
        )
    [materialization] = result.asset_materializations_for_node(COMMENTS.to_python_identifier())
    figures = {name: value.value for name, value in materialization.metadata.items()}
    checks = [check.passed for check in result.get_asset_check_evaluations()]
    assert checks == ([True] if figures[steps.FETCHES] else [])
    return figures


@contextmanager
def ingested(settings: Settings, store: OperationalStore) -> Iterator[duckdb.DuckDBPyConnection]:
    """The warehouse with every landed batch."""
    assert all(result.rejected is None for result in register_landed(store, settings))
    with open_warehouse(settings) as warehouse:
        ingest_registered(store, settings, warehouse)
        yield warehouse


def true_comments(
    simulator: RunningSimulator, tracked: dict[UUID, Any], at: datetime
) -> set[tuple[Any, ...]]:
    world = simulator.world
    return {
        (video_id, comment.platform_comment_id, comment.text, comment.like_count)
        for video_id, post in tracked.items()
        for comment in world.comments(
            *(world.find_post(post.platform, post.platform_video_id, at) or pytest.fail("gone")), at
        )
    }


LATEST = """
    select video_id, platform_comment_id, text, like_count
    from raw.comments
    where captured_at = ?
"""


@pytest.mark.slow
def test_the_schedule_starts_crawls_only_where_some_are_due(
    scraping: Settings,
    store: OperationalStore,
    tracked: dict[UUID, Any],
    instance: DagsterInstance,
) -> None:
    def starts() -> bool:
        repository = build_definitions(scraping).get_repository_def()
        return bool(ticked("hourly_comments", repository, instance, settings=scraping, store=store))

    note_failure(scraping.metrics_path, "collect comments")
    assert starts()
    assert last_ended(scraping.metrics_path, "failed")
    assert collect(scraping, store)[steps.FETCHES] == len(tracked)
    assert not starts()
    assert not last_ended(scraping.metrics_path, "failed"), "nothing is left to do"


@pytest.mark.slow
def test_due_comments_are_crawled_on_both_platforms_and_counted_once(
    scraping: Settings,
    store: OperationalStore,
    tracked: dict[UUID, Any],
    simulator: RunningSimulator,
) -> None:
    reports: list[Progress] = []
    figures = collect(scraping, store, reports)
    assert (figures[steps.FETCHES], figures[steps.OUTCOMES]) == (2 * POSTS, {"ok": 2 * POSTS})
    assert {progress.step for progress in reports} == {"collect comments"}
    true = true_comments(simulator, tracked, FIRST_DAY)
    assert figures[steps.COMMENTS] == len(true)
    with ingested(scraping, store) as warehouse:
        assert set(warehouse.execute(LATEST, [FIRST_DAY]).fetchall()) == true
        comment_crawls = warehouse.sql(
            "select video_id, is_complete from raw.comment_walks"
        ).fetchall()
    assert sorted(comment_crawls) == sorted((video_id, True) for video_id in tracked)
    assert collect(scraping, store)[steps.FETCHES] == 0  # nothing is due again yet


@pytest.mark.slow
def test_two_runs_at_once_crawl_a_post_once(
    scraping: Settings,
    store: OperationalStore,
    tracked: dict[UUID, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    others: list[int] = []

    @asynccontextmanager
    async def opening(*arguments: Any) -> AsyncIterator[Any]:
        monkeypatch.undo()
        others.append((await asyncio.to_thread(collect, scraping, store))[steps.FETCHES])
        async with open_provider(*arguments) as provider:
            yield provider

    monkeypatch.setitem(globals(), "open_provider", opening)
    assert collect(scraping, store)[steps.FETCHES] == len(tracked)
    assert set(others) == {0}


def test_a_later_crawl_adds_changes_and_keeps_earlier_comments(
    scraping: Settings,
    store: OperationalStore,
    tracked: dict[UUID, Any],
    simulator: RunningSimulator,
) -> None:
    collect(scraping, store)
    before = true_comments(simulator, tracked, FIRST_DAY)
    with ingested(scraping, store):
        later = FIRST_DAY + timedelta(days=30)
        visible = {
            video_id: post
            for video_id, post in tracked.items()
            if (
                creator_post := simulator.world.find_post(
                    post.platform, post.platform_video_id, later
                )
            )
            and simulator.world.visible_post(*creator_post, later)
        }
    simulator.set_now(later)
    collect(scraping.at(later), store)
    after = true_comments(simulator, visible, later)
    with ingested(scraping.at(later), store) as warehouse:
        assert set(warehouse.execute(LATEST, [FIRST_DAY]).fetchall()) == before
        assert set(warehouse.execute(LATEST, [later]).fetchall()) == after
    assert {row[1] for row in before} - {row[1] for row in after}  # some were deleted


def test_before_the_first_publication_no_comments_are_requested(
    scraping: Settings, store: OperationalStore, organization: NewOrganization
) -> None:
    add_video(store, organization, "1", posted_at=FIRST_DAY - timedelta(days=9))
    assert collect(scraping, store)[steps.FETCHES] == 0
    assert incoming(scraping.landing_path) == []


def test_while_nothing_can_be_landed_no_comment_is_requested(
    scraping: Settings,
    store: OperationalStore,
    tracked: dict[UUID, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(_file: int) -> None:
        raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT))

    assert tracked
    monkeypatch.setattr(os, "fsync", refuse)
    reports: list[Progress] = []
    with pytest.raises(OSError, match="quota"):
        collect(scraping, store, reports)
    assert reports == []


@pytest.mark.slow
def test_a_provider_without_comments_is_left_alone(
    scraping: Settings, store: OperationalStore, tracked: dict[UUID, Any]
) -> None:
    official = scraping.model_copy(
        update={
            "instagram_provider": "graph",
            "instagram_graph_user_id": "17841400000000000",
            "instagram_graph_access_token": SecretStr("a-made-up-token"),
        }
    )
    assert collect(official, store)[steps.OUTCOMES] == {"ok": POSTS}


@pytest.mark.slow
def test_an_account_of_a_tracked_post_is_named_to_the_platform(
    scraping: Settings,
    store: OperationalStore,
    organization: NewOrganization,
    simulator: RunningSimulator,
) -> None:
    [post, *_] = posts_to_crawl(simulator, "tiktok")
    account = add_account(store, organization, post.handle)
    video_id = add_video(
        store, organization, post.platform_video_id, account=account, posted_at=post.posted_at
    )
    publish_counts(scraping, organization, {video_id: post.comment_count})
    reports: list[Progress] = []
    collect(scraping, store, reports)
    assert [progress.note for progress in reports] == [post.handle]


@pytest.mark.slow
def test_a_long_comment_run_leaves_the_rest_to_the_next_one(
    scraping: Settings,
    store: OperationalStore,
    tracked: dict[UUID, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as in_a_hurry:
        in_a_hurry.setattr("orchestration.defs.scrape.LONGEST_SECONDS", 0.0)
        assert collect(scraping, store)[steps.FETCHES] == 0
    assert collect(scraping, store)[steps.FETCHES] == len(tracked)


@pytest.mark.slow
def test_a_crawl_ends_once_another_process_crawls(
    scraping: Settings,
    store: OperationalStore,
    tracked: dict[UUID, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Otherwise both crawl, and pay for, the same comments after a restart of PostgreSQL."""
    answers = iter([False, False])

    @contextmanager
    def taken_over(*_asked: Any, **_how: Any) -> Iterator[Any]:
        yield SimpleNamespace(is_set=lambda: next(answers, True))

    with monkeypatch.context() as restarted:
        restarted.setattr("orchestration.defs.scrape.long_lock", taken_over)
        assert collect(scraping, store)[steps.FETCHES] == 1
    assert collect(scraping, store)[steps.FETCHES] == len(tracked) - 1


@pytest.mark.slow
def test_a_platforms_pause_does_not_stop_crawls_of_another(
    scraping: Settings,
    store: OperationalStore,
    tracked: dict[UUID, Any],
    simulator: RunningSimulator,
) -> None:
    limited = Fault(kind=FaultKind.RATE_LIMITED, path="/tiktok/*", retry_after_seconds=3000)
    with running_simulator(simulator.world, faults=Faults(rules=(limited,))) as strict:
        strict.set_now(FIRST_DAY)
        facing = scraping.model_copy(
            update={"tiktok_base_url": strict.tiktok_url, "scrape_concurrency": 1}
        )
        with DagsterInstance.ephemeral() as instance:
            result = materialize(
                [comments],
                instance=instance,
                resources={
                    "settings": facing,
                    "store": store,
                    "open_provider": open_provider,
                    "on_progress": lambda _progress: None,
                },
            )
    [materialization] = result.asset_materializations_for_node(COMMENTS.to_python_identifier())
    assert materialization.metadata[steps.OUTCOMES].value == {"ok": POSTS}
    [check] = result.get_asset_check_evaluations()
    assert not check.passed
    assert "requested a pause" in (check.description or "")


class Pausing:
    """A provider whose routes pause: it sends no request."""

    platform = name = "pausing"

    def __getattr__(self, _name: str) -> Any:
        async def not_asked(*_target: Any) -> ScrapeReport | None:
            return ScrapeReport(outcome=Outcome.CHALLENGED, source="own", was_sent=False)

        return not_asked


@pytest.mark.slow
def test_unrequested_fetches_stay_due_and_use_no_daily_budget(
    scraping: Settings,
    store: OperationalStore,
    tracked: dict[UUID, Any],
) -> None:
    @asynccontextmanager
    async def pausing(*_asked: Any) -> AsyncIterator[Any]:
        yield Pausing()

    buffer = open_buffer(scraping, store, lambda _fetch: None)
    asyncio.run(_collect(scraping, due_comments(scraping, store), buffer, pausing))
    assert collect(scraping, store)[steps.OUTCOMES] == {"ok": len(tracked)}
