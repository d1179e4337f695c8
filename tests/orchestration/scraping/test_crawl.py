"""Many account fetches land in bounded batches, even if one fails."""

import asyncio
import errno
import os
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from threading import Event
from uuid import UUID, uuid4

import polars as pl
import pytest

from orchestration.scraping.crawl import (
    COMMENTS_PER_BATCH,
    FETCHES_PER_BATCH,
    AccountFetch,
    Buffer,
    crawl,
)
from orchestration.scraping.fetches import Fetch
from scrapers.outcomes import Outcome
from scrapers.snapshots import (
    AccountTarget,
    CommentCrawl,
    CommentSnapshot,
    PostTarget,
    ScrapeReport,
)
from warehouse.landing.batches import incoming
from warehouse.landing.in_folder import FolderLanding
from warehouse.landing.writer import LandingWriter
from warehouse.operational.clock import WrongClockError

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


def account_fetch_to(number: int) -> AccountFetch:
    async def account_fetch() -> AsyncIterator[Fetch]:
        yield Fetch(
            job_type="creator_profiles",
            target=AccountTarget(platform="tiktok", handle=f"creator{number}"),
            job_id=None,
            report=ScrapeReport(outcome=Outcome.OK, source="own"),
            started_at=NOON,
            finished_at=NOON,
        )

    return account_fetch


async def broken() -> AsyncIterator[Fetch]:
    raise RuntimeError("a bug of the provider")
    yield


def landed_handles(landing: Path) -> list[list[str]]:
    return [
        pl.read_parquet(batch.path / "outcomes.parquet")["handle"].to_list()
        for batch in incoming(landing)
    ]


@pytest.fixture
def buffer(tmp_path: Path) -> Buffer:
    return Buffer(LandingWriter(FolderLanding(tmp_path)), lambda _fetch: None)


async def test_fetches_land_in_batches_of_bounded_size(tmp_path: Path, buffer: Buffer) -> None:
    fetches = 2 * FETCHES_PER_BATCH + 1
    await crawl((account_fetch_to(number) for number in range(fetches)), buffer, concurrency=8)
    batches = landed_handles(tmp_path)
    assert [len(batch) for batch in batches] == [FETCHES_PER_BATCH, FETCHES_PER_BATCH, 1]
    assert {handle for batch in batches for handle in batch} == {
        f"creator{number}" for number in range(fetches)
    }
    assert buffer.tally.outcomes == {"ok": fetches}
    assert len(buffer.tally.batches) == 3


async def test_earlier_fetches_land_when_an_account_fetch_breaks(
    tmp_path: Path, buffer: Buffer
) -> None:
    with pytest.raises(RuntimeError, match="a bug of the provider"):
        await crawl([account_fetch_to(1), broken], buffer, concurrency=1)
    assert landed_handles(tmp_path) == [["creator1"]]


async def test_no_job_ends_whose_first_batch_was_lost(
    tmp_path: Path, buffer: Buffer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a job's last fetch ends it although the readings of its other posts are lost."""
    is_last_read, sync, full = Event(), os.fsync, iter([True])

    async def last() -> AsyncIterator[Fetch]:
        async for fetch in account_fetch_to(FETCHES_PER_BATCH)():
            yield replace(fetch, job_id=uuid4())
        is_last_read.set()

    def fail_once(file: int) -> None:
        if next(full, False):
            assert is_last_read.wait(60)
            raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT))
        sync(file)

    monkeypatch.setattr(os, "fsync", fail_once)
    first = (account_fetch_to(number) for number in range(FETCHES_PER_BATCH))
    with pytest.raises(OSError, match="quota"):
        await crawl(chain(first, [last]), buffer, concurrency=4)
    [batch] = incoming(tmp_path)
    outcomes = pl.read_parquet(batch.path / "outcomes.parquet")
    assert outcomes.select("handle", "job_id").rows() == [(f"creator{FETCHES_PER_BATCH}", None)]
    assert buffer.tally.jobs == set()


async def test_a_fetch_that_was_left_ends_the_crawl_without_an_outcome(
    tmp_path: Path, buffer: Buffer
) -> None:
    """They are left for the next crawl: they are neither used up nor counted as refused."""
    numbers: list[int] = []

    def account_fetches() -> Iterator[AccountFetch]:
        for number in range(1000):
            numbers.append(number)
            yield account_fetch_to(number) if number < 3 else rate_limited

    await crawl(account_fetches(), buffer, concurrency=1)
    assert numbers == [0, 1, 2, 3]
    assert landed_handles(tmp_path) == [["creator0", "creator1", "creator2"]]
    assert (buffer.tally.outcomes, buffer.tally.wait_seconds) == ({"ok": 3}, 300)


async def rate_limited() -> AsyncIterator[Fetch]:
    report = ScrapeReport(outcome=Outcome.RATE_LIMITED, source="own", wait_seconds=300)
    async for fetch in account_fetch_to(0)():
        yield replace(fetch, report=report)


async def test_without_account_fetches_nothing_lands(tmp_path: Path, buffer: Buffer) -> None:
    await crawl([], buffer, concurrency=4)
    assert landed_handles(tmp_path) == []


def crawl_of(number: int, comments: int) -> AccountFetch:
    """A crawl of a post with this many comments, without a job."""
    comment = CommentSnapshot(
        platform="tiktok",
        platform_video_id=str(number),
        platform_comment_id="1",
        text="hello",
        like_count=None,
        reply_count=None,
        author_unique_id=None,
        author_nickname=None,
        posted_at=None,
        source="own",
        captured_at=NOON,
    )
    comment_crawl = CommentCrawl(
        comments=(comment,) * comments, is_complete=True, platform_comment_count=None
    )

    async def account_fetch() -> AsyncIterator[Fetch]:
        yield Fetch(
            job_type="video_comments",
            target=PostTarget(platform="tiktok", platform_video_id=str(number)),
            job_id=None,
            report=ScrapeReport(outcome=Outcome.OK, source="own", comment_crawl=comment_crawl),
            started_at=NOON,
            finished_at=NOON,
        )

    return account_fetch


@pytest.mark.slow
async def test_crawls_that_bring_many_comments_land_sooner(tmp_path: Path, buffer: Buffer) -> None:
    half = COMMENTS_PER_BATCH // 2
    await crawl((crawl_of(number, half) for number in range(3)), buffer, concurrency=1)
    landed = [pl.read_parquet(b.path / "comments.parquet").height for b in incoming(tmp_path)]
    assert landed == [2 * half, half]
    assert buffer.tally.comments == 3 * half
    comment_crawls = [pl.read_parquet(b.path / "comment_walks.parquet") for b in incoming(tmp_path)]
    assert pl.concat(comment_crawls)["collected_count"].to_list() == [half] * 3
    assert not any(batch.file("outcomes") for batch in incoming(tmp_path))


@pytest.mark.parametrize("is_found_at_landing", [True, False])
async def test_after_a_comparison_with_a_wrong_clock_nothing_more_lands(
    is_found_at_landing: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Readings have that time, even if the clock was corrected since."""
    every = "LANDS_EVERY" if is_found_at_landing else "EXTENDS_EVERY"
    monkeypatch.setattr(f"orchestration.scraping.crawl.{every}", 0.01)
    is_fetched, compared = Event(), list[bool]()

    def compare() -> None:
        if is_fetched.is_set():
            compared.append(True)
            if len(compared) == 1:
                raise WrongClockError

    async def account_fetch() -> AsyncIterator[Fetch]:
        async for fetch in account_fetch_to(1)():
            yield fetch
        is_fetched.set()
        await asyncio.Event().wait()

    writer = LandingWriter(FolderLanding(tmp_path))
    buffer = Buffer(writer, lambda _fetch: None, compare_clocks=compare)
    with pytest.raises(WrongClockError):
        await asyncio.wait_for(crawl([account_fetch], buffer, concurrency=1), 60)
    assert compared
    assert incoming(tmp_path) == []


async def test_a_stopped_crawl_ends_after_its_renewal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end that the renewal writes identifies the leases to give back."""
    monkeypatch.setattr("orchestration.scraping.crawl.EXTENDS_EVERY", 0.01)
    started, answered, renewed = asyncio.Event(), Event(), []
    loop = asyncio.get_running_loop()

    def renew() -> None:
        loop.call_soon_threadsafe(started.set)
        answered.wait(20)
        renewed.append(True)

    async def endless() -> AsyncIterator[Fetch]:
        await asyncio.Event().wait()
        yield

    buffer = Buffer(LandingWriter(FolderLanding(tmp_path)), lambda _fetch: None)
    stopped = asyncio.create_task(crawl([endless], buffer, concurrency=1, renew=renew))
    await started.wait()
    stopped.cancel()
    loop.call_later(0.2, answered.set)
    with pytest.raises(asyncio.CancelledError):
        await stopped
    assert renewed == [True]


@pytest.mark.parametrize("is_crawling", [True, False])
async def test_leases_are_renewed_while_a_batch_waits_for_its_registration(
    is_crawling: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise other workers fetch, and pay for, the landed posts again."""
    for every in ("LANDS_EVERY", "EXTENDS_EVERY"):
        monkeypatch.setattr(f"orchestration.scraping.crawl.{every}", 0.01)
    is_waiting, is_renewed = Event(), Event()

    def register(_batch_id: UUID) -> None:
        is_waiting.set()
        assert is_renewed.wait(20)

    def renew() -> None:
        if is_waiting.is_set():
            is_renewed.set()

    async def slow() -> AsyncIterator[Fetch]:
        assert await asyncio.to_thread(is_renewed.wait, 60)
        async for fetch in account_fetch_to(2)():
            yield fetch

    waiting = Buffer(LandingWriter(FolderLanding(tmp_path)), lambda _fetch: None, register)
    others = [slow] if is_crawling else []
    await crawl([account_fetch_to(1), *others], waiting, concurrency=1, renew=renew)
    assert waiting.tally.outcomes == {"ok": 1 + len(others)}
