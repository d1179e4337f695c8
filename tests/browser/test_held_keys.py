"""A key that is held down presses one button, also where the page after it focuses the next."""

from playwright.sync_api import Browser, expect

from tests.browser.test_pages import opened
from tests.fixtures.api import Tenant
from tests.fixtures.browser import chromium
from tests.fixtures.payouts import Paying, paying, paying_api
from tests.serving_api.desk.test_inbox import found

__all__ = ["chromium", "paying", "paying_api"]


def test_enter_held_down_approves_one_amount(chromium: Browser, paying: Paying) -> None:
    with opened(chromium, paying.tenant) as window:
        window.goto(f"/desk/projects/{paying.tenant.project_id}/payouts")
        window.locator("tbody button[name=approved]").first.focus()
        window.keyboard.down("Enter")
        expect(window.get_by_text("1 amount approved.")).to_be_visible()
        expect(window.locator("tbody button[name=approved]")).to_be_focused()
        window.keyboard.down("Enter")  # the browser says that it repeats
        window.wait_for_load_state("networkidle")
        assert len(paying.listed(status="approved")) == 1
        window.keyboard.up("Enter")
        window.keyboard.press("Enter")
        expect(window.get_by_text("No amounts to approve.")).to_be_visible()


def test_a_letter_held_down_reviews_one_post(chromium: Browser, tenant: Tenant) -> None:
    found(tenant, tenant.creator("ada"), ["One", "Two", "Three"])
    with opened(chromium, tenant) as window:
        window.goto(f"/desk/projects/{tenant.project_id}/inbox")
        window.keyboard.press("j")
        window.keyboard.down("a")
        expect(window.get_by_role("status")).to_contain_text("1 post approved.")
        window.keyboard.down("a")
        window.wait_for_load_state("networkidle")
        expect(window.locator("button[name=approve]").first).to_be_visible()
        assert "2 posts to review" in window.locator("main").inner_text()
