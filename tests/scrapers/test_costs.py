"""The guide's costs per day follow from the providers' price data."""

import re
from decimal import ROUND_HALF_UP, Decimal

import pytest

from scrapers.paid.settings import POST, POSTS, Route
from scrapers.registry import PAID
from warehouse.settings import REPOSITORY

GUIDE = (REPOSITORY / "docs/guides/scrape.md").read_text(encoding="utf-8")
POSTS_A_DAY = 1000


def usd(name: str, route: Route) -> str:
    """Return the dollars per day, to the cent."""
    answers = -(-POSTS_A_DAY // route.posts)
    cost = answers * route.units * PAID[name].price.usd_per_unit
    return f"${cost.quantize(Decimal('0.01'), ROUND_HALF_UP)}"


@pytest.mark.parametrize("name", list(PAID))
def test_a_thousand_posts_a_day_cost_what_the_guide_says(name: str) -> None:
    [row] = re.findall(rf"^\| commercial provider: `{name}` \|.*$", GUIDE, re.MULTILINE)
    routes = PAID[name]
    for platform, title in (("tiktok", "TikTok"), ("instagram", "Instagram")):
        if read := routes.of(platform):
            assert f"{title} {usd(name, read[POSTS])}" in row
            assert usd(name, read[POST]) in row


@pytest.mark.parametrize("name", list(PAID))
def test_the_guide_names_the_providers_and_date_of_the_prices(name: str) -> None:
    price = PAID[name].price
    assert f"{price.as_of:%-d %B %Y}" in GUIDE
    assert price.plan.split(",", maxsplit=1)[0] in GUIDE.replace("\n", " ")
