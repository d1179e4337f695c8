"""A comment crawl: the post's page, then queries."""

from scrapers.comments import CommentPage, CommentPaging, explain_no_comments, require_progress
from scrapers.instagram import parse
from scrapers.instagram.client import InstagramClient
from scrapers.instagram.comments import COMMENT_QUERY, parse_comments, parse_first_comments
from scrapers.instagram.settings import routes
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.provider import Clock
from scrapers.reports import failed
from scrapers.snapshots import ScrapeReport, VideoSnapshot


async def crawl_comments(client: InstagramClient, pk: str, clock: Clock) -> ScrapeReport:
    """Read a post and its comments. A refusal's report has what was read before."""
    route = routes().comments
    videos: tuple[VideoSnapshot, ...] = ()
    paging = CommentPaging(
        first_cursor=None, pages=route.pages, fruitless_pages=route.fruitless_pages
    )
    try:
        video, first = await _post_page(client, pk, clock)
        videos = (video,)
        if first:
            paging.add_page(first)
        while paging.goes_on:
            paging.add_page(await _next_page(client, pk, paging.cursor, clock))
        require_progress(paging)
        if paging.saw_nothing:
            explain_no_comments(video)
    except ScrapeError as error:
        return failed(
            error, COMMENT_QUERY, videos=videos, comment_crawl=paging.comment_crawl(*videos)
        )
    return ScrapeReport(
        outcome=Outcome.OK,
        source=COMMENT_QUERY,
        videos=videos,
        comment_crawl=paging.comment_crawl(*videos),
    )


async def _post_page(
    client: InstagramClient, pk: str, clock: Clock
) -> tuple[VideoSnapshot, CommentPage | None]:
    with client.http.circuit(parse.POST_PAGE):
        html, captured_at = await client.post_page(pk), clock()
        video = parse.parse_post_page(html, pk=pk, captured_at=captured_at)
        return video, parse_first_comments(html, pk=pk, captured_at=captured_at)


async def _next_page(
    client: InstagramClient, pk: str, cursor: str | None, clock: Clock
) -> CommentPage:
    with client.http.circuit(COMMENT_QUERY):
        text = await client.comments(pk, cursor)
        return parse_comments(text, pk=pk, captured_at=clock())
