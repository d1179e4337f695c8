"""Listing all posts page by page: where it continues, when it restarts, and that it always ends."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from itertools import count

import pytest

from orchestration.scraping import listing
from orchestration.scraping.fetches import Fetch, Listing, landing_rows
from orchestration.scraping.listing import MOST_FRUITLESS, CutListing, list_posts
from scrapers.outcomes import Outcome
from scrapers.snapshots import AccountTarget, PageCursor, ScrapeReport
from tests.orchestration.own_provider import COUNTED, DEMO, NOON

EARLIER = NOON.replace(hour=2)


def at(page: int) -> PageCursor:
    return PageCursor("own", str(page))


@dataclass
class Pages:
    """A list of pages, each with one new post and the last of the page before; some are refused."""

    pages: int = 4
    refused: dict[int, Outcome] = field(default_factory=dict)
    numbers: list[int] = field(default_factory=list)

    async def __call__(self, target: AccountTarget) -> Fetch:
        page = int(target.cursor_of("own") or 0)
        assert target.by_pages
        self.numbers.append(page)
        if page in self.refused:
            page_cursor = target.behind
            report = ScrapeReport(outcome=self.refused[page], source="own", goes_on=page_cursor)
        else:
            posts = tuple(
                replace(COUNTED, platform_video_id=str(number)) for number in (page, page + 1)
            )
            is_last = page + 1 == self.pages
            report = ScrapeReport(
                outcome=Outcome.OK,
                source="own",
                videos=posts,
                reached_known=is_last,
                goes_on=None if is_last else at(page + 1),
            )
        return Fetch(
            job_type="discover_videos",
            target=target,
            job_id=None,
            report=report,
            started_at=NOON,
            finished_at=NOON,
        )


def cut(page: int) -> CutListing:
    return CutListing(page_cursor=at(page), began_at=EARLIER, pages=page, posts=frozenset())


async def fetches(
    discover: Callable[[AccountTarget], Awaitable[Fetch]], cut: CutListing | None = None
) -> list[Fetch]:
    return [fetch async for fetch in list_posts(discover, DEMO, cut)]


async def test_each_page_is_reported_once_with_the_listings_progress() -> None:
    *pages, last = await fetches(Pages())
    assert [fetch.listing for fetch in (*pages, last)] == [
        Listing(began_at=NOON, pages=1, page_cursor=at(1), posts=2),
        Listing(began_at=NOON, pages=2, page_cursor=at(2), posts=3),
        Listing(began_at=NOON, pages=3, page_cursor=at(3), posts=4),
        Listing(began_at=NOON, pages=4, page_cursor=None, posts=5),
    ]
    assert [fetch.goes_on for fetch in (*pages, last)] == [True, True, True, False]
    rows = landing_rows([*pages, last])
    assert [row["platform_video_id"] for row in rows.posts] == ["0", "1", "2", "3", "4"]
    [outcome] = rows.outcomes
    assert (outcome["videos_seen"], outcome["reached_known"]) == (5, True)


async def test_a_list_of_one_page_is_an_ordinary_discovery() -> None:
    [fetch] = await fetches(Pages(pages=1))
    assert (fetch.listing, fetch.goes_on) == (None, False)
    assert not landing_rows([fetch]).listings


async def test_a_cut_listing_continues_after_its_last_page() -> None:
    pages = Pages()
    *_, last = await fetches(pages, cut(2))
    assert pages.numbers == [2, 3]
    assert last.listing == Listing(began_at=EARLIER, pages=4, page_cursor=None, posts=3)


@pytest.mark.parametrize("outcome", [Outcome.RATE_LIMITED, Outcome.BLOCKED_SILENT])
async def test_a_refusal_cuts_the_listing(outcome: Outcome) -> None:
    pages = Pages(refused={2: outcome})
    *_, last = await fetches(pages)
    assert (last.report.outcome, last.goes_on) == (outcome, False)
    assert last.listing == Listing(began_at=NOON, pages=2, page_cursor=at(2), posts=3)
    [row] = landing_rows([last]).listings
    assert (row["cursor"], row["reached_known"]) == ("2", False)


async def test_a_rejected_cursor_restarts_the_listing_once() -> None:
    pages = Pages(refused={3: Outcome.SCHEMA_CHANGED})
    *_, last = await fetches(pages, cut(3))
    assert pages.numbers == [3, 0, 1, 2, 3]
    assert last.listing == Listing(began_at=NOON, pages=3, page_cursor=at(3), posts=4)


@pytest.mark.parametrize(
    ("outcome", "numbers"), [(Outcome.BLOCKED_SILENT, [3, 0]), (Outcome.RATE_LIMITED, [3])]
)
async def test_a_listing_keeps_its_cursor_if_the_platform_refuses_everything(
    outcome: Outcome, numbers: list[int]
) -> None:
    pages = Pages(refused={0: outcome, 3: outcome})
    [fetch] = await fetches(pages, cut(3))
    assert pages.numbers == numbers
    assert fetch.listing == Listing(began_at=EARLIER, pages=3, page_cursor=at(3), posts=0)


async def test_it_ends_where_pages_repeat_under_other_cursors() -> None:
    numbers = count(1)

    async def repeating(target: AccountTarget) -> Fetch:
        fetch = await Pages()(replace(target, behind=None))
        return replace(fetch, report=replace(fetch.report, goes_on=at(next(numbers))))

    *_, last = await fetches(repeating)
    assert (next(numbers), last.goes_on) == (1 + 1 + MOST_FRUITLESS, False)
    assert (last.report.outcome, last.report.reached_known) == (Outcome.BLOCKED_SILENT, False)
    assert last.listing == Listing(
        began_at=NOON, pages=1 + MOST_FRUITLESS, page_cursor=at(1 + MOST_FRUITLESS), posts=2
    )


async def test_it_ends_at_repeated_cursors(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = Pages(pages=10**9)

    async def in_circles(target: AccountTarget) -> Fetch:
        fetch = await pages(target)
        return replace(fetch, report=replace(fetch.report, goes_on=at(len(pages.numbers) % 3)))

    *_, last = await fetches(in_circles)
    assert (len(pages.numbers), last.goes_on) == (4, False)
    monkeypatch.setattr(listing, "MOST_PAGES", 7)
    *_, last = await fetches(Pages(pages=10**9))
    assert last.listing == Listing(began_at=NOON, pages=7, page_cursor=at(7), posts=8)
    assert not last.goes_on
