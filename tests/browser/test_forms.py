"""Forms of the desk without scripts. All others: tests/serving_api/desk, over HTTP."""

import pytest
from playwright.sync_api import Browser, expect

from tests.fixtures.browser import PHONE
from tests.fixtures.desk import Sitter
from tests.fixtures.launched import HOSTILE, Launched

pytestmark = pytest.mark.slow


def test_enter_simulates_a_rule(chromium: Browser, launched: Launched) -> None:
    """In the search for creators it finds them first. The stage lacks data of simulations."""
    tenant = launched.tenant
    with chromium.new_context(
        base_url=tenant.api.base_url, viewport=PHONE, java_script_enabled=False
    ) as context:
        context.add_cookies(Sitter(tenant).browser_cookies())
        page = context.new_page()
        page.goto(f"/desk/projects/{tenant.project_id}/rule-lab/new?kind=recurring")
        amount = page.get_by_label("Amount in dollars", exact=True)
        amount.fill("10")
        amount.press("Enter")
        expect(page.get_by_text("Choose creators or a campaign")).to_be_visible()
        search = page.get_by_label("Find creators by name or handle")
        search.fill("ada")
        search.press("Enter")
        expect(page.get_by_text("Choose creators or a campaign")).to_have_count(0)
        expect(page.get_by_role("checkbox", name=HOSTILE)).to_have_count(0)
        page.get_by_role("checkbox", name="Ada").check()
        search.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("lacks data")
