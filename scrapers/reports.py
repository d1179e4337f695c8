"""Makes reports of fetches; of failed ones with what was read before the failure."""

from collections.abc import Awaitable
from dataclasses import replace

from scrapers.outcomes import Outcome, ScrapeError
from scrapers.payload import clean_text
from scrapers.snapshots import (
    AccountSnapshot,
    CommentCrawl,
    PageCursor,
    ScrapeReport,
    VideoSnapshot,
)


def failed(
    error: ScrapeError,
    source: str,
    *,
    account: AccountSnapshot | None = None,
    videos: tuple[VideoSnapshot, ...] = (),
    comment_crawl: CommentCrawl | None = None,
    goes_on: PageCursor | None = None,
) -> ScrapeReport:
    """Return the report of an error, with what was read before it.

    No comment crawl that failed is complete: an empty list may be a refusal.
    """
    was_sent = error.was_sent or bool(
        account or videos or (comment_crawl and comment_crawl.comments)
    )
    return ScrapeReport(
        outcome=error.outcome,
        source=source,
        detail=clean_text(error.detail),
        http_status=error.http_status,
        raw_sample=clean_text(error.raw_sample) if error.raw_sample else None,
        account=account,
        videos=videos,
        comment_crawl=replace(comment_crawl, is_complete=False) if comment_crawl else None,
        goes_on=goes_on,
        was_sent=was_sent,
        wait_seconds=None if was_sent else error.pause_seconds,
    )


async def profile_report(reading: Awaitable[AccountSnapshot], source: str) -> ScrapeReport:
    """Return the report of a profile; `source` is that of a failure."""
    try:
        account = await reading
    except ScrapeError as error:
        return failed(error, source)
    return ScrapeReport(outcome=Outcome.OK, source=account.source, account=account)


async def post_report(reading: Awaitable[VideoSnapshot], source: str) -> ScrapeReport:
    """Return the report of a post; `source` is that of a failure."""
    try:
        video = await reading
    except ScrapeError as error:
        return failed(error, source)
    return ScrapeReport(outcome=Outcome.OK, source=video.source, videos=(video,))
