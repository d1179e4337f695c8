"""The payouts of a share page on a phone."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.fixtures.browser import fits, visit
from tests.fixtures.payouts import Paying

pytestmark = pytest.mark.slow

PIN = "4821"
BROKEN_WORDS = Path(__file__).with_name("broken_words.js").read_text(encoding="utf-8")
"""The words of ordinary length that stand on two lines."""


@pytest.mark.parametrize("width", [320, 390])
def test_no_word_is_broken_on_the_way_to_a_dispute(
    chromium: Browser, paying: Paying, width: int
) -> None:
    paying.pay("settled")
    paying.publish(settled=10_500)
    creator = paying.ada["id"]
    body = {"pin": PIN, "show_analytics": False, "show_payouts": True}
    paying.tenant.client.data("POST", f"/creators/{creator}/share-link", json=body)
    context = chromium.new_context(
        base_url=paying.tenant.api.base_url, viewport={"width": width, "height": 844}
    )
    page = visit(context).page
    page.goto(f"/share/creator/{creator}")
    page.get_by_label("PIN").fill(PIN)
    page.get_by_role("button", name="Open").click()
    page.get_by_role("heading", name="Latest earnings").wait_for()
    looks = [fetch_of(page)]
    page.get_by_role("link", name="Dispute this amount").first.click()
    looks.append(fetch_of(page))
    page.get_by_label("Why is this amount wrong?").fill("A post is missing\nof 5 May")
    page.get_by_role("button", name="Send dispute").click()
    page.get_by_text("disputed, not answered yet").wait_for()
    looks.append(fetch_of(page))
    context.close()
    assert looks == [([], True)] * 3


def fetch_of(page: Page) -> tuple[list[str], bool]:
    """The words that are broken, and whether the page is no wider than the phone."""
    is_no_wider = fits(page)
    return page.evaluate(BROKEN_WORDS), is_no_wider
