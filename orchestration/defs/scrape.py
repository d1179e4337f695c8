"""Scrapes: from the platforms to landed batches, one asset per platform, and one for comments.

A platform's step fetches queued scrape jobs first. Then it fetches what the schedule has due, or
every account and the posts that account fetches do not refresh.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Coroutine, Iterable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from functools import partial
from hashlib import sha256
from itertools import takewhile
from time import monotonic
from typing import Any

from dagster import (
    AssetCheckResult,
    AssetExecutionContext,
    AssetKey,
    AssetsDefinition,
    AssetSpec,
    Config,
    DagsterExecutionInterruptedError,
    FreshnessPolicy,
    MaterializeResult,
    ResourceParam,
    multi_asset,
)
from duckdb import IOException
from structlog import get_logger

from orchestration.resources.providers import OpenProvider
from orchestration.running.interrupts import Result, run_until_signal
from orchestration.running.progress import OnProgress, silent
from orchestration.scraping.crawl import Buffer, crawl
from orchestration.scraping.crawl_report import (
    answered_check,
    pause_reports,
    progress_reports,
    reported,
)
from orchestration.scraping.failures import is_unreachable, retry_unless_spent
from orchestration.scraping.fetches import Fetch, fetch_one
from orchestration.scraping.patience import Patience
from orchestration.scraping.worker import Scope, fetch_platform, open_buffer
from scrapers.provider import Clock, CommentProvider, Provider
from scrapers.snapshots import PostTarget
from scrapers.transport.pacing import Share
from warehouse.landing.opening import open_landing
from warehouse.operational.clock import refuse_wrong_clock
from warehouse.operational.session_lock import long_lock
from warehouse.operational.store import OperationalStore
from warehouse.platforms import PLATFORMS
from warehouse.publication.current import CurrentPublication, NoPublication
from warehouse.registration.register import register_before_fetching
from warehouse.scrape_jobs.comment_targets import CommentsToCollect, comments_due
from warehouse.settings import MAIN_SHARD, Settings

FETCHED_LATELY = FreshnessPolicy.time_window(
    warn_window=timedelta(hours=3), fail_window=timedelta(hours=26)
)


log = get_logger(__name__)


class CrawlConfig(Config):
    scope: Scope = Scope.EVERYTHING


def scrape_asset(platform: str) -> AssetsDefinition:
    key = AssetKey(["landing", platform])

    spec = AssetSpec(
        key,
        group_name="scrape",
        kinds={"python", "parquet"},
        freshness_policy=FETCHED_LATELY,
        description=f"Profiles, posts and counters as {platform} showed them, with the outcome of "
        "every fetch: immutable Parquet batches.",
    )

    @multi_asset(
        name=key.to_python_identifier(),
        specs=[spec],
        check_specs=[answered_check(key, platform)],
        can_subset=True,  # else Dagster 1.12 requires a check's result even without fetches
    )
    def landed(  # noqa: PLR0917  Dagster passes them by name
        context: AssetExecutionContext,
        config: CrawlConfig,
        settings: ResourceParam[Settings],
        store: ResourceParam[OperationalStore],
        open_provider: ResourceParam[OpenProvider],
        on_progress: ResourceParam[OnProgress],
    ) -> Iterator[MaterializeResult[None] | AssetCheckResult]:
        passed = settings, store, platform, open_provider, on_progress, config.scope
        tally = _until_interrupted(fetch_platform(*passed))
        if config.scope is Scope.EVERYTHING and is_unreachable(tally.outcomes):
            retry_unless_spent(context.retry_number)  # other scopes would find nothing due
        yield from reported(key, platform, tally)

    return landed


def _until_interrupted(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine, which a signal cancels; Dagster's own handler would raise anywhere.

    Logs an error, because Dagster stores none while PostgreSQL is away.
    """
    try:
        return run_until_signal(coroutine)
    except SystemExit:
        raise DagsterExecutionInterruptedError from None
    except Exception as error:
        log.error("fetches_failed", error=f"{type(error).__name__}: {error}")  # noqa: TRY400
        raise


SCRAPES = [scrape_asset(platform) for platform in PLATFORMS]
LANDED = [scrape.key for scrape in SCRAPES]


# One asset for all platforms, since they share an organization's daily comment budget. It uses at
# most a share of the pace, so that profiles and counters get the rest.

COMMENTS = AssetKey(["landing", "comments"])
LONGEST_SECONDS = 20 * 60.0
"""No comment crawl begins after this time, so that the run can publish. The next run continues with
the posts that are still due."""


@multi_asset(
    name=COMMENTS.to_python_identifier(),
    specs=[
        AssetSpec(
            COMMENTS,
            group_name="scrape",
            kinds={"python", "parquet"},
            description="Comments as platforms showed them, with the outcome of every comment "
            "crawl: immutable Parquet batches.",
        )
    ],
    check_specs=[answered_check(COMMENTS, "a platform")],
    can_subset=True,  # as in scrape_asset: without fetches there is no check
)
def comments(
    settings: ResourceParam[Settings],
    store: ResourceParam[OperationalStore],
    open_provider: ResourceParam[OpenProvider],
    on_progress: ResourceParam[OnProgress],
) -> Iterator[MaterializeResult[None] | AssetCheckResult]:
    """Crawl due comments and land them, until another process does."""
    buffer = open_buffer(settings, store, progress_reports("collect comments", on_progress))
    register_before_fetching(store, settings)
    with long_lock(store, _lock_number(settings), waits=False) as is_elsewhere:
        if due := {} if is_elsewhere.is_set() else due_comments(settings, store):
            open_landing(settings).check()
        ours = {
            platform: takewhile(lambda _post: not is_elsewhere.is_set(), posts)
            for platform, posts in due.items()
        }
        _until_interrupted(_collect(settings, ours, buffer, open_provider, on_progress=on_progress))
    yield from reported(COMMENTS, "the platforms", buffer.tally)


def _lock_number(settings: Settings) -> int:
    """Return the lock of a shard's comments: two runs would crawl, and pay for, the same."""
    name = f"comments of {settings.shard or MAIN_SHARD}"
    return int.from_bytes(sha256(name.encode()).digest()[:8], signed=True)


def due_comments(settings: Settings, store: OperationalStore) -> dict[str, list[CommentsToCollect]]:
    """Return the posts whose comments are due, by platform; none without a readable publication."""
    by_platform: dict[str, list[CommentsToCollect]] = defaultdict(list)
    current = CurrentPublication(settings.publications_path)
    try:
        with current.cursor() as publication, store.read_session() as session:
            refuse_wrong_clock(session)
            for post in comments_due(session, publication, settings.clock()):
                by_platform[post.platform].append(post)
    except (NoPublication, IOException):  # or a program that may write has it open
        return {}
    finally:
        current.close()
    return by_platform


async def _collect(
    settings: Settings,
    due: Mapping[str, Iterable[CommentsToCollect]],
    buffer: Buffer,
    open_provider: OpenProvider,
    *,
    on_progress: OnProgress = silent,
) -> None:
    """Crawl all platforms concurrently."""
    share = Share("comments", settings.comment_requests_per_second)
    try:
        async with asyncio.TaskGroup() as platforms:
            for platform, posts in due.items():
                on_wait = pause_reports(platform, on_progress)
                patience = Patience(settings.scrape_patience_seconds, on_wait=on_wait)
                opening = open_provider(settings, platform, share)
                platforms.create_task(_collect_on(settings, posts, buffer, opening, patience))
    except ExceptionGroup as broken:
        raise broken.exceptions[0] from None  # the first error is the cause


async def _collect_on(
    settings: Settings,
    posts: Iterable[CommentsToCollect],
    buffer: Buffer,
    opening: AbstractAsyncContextManager[Provider],
    patience: Patience,
) -> None:
    """Crawl one platform, unless its provider has no comments."""
    ends_at = monotonic() + LONGEST_SECONDS
    async with opening as provider:
        if isinstance(provider, CommentProvider):
            in_time = takewhile(lambda _post: monotonic() < ends_at, posts)
            comment_crawls = (
                partial(_comment_crawl, provider, settings.clock, patience, post)
                for post in in_time
            )
            await crawl(comment_crawls, buffer, concurrency=settings.scrape_concurrency)


async def _comment_crawl(
    provider: CommentProvider, clock: Clock, patience: Patience, post: CommentsToCollect
) -> AsyncIterator[Fetch]:
    """Crawl a post's comments."""
    target = PostTarget(
        platform=post.platform, platform_video_id=post.platform_video_id, handle=post.handle
    )
    fetch = await fetch_one(
        "video_comments",
        target,
        partial(provider.comments, target),
        clock=clock,
        patience=patience,
        video_ids=post.video_ids,
    )
    yield fetch
