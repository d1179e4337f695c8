"""Keys on review pages: a held key presses one button, and Enter on a checkbox presses none."""

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.test_pages import opened
from tests.browser.test_tasks import statuses
from tests.factories.payouts import rule
from tests.fixtures.api import Tenant
from tests.fixtures.payouts import Paying
from tests.serving_api.desk.test_inbox import add_posts

pytestmark = pytest.mark.slow


def test_enter_held_down_approves_one_amount(chromium: Browser, paying: Paying) -> None:
    with opened(chromium, paying.tenant) as window:
        window.goto(f"/desk/projects/{paying.tenant.project_id}/payouts")
        window.locator("tbody button[name=approved]").first.focus()
        window.keyboard.down("Enter")
        expect(window.get_by_text("1 amount approved, $")).to_be_visible()
        expect(window.locator("tbody button[name=approved]")).to_be_focused()
        window.keyboard.down("Enter")  # the browser sets `repeat`
        window.wait_for_load_state("networkidle")
        assert len(paying.listed(status="approved")) == 1
        window.keyboard.up("Enter")
        window.keyboard.press("Enter")
        expect(window.get_by_text("No amounts to approve.")).to_be_visible()


def test_a_letter_held_down_reviews_one_post(chromium: Browser, tenant: Tenant) -> None:
    add_posts(tenant, tenant.creator("ada"), ["One", "Two", "Three"])
    with opened(chromium, tenant) as window:
        window.goto(f"/desk/projects/{tenant.project_id}/inbox")
        window.keyboard.press("j")
        window.keyboard.down("a")
        expect(window.get_by_role("status")).to_contain_text("1 post approved.")
        window.keyboard.down("a")
        window.wait_for_load_state("networkidle")
        expect(window.locator("button[name=approve]").first).to_be_visible()
        assert "2 posts to review" in window.locator("main").inner_text()


def test_enter_on_a_checkbox_changes_no_other_row(
    chromium: Browser, paying: Paying, tenant: Tenant
) -> None:
    ids = add_posts(tenant, tenant.creator("ada"), ["One", "Two"])
    fee = rule("recurring", period="weekly", amount_cents=10_000, proration_mode="prorate")
    structure = f"/settings/structures/{tenant.payout_structure(fee, name='Fee')}/creators"
    with opened(chromium, tenant) as window:
        for path, label in (("/inbox", "Select Two"), (structure, "Select ada")):
            window.goto(f"/desk/projects/{tenant.project_id}{path}")
            window.get_by_label(label).press("Enter")
            expect(window.get_by_role("alert")).to_have_text(
                "Choose an action and at least one item"
            )
    assert statuses(tenant, ids) == ["pending_review"] * 2
    with opened(chromium, paying.tenant) as window:
        window.goto(f"/desk/projects/{paying.tenant.project_id}/payouts")
        window.get_by_label("Select $50.00 for bob").press("Enter")
        expect(window.get_by_role("alert")).to_have_text("Choose an action and at least one item")
        assert paying.listed(status="approved") == []
        window.goto(f"/desk/projects/{paying.tenant.project_id}/payouts")
        window.get_by_role("button", name="Approve $50.00 for bob").click()
        window.goto(
            f"/desk/projects/{paying.tenant.project_id}/payouts/creators/{paying.bob['id']}"
        )
        window.get_by_label("Method").select_option("Wise")
        window.get_by_label("Reference").press("Enter")
        expect(window.get_by_role("alert")).to_have_text("Press a button to record the payment")
        assert paying.listed(status="paid") == []
