"""The desk in a browser, on a phone and on a large screen: sign-in, navigation, replies to forms.

`test_pages` checks each page that has an address.
"""

from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from sqlalchemy import update

from tests.doses import sample
from tests.fixtures.browser import looks_right, visit
from tests.fixtures.desk import Sitter
from tests.fixtures.launched import Launched
from tests.fixtures.programs import PASSWORD
from warehouse.operational.models import Account

pytestmark = pytest.mark.slow

WIDTHS = {"phone": 390, "large": 1440}
THUMB = 44
"""Minimum size of touch targets in pixels (WCAG 2.5.5)."""


def enter(page: Page, room: str) -> None:
    """Open a section of the project by keyboard; on a phone open the navigation first."""
    rooms = page.get_by_role("navigation", name="Project")
    if (opener := rooms.locator("summary")).is_visible():
        opener.press("Enter")
    rooms.get_by_role("link", name=room).press("Enter")


def height_of(locator: Locator) -> float:
    box = locator.bounding_box()
    return box["height"]


def look_at_the_rooms(page: Page, shots: Path, name: str) -> None:
    """Check the navigation's sections and the current one; on a phone folded, in large targets."""
    rooms = page.get_by_role("navigation", name="Project")
    opener = rooms.locator("summary")
    if name.endswith("phone"):
        expect(rooms.get_by_role("link")).to_have_count(0)
        expect(opener).to_contain_text("Overview")
        assert height_of(opener) >= THUMB
        opener.press("Enter")
        looks_right(page, shots, f"rooms-{name}")
        by_role = rooms.get_by_role("link")
        assert all(height_of(link) >= THUMB for link in by_role.all())
    else:
        expect(opener).to_be_hidden()
    expect(rooms.get_by_role("link", name="Settings")).to_be_visible()
    expect(rooms.locator("[aria-current=page]")).to_have_text("Overview")


def fill_in_forms(page: Page, shots: Path, name: str) -> None:
    """Check the replies to forms, which have no address of their own."""
    enter(page, "Health")
    page.get_by_role("button", name="Create link for Ada").first.click()
    expect(page.get_by_label("Link")).to_be_visible()
    looks_right(page, shots, f"connect-link-{name}")
    enter(page, "Settings")
    page.get_by_role("link", name="API keys").click()
    page.get_by_role("link", name="Create a key").click()
    page.get_by_label("Name").fill("Nightly")
    page.get_by_label("read").uncheck()
    page.get_by_role("button", name="Create key").click()
    expect(page.get_by_text("Choose at least one scope")).to_be_visible()
    looks_right(page, shots, f"key-refused-{name}")
    page.get_by_role("link", name="Reports").click()
    page.get_by_role("link", name="Share a report").click()
    page.get_by_label("Custom PIN").fill("4821")
    page.get_by_role("button", name="Share report").click()
    expect(page.get_by_label("Link")).to_be_visible()
    looks_right(page, shots, f"report-made-{name}")
    enter(page, "Pay rules")
    page.get_by_role("link", name="CPM: pay per 1,000 views").click()
    page.get_by_label("Name").fill("Views")
    page.get_by_label("Up to views").first.fill("10,000")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text("Enter dollars with a point")).to_be_visible()
    looks_right(page, shots, f"structure-refused-{name}")
    page.get_by_label("Dollars per 1,000").first.fill("1.50")
    page.get_by_label("Dollars per 1,000").nth(1).fill("1")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text("$1.50 per 1,000 views up to 10,000")).to_be_visible()
    looks_right(page, shots, f"structure-preview-{name}")


def unfold(page: Page, shots: Path, name: str) -> None:
    """Check what pages show once unfolded."""
    enter(page, "Creators")
    page.get_by_role("link", name="Ada").first.click()
    page.get_by_text("Views by day as a table").click()
    looks_right(page, shots, f"creator-{name}")
    enter(page, "Comments")
    chart = page.locator("figure.chart canvas")
    expect(page.get_by_role("heading", name="Comments", exact=True)).to_be_visible()
    assert not chart.is_visible(), "the comments come first"
    page.get_by_text("Signals and sentiment", exact=True).click()
    expect(chart).to_be_visible()
    assert page.evaluate("document.querySelector('.chart canvas').clientWidth") > 200
    looks_right(page, shots, f"comments-summary-{name}")
    page.get_by_role("combobox", name="Signal").select_option("Flagged")
    page.get_by_role("button", name="Filter").click()
    expect(page.get_by_role("combobox", name="Signal")).to_have_value("flagged")


@pytest.mark.parametrize(
    ("theme", "size"), sample([("light", "phone"), ("dark", "large")], small=1)
)
def test_from_sign_in_to_the_overview(
    chromium: Browser, launched: Launched, tmp_path: Path, theme: str, size: str
) -> None:
    sitter = Sitter(launched.tenant, signed_in=False)
    with launched.tenant.api.store.write_session() as session:  # no longer new accounts
        waited = Account.created_at - timedelta(days=3)
        session.execute(update(Account).values(created_at=waited))
    context = chromium.new_context(
        base_url=launched.tenant.api.base_url,
        viewport={"width": WIDTHS[size], "height": 900},
        color_scheme="dark" if theme == "dark" else "light",
    )
    window = visit(context)
    page = window.page
    page.goto("/")
    looks_right(page, tmp_path, f"sign-in-{theme}-{size}")
    page.get_by_label("E-mail address").fill(sitter.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()
    looks_right(page, tmp_path, f"overview-{theme}-{size}")
    look_at_the_rooms(page, tmp_path, f"{theme}-{size}")
    page.reload()
    fill_in_forms(page, tmp_path, f"{theme}-{size}")
    unfold(page, tmp_path, f"{theme}-{size}")
    page.get_by_text("M", exact=True).click()
    expect(page.get_by_role("button", name="Sign out", exact=True)).to_be_visible()
    looks_right(page, tmp_path, f"menu-{theme}-{size}")
    page.get_by_role("link", name="Launch").click()
    expect(page.get_by_role("heading", name="Projects")).to_be_visible()
    looks_right(page, tmp_path, f"projects-{theme}-{size}")
    context.close()
    refused_on_purpose = "status of 400"
    assert [
        complaint for complaint in window.complaints if refused_on_purpose not in complaint
    ] == []
    assert window.hosts() == {"127.0.0.1"}
