"""Forms of the desk without scripts. For all other forms see tests/serving_api/desk (HTTP)."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.fixtures.api import Tenant
from tests.fixtures.browser import PHONE, fits
from tests.fixtures.desk import Sitter
from tests.fixtures.launched import HOSTILE, Launched

pytestmark = pytest.mark.slow


class Presser:
    """A user of the desk on a phone."""

    def __init__(self, page: Page, tenant: Tenant) -> None:
        self.page, self.tenant = page, tenant

    def open(self, path: str) -> None:
        self.page.goto(f"/desk/projects/{self.tenant.project_id}{path}")

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def press_surely(self, word: str) -> None:
        """Press a button that cannot be undone; it appears only after a confirmation step."""
        sure = f"Yes, {word[0].lower()}{word[1:]}"
        expect(self.page.get_by_role("button", name=sure, exact=True)).to_have_count(0)
        self.page.locator("summary", has_text=word).first.press("Enter")
        assert fits(self.page)
        self.press(sure)

    def is_told(self, label: str, message: str) -> None:
        """Assert that the error is shown at its field, which has the focus."""
        field = self.page.get_by_label(label, exact=True).first
        expect(field).to_have_accessible_description(message)
        expect(field).to_be_focused()


@contextmanager
def sitting(chromium: Browser, tenant: Tenant) -> Iterator[Presser]:
    with chromium.new_context(
        base_url=tenant.api.base_url, viewport=PHONE, java_script_enabled=False
    ) as context:
        context.add_cookies(Sitter(tenant).browser_cookies())
        yield Presser(context.new_page(), tenant)


def test_enter_simulates_a_rule(chromium: Browser, launched: Launched) -> None:
    """In the search for creators Enter searches first. The stage has no data to simulate."""
    with sitting(chromium, launched.tenant) as admin:
        admin.open("/rule-lab/new?kind=recurring")
        page = admin.page
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
