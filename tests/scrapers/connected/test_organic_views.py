"""Sources with organic views only are those that the Instagram Login client names."""

from scrapers.instagram_login import parse
from warehouse.catalogue.counters import ORGANIC_VIEWS


def test_posts_of_connected_instagram_accounts_have_organic_views() -> None:
    assert ORGANIC_VIEWS == (parse.POSTS,)
