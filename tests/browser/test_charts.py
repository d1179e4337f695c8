"""What a chart reads out before anybody touches it."""

from playwright.sync_api import Browser, expect

from tests.browser.test_pages import opened
from tests.fixtures.browser import chromium
from tests.fixtures.launched import Launched, launched

__all__ = ["chromium", "launched"]


def test_a_chart_with_days_to_come_opens_at_today(chromium: Browser, launched: Launched) -> None:
    tenant = launched.tenant
    [budget] = tenant.client.data("GET", "/budgets")
    with opened(chromium, tenant) as page:
        page.goto(f"/desk/projects/{tenant.project_id}/settings/budgets/{budget['id']}")
        reading = page.locator("figcaption")
        expect(reading).to_contain_text("20 May 2026 so far")
        expect(reading).to_contain_text("Left$180.00")
        page.get_by_role("slider", name="Budget left by day").press("ArrowRight")
        expect(reading).to_contain_text("21 May 2026")
        expect(reading).to_contain_text("Leftnot known")
