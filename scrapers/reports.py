"""Makes reports of failed fetches, with what was read before the failure."""

from scrapers.outcomes import ScrapeError
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
    """Return the report of an error, with what was read before it."""
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
        comment_crawl=comment_crawl,
        goes_on=goes_on,
        was_sent=was_sent,
        wait_seconds=None if was_sent else error.pause_seconds,
    )
