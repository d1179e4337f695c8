"""What fetches take by each provider: requests and money, by hand."""

from decimal import Decimal

import pytest

from scrapers.footprints import Footprint, footprint_of

SOME = {"profiles": 10, "lists": 30, "pages": 40, "posts": 101}


@pytest.mark.parametrize(
    ("platform", "chain", "provider", "lists", "post"),
    [
        ("tiktok", ["web"], "web", 40, 101),
        # where no profile was read before it, the list begins with it
        ("instagram", ["web", "scrapecreators"], "web", 40 + 20, 101),
        ("instagram", ["graph"], "graph", 40, 101),
        ("tiktok", ["display", "scrapecreators"], "scrapecreators", 40, 101),
        # fifty posts a run
        ("tiktok", ["apify"], "apify", 40, 3),
        # which reads no Instagram: a scrape says so, and a forecast is no place to fail
        ("instagram", ["ensembledata"], "ensembledata", 40, 101),
        ("tiktok", ["own.module:Class"], "own.module:Class", 40, 101),
    ],
)
def test_requests_are_those_of_the_first_that_reads_every_account(
    platform: str, chain: list[str], provider: str, lists: int, post: int
) -> None:
    footprint = footprint_of(platform, chain)
    assert footprint.provider == provider
    assert footprint.requests(**SOME) == {"profile": 10, "posts": lists, "post": post}


def price(footprint: Footprint) -> Decimal:
    return footprint.price(profiles=10, pages=40, posts=101)


def test_public_pages_cost_nothing_and_credits_what_they_cost() -> None:
    assert price(footprint_of("tiktok", ["web"])) == 0
    assert price(footprint_of("tiktok", ["scrapecreators"])) == 151 * Decimal("0.00188")


def test_of_a_run_each_result_is_paid_for_and_its_start() -> None:
    """In hundredths of a cent: 30, 30 and 37 a result, twenty a list, 10 a run of posts."""
    units = 10 * 30 + 40 * 20 * 30 + 101 * 37 + 3 * 10
    assert price(footprint_of("tiktok", ["apify"])) == units * Decimal("0.0001")
