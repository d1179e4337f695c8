"""The desk in a browser: a manager's walk, on a phone and on a large screen.

What follows on forms is looked at here, each page in every look in `test_pages`.
"""

from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from sqlalchemy import update

from tests.doses import sample
from tests.fixtures.browser import looks_right, visit
from tests.fixtures.desk import Sitter
from tests.fixtures.launched import Launched, launched
from tests.fixtures.programs import PASSWORD
from warehouse.operational.models import Account

pytestmark = pytest.mark.slow

__all__ = ["launched"]

WIDTHS = {"phone": 390, "large": 1440}
THUMB = 44
"""Pixels, as WCAG 2.5.5 asks of what is to be touched."""


def enter(page: Page, room: str) -> None:
    """Go to a room of the project, by the keyboard; on a phone its list is opened first."""
    rooms = page.get_by_role("navigation", name="Project")
    if (opener := rooms.locator("summary")).is_visible():
        opener.press("Enter")
    rooms.get_by_role("link", name=room).press("Enter")


def look_into_the_inbox(page: Page, shots: Path, name: str) -> None:
    page.get_by_role("link", name="1 post to review in the inbox").click()
    expect(page.get_by_role("heading", name="Inbox")).to_be_visible()
    looks_right(page, shots, f"inbox-{name}")
    enter(page, "Overview")


def height_of(locator: Locator) -> float:
    box = locator.bounding_box()
    assert box is not None
    return box["height"]


def look_at_the_rooms(page: Page, shots: Path, name: str) -> None:
    """All of them and where one is; on a phone behind one row, each as large as a thumb."""
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


def look_at_health(page: Page, shots: Path, name: str) -> None:
    enter(page, "Health")
    expect(page.get_by_role("heading", name="Health")).to_be_visible()
    looks_right(page, shots, f"health-{name}")
    page.get_by_role("button", name="Create link for Ada").first.click()
    expect(page.get_by_label("Link")).to_be_visible()
    looks_right(page, shots, f"connect-link-{name}")
    enter(page, "Overview")


def try_a_rule(page: Page, shots: Path, name: str) -> None:
    enter(page, "Rule lab")
    looks_right(page, shots, f"rule-lab-{name}")
    page.get_by_role("link", name="Weekly fee").click()
    expect(page.get_by_role("heading", name="Simulate a rule")).to_be_visible()
    looks_right(page, shots, f"trial-{name}")


def share_a_report(page: Page, shots: Path, name: str) -> None:
    """From the form to what somebody outside sees, on paper too, and back."""
    page.get_by_role("link", name="Reports").click()
    page.get_by_role("link", name="Share a report").click()
    page.get_by_label("Custom PIN").fill("4821")
    looks_right(page, shots, f"report-new-{name}")
    page.get_by_role("button", name="Share report").click()
    address = page.get_by_label("Link").input_value()
    looks_right(page, shots, f"report-made-{name}")
    page.get_by_role("link", name="Back to reports").click()
    looks_right(page, shots, f"reports-{name}")
    settings = page.url
    page.goto(urlsplit(address).path)
    page.get_by_label("PIN").fill("4821")
    page.get_by_role("button", name="Open").click()
    expect(page.get_by_role("heading", name="Launch")).to_be_visible()
    looks_right(page, shots, f"report-{name}")
    page.emulate_media(media="print")
    page.screenshot(path=shots / f"report-print-{name}.png", full_page=True)
    page.emulate_media(media="screen")
    page.goto(settings)


def walk_through_settings(page: Page, shots: Path, name: str) -> None:
    enter(page, "Settings")
    expect(page.get_by_role("heading", name="Settings")).to_be_visible()
    looks_right(page, shots, f"members-{name}")
    page.get_by_role("link", name="Invite a member").click()
    looks_right(page, shots, f"invite-{name}")
    page.get_by_role("link", name="API keys").click()
    looks_right(page, shots, f"keys-{name}")
    page.get_by_role("link", name="Create a key").click()
    page.get_by_label("Name").fill("Nightly")
    page.get_by_label("read").uncheck()
    page.get_by_role("button", name="Create key").click()
    expect(page.get_by_text("Choose at least one scope")).to_be_visible()
    looks_right(page, shots, f"key-refused-{name}")
    page.get_by_role("link", name="Webhooks").click()
    looks_right(page, shots, f"webhooks-{name}")
    page.get_by_role("link", name="Add a webhook").click()
    looks_right(page, shots, f"webhook-{name}")
    enter(page, "Pay rules")
    looks_right(page, shots, f"structures-{name}")
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
    enter(page, "Pay rules")
    page.get_by_role("link", name="Weekly fee", exact=True).click()
    looks_right(page, shots, f"structure-{name}")
    enter(page, "Settings")
    share_a_report(page, shots, name)
    for tab, own in (("Goals", "Goals of Ada"), ("Share links", "Share page of Ada")):
        page.get_by_role("link", name=tab).click()
        looks_right(page, shots, f"{tab}-{name}")
        page.get_by_role("link", name="Ada").first.click()
        expect(page.get_by_role("heading", name=own)).to_be_visible()
        looks_right(page, shots, f"{own}-{name}")
    enter(page, "Overview")


def look_at_creators(page: Page, shots: Path, name: str) -> None:
    enter(page, "Creators")
    expect(page.get_by_role("heading", name="Creators")).to_be_visible()
    looks_right(page, shots, f"creators-{name}")
    page.get_by_role("link", name="Most views").click()
    looks_right(page, shots, f"creators-ranked-{name}")
    page.get_by_role("link", name="Ada").click()
    expect(page.get_by_role("heading", name="Ada")).to_be_visible()
    page.get_by_text("Views by day as a table").click()
    looks_right(page, shots, f"creator-{name}")
    enter(page, "Overview")


def look_at_campaigns(page: Page, shots: Path, name: str) -> None:
    enter(page, "Campaigns")
    expect(page.get_by_role("heading", name="Campaigns")).to_be_visible()
    looks_right(page, shots, f"campaigns-{name}")
    page.get_by_role("link", name="Spring").click()
    expect(page.get_by_role("heading", name="Spring")).to_be_visible()
    looks_right(page, shots, f"campaign-{name}")
    enter(page, "Overview")


def look_at_posts(page: Page, shots: Path, name: str) -> None:
    enter(page, "Posts")
    expect(page.get_by_role("heading", name="Posts")).to_be_visible()
    looks_right(page, shots, f"posts-{name}")
    page.get_by_role("link", name="Most views").click()
    looks_right(page, shots, f"posts-ranked-{name}")
    page.get_by_role("link", name="First look").click()
    expect(page.get_by_role("heading", name="First look")).to_be_visible()
    looks_right(page, shots, f"post-{name}")
    enter(page, "Overview")


def look_at_comments(page: Page, shots: Path, name: str) -> None:
    enter(page, "Comments")
    expect(page.get_by_role("heading", name="Comments", exact=True)).to_be_visible()
    looks_right(page, shots, f"comments-{name}")
    chart = page.locator("figure.chart canvas")
    assert not chart.is_visible(), "the comments come first"
    page.get_by_text("Signals and sentiment", exact=True).click()
    expect(chart).to_be_visible()
    assert page.evaluate("document.querySelector('.chart canvas').clientWidth") > 200
    looks_right(page, shots, f"comments-summary-{name}")
    page.get_by_role("combobox", name="Signal").select_option("Flagged")
    page.get_by_role("button", name="Filter").click()
    expect(page.get_by_role("combobox", name="Signal")).to_have_value("flagged")
    enter(page, "Overview")


def walk_through_payouts(page: Page, shots: Path, name: str) -> None:
    """From what is due to the form of a payment; all of it is undone in the end."""
    page.get_by_role("link", name="$150.00 to approve").click()
    expect(page.get_by_role("heading", name="Payouts")).to_be_visible()
    looks_right(page, shots, f"payouts-{name}")
    page.get_by_role("button", name="Approve $100.00 for Ada").click()
    page.get_by_role("link", name="To pay").click()
    looks_right(page, shots, f"to-pay-{name}")
    page.get_by_role("link", name="Pay all amounts of Ada").click()
    expect(page.get_by_role("button", name="Record $100.00 as paid")).to_be_visible()
    looks_right(page, shots, f"pay-{name}")
    page.get_by_role("link", name="Weekly fee").click()
    looks_right(page, shots, f"amount-{name}")
    page.get_by_role("button", name="Undo approval").click()
    expect(page.get_by_role("button", name="Approve")).to_be_visible()


@pytest.mark.parametrize(
    ("theme", "size"), sample([("light", "phone"), ("dark", "large")], small=1)
)
def test_from_sign_in_to_the_overview(
    chromium: Browser, launched: Launched, tmp_path: Path, theme: str, size: str
) -> None:
    sitter = Sitter(launched.tenant, signed_in=False)
    with launched.tenant.api.store.write_session() as session:  # else they wait for a first check
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
    look_into_the_inbox(page, tmp_path, f"{theme}-{size}")
    try_a_rule(page, tmp_path, f"{theme}-{size}")
    look_at_health(page, tmp_path, f"{theme}-{size}")
    walk_through_settings(page, tmp_path, f"{theme}-{size}")
    look_at_campaigns(page, tmp_path, f"{theme}-{size}")
    look_at_posts(page, tmp_path, f"{theme}-{size}")
    look_at_comments(page, tmp_path, f"{theme}-{size}")
    look_at_creators(page, tmp_path, f"{theme}-{size}")
    walk_through_payouts(page, tmp_path, f"{theme}-{size}")
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
