"""Forms of the desk with its script: scroll position and focus stay, slow actions show progress."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.counted import Hands, hands_of
from tests.browser.test_pages import opened
from tests.browser.test_tasks import due
from tests.fixtures.api import Tenant
from tests.fixtures.browser import PHONE, fits, require_sound
from tests.serving_api.desk.test_inbox import add_posts

pytestmark = pytest.mark.slow

__all__ = ["due"]

IN_VIEW = """element => {
    const box = element.getBoundingClientRect();
    const top = document.querySelector(".toast:not([hidden])")?.getBoundingClientRect().bottom ?? 0;
    return box.top >= top && box.bottom <= innerHeight;
}"""


@pytest.fixture
def inbox(chromium: Browser, tenant: Tenant) -> Iterator[Hands]:
    """An inbox of 30 posts on a phone."""
    add_posts(tenant, tenant.creator("ada"), [f"Post {number}" for number in range(30)])
    with hands_of(chromium, tenant, "/inbox", viewport=PHONE) as hands:
        yield hands


def scrolled(page: Page) -> int:
    return int(page.evaluate("Math.round(scrollY)"))


def test_the_next_row_has_the_focus_where_the_last_one_was(inbox: Hands) -> None:
    page = inbox.page
    page.get_by_role("button", name="Reject Post 12").scroll_into_view_if_needed()
    before = scrolled(page)
    assert before > 500
    inbox.click("Reject Post 12")
    expect(page.get_by_role("status")).to_contain_text("1 post rejected.")
    following = page.get_by_role("button", name="Reject Post 13")
    expect(following).to_be_focused()
    assert following.evaluate(IN_VIEW)
    assert abs(scrolled(page) - before) < PHONE["height"] / 2
    assert fits(page)
    require_sound(page, "rejected in the middle")
    # The undone post is listed again.
    inbox.click("Undo")
    expect(page.get_by_text("30 posts to review")).to_be_attached()


def test_a_toggle_keeps_the_focus(chromium: Browser, tenant: Tenant) -> None:
    for name in ("order", "trial"):
        event = {"key": name, "name": name}
        tenant.client.data("POST", f"/projects/{tenant.project_id}/conversion-events", json=event)
    with hands_of(chromium, tenant, "/settings/conversion-events") as hands:
        hands.click("Stop trial")
        expect(hands.page.get_by_role("status")).to_have_text("Event stopped.")
        expect(hands.page.get_by_role("button", name="Resume trial")).to_be_focused()


def test_a_message_leaves_unless_the_pointer_is_on_it(chromium: Browser, tenant: Tenant) -> None:
    event = {"key": "trial", "name": "trial"}
    tenant.client.data("POST", f"/projects/{tenant.project_id}/conversion-events", json=event)
    with hands_of(chromium, tenant, "/settings/conversion-events") as hands:
        message = hands.page.get_by_role("status")
        hands.page.clock.install()
        hands.click("Stop trial")
        message.hover()
        hands.page.clock.run_for(30_000)
        expect(message).to_have_text("Event stopped.")
        hands.page.mouse.move(10, 500)
        hands.page.clock.run_for(6_000)
        expect(message).to_have_count(0)


def test_a_refused_form_has_the_focus_at_its_field(chromium: Browser, tenant: Tenant) -> None:
    with opened(chromium, tenant) as page:
        page.goto(f"/desk/projects/{tenant.project_id}/settings/payout-methods")
        page.get_by_label("Name", exact=True).fill(" ")
        page.get_by_role("button", name="Add method").click()
        expect(page.get_by_text("This field is required")).to_be_visible()
        expect(page.get_by_label("Name", exact=True)).to_be_focused()


def test_a_form_sent_twice_and_after_back_creates_one(chromium: Browser, tenant: Tenant) -> None:
    with hands_of(chromium, tenant, "/campaigns/new") as hands:
        page = hands.page
        hands.fill("Name", "Autumn")
        page.get_by_role("button", name="Create campaign").dblclick()
        expect(page.get_by_role("heading", name="Creators in Autumn")).to_be_visible()
        page.go_back()
        expect(page.get_by_label("Name", exact=True)).to_be_visible()
        expect(page.get_by_text("Working…")).to_have_count(0)
        hands.fill("Name", "Autumn")
        hands.click("Create campaign")
        expect(page.get_by_text("Another campaign has this name.")).to_be_visible()
    assert len(tenant.client.data("GET", "/campaigns")) == 1


def test_a_slow_form_shows_progress_and_can_be_undone(chromium: Browser, due: Tenant) -> None:
    """A 204 response leaves the page in place, as a form that is still waiting does."""
    with hands_of(chromium, due, "/payouts") as hands:
        page = hands.page
        page.route("**/payouts?status=final", lambda route: route.fulfill(status=204))
        hands.open("Approve all 10")
        hands.click("Yes, approve all 10 for $100.00")
        expect(page.get_by_role("status")).to_have_text("Working…")
        require_sound(page, "working")
        page.unroute_all()
        hands.click("Yes, approve all 10 for $100.00")
        expect(page.get_by_role("status")).to_contain_text("10 amounts approved, $100.00.")
        hands.click("Undo")
        expect(page.locator("summary", has_text="Approve all 10")).to_be_visible()
    accruals = due.client.data("GET", "/payout-accruals")
    assert [accrual["status"] for accrual in accruals] == ["final"] * 10


def test_a_recorded_dispute_is_shown_and_has_the_focus(chromium: Browser, due: Tenant) -> None:
    [amount, *_] = due.client.data("GET", "/payout-accruals")
    with hands_of(chromium, due, f"/payouts/amounts/{amount['id']}", viewport=PHONE) as hands:
        hands.open("Record a dispute")
        hands.fill("What the creator says", "A day is missing.")
        hands.click("Record dispute")
        expect(hands.page.get_by_role("status")).to_contain_text("Dispute of $10.00 recorded")
        dispute = hands.page.get_by_role("region", name="Open dispute")
        expect(dispute).to_be_focused()
        assert dispute.get_by_role("heading").evaluate(IN_VIEW)


def test_a_file_leaves_the_page_as_it_was(chromium: Browser, due: Tenant) -> None:
    with hands_of(chromium, due, "/payouts") as hands:
        hands.open("Approve all 10")
        hands.click("Yes, approve all 10 for $100.00")
        hands.page.goto(f"/desk/projects/{due.project_id}/payouts/run")
        hands.page.clock.install()
        with hands.page.expect_download():
            hands.click("Download CSV of transfers")
        hands.page.clock.run_for(1_000)
        expect(hands.page.get_by_text("Working…")).to_have_count(0)
