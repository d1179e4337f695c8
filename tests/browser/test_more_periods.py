"""Payouts and comments of a period on a phone of 320 pixels, and for axe."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from tests.browser.test_pages import opened
from tests.fixtures.browser import fits
from tests.fixtures.launched import Launched

pytestmark = pytest.mark.slow

PAGES = ("payouts", "payouts?period=7", "comments", "comments?from=2026-05-19&to=2026-05-19")


@pytest.mark.parametrize("width", [320, 1440])
def test_periods_fit_and_axe_finds_nothing(
    chromium: Browser, launched: Launched, width: int
) -> None:
    with opened(chromium, launched.tenant) as page:
        page.set_viewport_size({"width": width, "height": 900})
        for path in PAGES:
            page.goto(f"/desk/projects/{launched.tenant.project_id}/{path}")
            assert fits(page), path
            report = Axe().run(page)
            assert report.violations_count == 0, (path, report.generate_report())
        page.goto(f"/desk/projects/{launched.tenant.project_id}/payouts")
        if width == 320:  # a phone folds them
            page.get_by_text("Dates and filters").click()
        page.get_by_role("navigation", name="Period").get_by_role("link", name="90 days").click()
        expect(page.get_by_text("$150.00, previous period $0.00")).to_be_visible()
