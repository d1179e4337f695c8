"""One fetch: its request, its outcome, and its landing rows.

`account_fetches` has the fetches of an account; `crawl` runs account fetches concurrently.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

import httpx
import structlog

from orchestration.scraping.patience import NONE, Patience
from scrapers.outcomes import Outcome
from scrapers.provider import Clock
from scrapers.snapshots import AccountTarget, CommentSnapshot, PageCursor, PostTarget, ScrapeReport

JobType = Literal["creator_profiles", "discover_videos", "video_stats", "video_comments"]
Row = dict[str, Any]
NETWORK = (OSError, httpx.HTTPError)
BUGS = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
"""Errors that a provider should report as outcomes, unlike those of PostgreSQL."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Progress of listing all posts of an account, over one or several account fetches.

    `pages` were read in a row since `began_at`. The next page is at `page_cursor`, None at the end.
    `posts` counts the posts on the pages of this account fetch.
    """

    began_at: datetime
    pages: int
    page_cursor: PageCursor | None
    posts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetch:
    """A finished fetch. `job_id` is the queued job that requested it, if any.

    `video_ids` are the registry rows whose comments were crawled. `listing` is set for a discovery
    over several pages or account fetches; while it `goes_on`, this is an intermediate page. A
    discovery that reached known posts shows all from `searched_from` on; None if unknown.
    """

    job_type: JobType
    target: AccountTarget | PostTarget
    job_id: UUID | None
    report: ScrapeReport
    started_at: datetime
    finished_at: datetime
    video_ids: tuple[UUID, ...] = ()
    listing: Listing | None = None
    goes_on: bool = False
    searched_from: datetime | None = None

    @property
    def was_left(self) -> bool:
        """Whether it was deferred: the platform requested a longer pause than the crawl waits."""
        return self.report.wait_seconds is not None

    @property
    def is_put_off(self) -> bool:
        """Whether nothing was requested because routes pause. A spent budget is a result."""
        is_pause = not self.report.was_sent and self.report.outcome is not Outcome.BUDGET_SPENT
        return self.was_left or is_pause


async def fetch_one(
    job_type: JobType,
    target: AccountTarget | PostTarget,
    ask: Callable[[], Awaitable[ScrapeReport]],
    *,
    clock: Clock,
    patience: Patience = NONE,
    job_id: UUID | None = None,
    video_ids: tuple[UUID, ...] = (),
) -> Fetch:
    """Ask a provider, and record the start and end (business time).

    Asks again after a requested pause, as far as `patience` allows.
    """

    async def answers() -> Sequence[ScrapeReport]:
        return [await ask()]

    started_at = clock()
    [report] = await _reports([target], answers())
    while report.wait_seconds is not None and await patience.outlasts(report.wait_seconds):
        started_at = clock()
        [report] = await _reports([target], answers())
    return Fetch(
        job_type=job_type,
        target=target,
        job_id=job_id,
        report=report,
        started_at=started_at,
        finished_at=clock(),
        video_ids=video_ids,
    )


async def fetch_many(
    job_type: JobType,
    targets: Sequence[PostTarget],
    ask: Callable[[Sequence[PostTarget]], Awaitable[Sequence[ScrapeReport]]],
    *,
    clock: Clock,
    patience: Patience = NONE,
) -> AsyncIterator[Fetch]:
    """Ask a provider about many posts at once; yield one fetch each.

    Posts cut off by a pause are asked for again after it, as far as `patience` allows.
    """
    while targets:
        started_at = clock()
        fetches = [
            Fetch(
                job_type=job_type,
                target=target,
                job_id=None,
                report=report,
                started_at=started_at,
                finished_at=clock(),
            )
            for target, report in zip(targets, await _reports(targets, ask(targets)), strict=True)
        ]
        complete, left = ([each for each in fetches if each.was_left is of] for of in (False, True))
        for fetch in complete:  # before the pause, during which the worker may be stopped
            yield fetch
        waits = [fetch.report.wait_seconds or 0 for fetch in left]
        if waits and not await patience.outlasts(max(waits)):
            for fetch in left:
                yield fetch
            return
        targets = [each for each, fetch in zip(targets, fetches, strict=True) if fetch.was_left]


async def _reports(
    targets: Sequence[AccountTarget | PostTarget], answers: Awaitable[Sequence[ScrapeReport]]
) -> Sequence[ScrapeReport]:
    """Return a provider's reports; its bug is an outcome, as later crawls would meet it first."""
    try:
        return [report for _, report in zip(targets, await answers, strict=True)]
    except (*NETWORK, *BUGS) as bug:
        subjects = [getattr(target, "platform_video_id", target.handle) for target in targets]
        log.exception("provider_bug", platform=targets[0].platform, targets=subjects)
        detail = f"a bug of the provider: {type(bug).__name__} (the log has the traceback)"
        outcome = Outcome.UNREACHABLE if isinstance(bug, NETWORK) else Outcome.SCHEMA_CHANGED
        return [ScrapeReport(outcome=outcome, source="bug", detail=detail)] * len(targets)


@dataclass(frozen=True)
class LandingRows:
    """Rows of one landed batch, keyed by the columns of `warehouse.landing.schema`."""

    profiles: list[Row]
    posts: list[Row]
    outcomes: list[Row]
    comments: list[Row]
    comment_walks: list[Row]
    listings: list[Row]


def landing_rows(fetches: Iterable[Fetch]) -> LandingRows:
    """Return the rows of a batch. Each ended fetch has one outcome or comment crawl."""
    rows = LandingRows([], [], [], [], [], [])
    for fetch in fetches:
        if fetch.report.account is not None:
            rows.profiles.append(asdict(fetch.report.account))
        rows.posts.extend(asdict(video) for video in fetch.report.videos)
        if fetch.listing is not None:
            rows.listings.append(_listing_row(fetch, fetch.listing))
        if fetch.job_type == "video_comments":
            rows.comments.extend(asdict(comment) for comment in comments_of(fetch))
            rows.comment_walks.append(_crawl_row(fetch))
        elif not fetch.goes_on:
            rows.outcomes.append(_outcome_row(fetch))
    return rows


def comments_of(fetch: Fetch) -> tuple[CommentSnapshot, ...]:
    return fetch.report.comment_crawl.comments if fetch.report.comment_crawl else ()


def _outcome_row(fetch: Fetch) -> Row:
    report, target = fetch.report, fetch.target
    return {
        "job_id": str(fetch.job_id) if fetch.job_id else None,
        "job_type": fetch.job_type,
        "platform": target.platform,
        "handle": target.handle,
        "platform_user_id": target.platform_user_id if isinstance(target, AccountTarget) else None,
        "platform_video_id": getattr(target, "platform_video_id", None),
        "outcome": report.outcome.value,
        "detail": report.detail,
        "http_status": report.http_status,
        "raw_sample": report.raw_sample,
        "source": report.source,
        "videos_seen": _videos_seen(fetch),
        "reached_known": report.reached_known,
        "searched_from": fetch.searched_from,
        "started_at": fetch.started_at,
        "finished_at": fetch.finished_at,
    }


def _videos_seen(fetch: Fetch) -> int | None:
    if fetch.job_type == "creator_profiles":
        return None
    return fetch.listing.posts if fetch.listing else len(fetch.report.videos)


def _listing_row(fetch: Fetch, listing: Listing) -> Row:
    page_cursor = listing.page_cursor
    return {
        "platform": fetch.target.platform,
        "handle": fetch.target.handle,
        "platform_user_id": getattr(fetch.target, "platform_user_id", None),
        "began_at": listing.began_at,
        "pages": listing.pages,
        "provider": page_cursor and page_cursor.provider,
        "cursor": page_cursor and page_cursor.cursor,
        "reached_known": fetch.report.reached_known,
    }


def _crawl_row(fetch: Fetch) -> Row:
    report, target, comment_crawl = fetch.report, fetch.target, fetch.report.comment_crawl
    return {
        "platform": target.platform,
        "platform_video_id": getattr(target, "platform_video_id", None),
        "outcome": report.outcome.value,
        "detail": report.detail,
        "http_status": report.http_status,
        "raw_sample": report.raw_sample,
        "is_complete": comment_crawl is not None and comment_crawl.is_complete,
        "platform_comment_count": comment_crawl and comment_crawl.platform_comment_count,
        "collected_count": len(comments_of(fetch)),
        "source": report.source,
        "started_at": fetch.started_at,
        "finished_at": fetch.finished_at,
        "video_ids": [str(video_id) for video_id in fetch.video_ids],
    }
