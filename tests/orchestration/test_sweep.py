"""Many visits: landed in bounded batches, whatever happens to one of them."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest

from orchestration.lib.looks import Look
from orchestration.lib.sweep import LOOKS_PER_BATCH, Basket, Visit, sweep
from scrapers.outcomes import Outcome
from scrapers.snapshots import AccountTarget, ScrapeReport
from warehouse.landing.batches import incoming
from warehouse.landing.writer import LandingWriter

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


def visit_to(number: int) -> Visit:
    async def visit() -> AsyncIterator[Look]:
        yield Look(
            job_type="creator_profiles",
            target=AccountTarget(platform="tiktok", handle=f"creator{number}"),
            job_id=None,
            report=ScrapeReport(outcome=Outcome.OK, source="own"),
            started_at=NOON,
            finished_at=NOON,
        )

    return visit


async def broken() -> AsyncIterator[Look]:
    raise RuntimeError("a bug of the provider")
    yield


def landed_handles(landing: Path) -> list[list[str]]:
    return [
        pl.read_parquet(batch.path / "outcomes.parquet")["handle"].to_list()
        for batch in incoming(landing)
    ]


@pytest.fixture
def basket(tmp_path: Path) -> Basket:
    return Basket(LandingWriter(tmp_path), lambda _look: None)


async def test_looks_land_in_batches_of_bounded_size(tmp_path: Path, basket: Basket) -> None:
    looks = 2 * LOOKS_PER_BATCH + 1
    await sweep((visit_to(number) for number in range(looks)), basket, concurrency=8)
    batches = landed_handles(tmp_path)
    assert [len(batch) for batch in batches] == [LOOKS_PER_BATCH, LOOKS_PER_BATCH, 1]
    assert {handle for batch in batches for handle in batch} == {
        f"creator{number}" for number in range(looks)
    }
    assert basket.tally.outcomes == {"ok": looks}
    assert len(basket.tally.batches) == 3


async def test_what_was_seen_lands_when_a_visit_breaks(tmp_path: Path, basket: Basket) -> None:
    with pytest.raises(RuntimeError, match="a bug of the provider"):
        await sweep([visit_to(1), broken], basket, concurrency=1)
    assert landed_handles(tmp_path) == [["creator1"]]


async def test_nothing_to_visit_lands_nothing(tmp_path: Path, basket: Basket) -> None:
    await sweep([], basket, concurrency=4)
    assert landed_handles(tmp_path) == []
