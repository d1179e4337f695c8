"""The evidence of an amount in a browser: 320 pixels wide, without scripts, and under axe."""

from collections.abc import Iterator
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.browser.test_pages import opened
from tests.factories.visitors import PIN
from tests.fixtures.browser import fits
from tests.fixtures.explained import Explained

pytestmark = pytest.mark.slow

NARROW, LARGE = 320, 1440


@pytest.fixture(scope="module")
def window(chromium: Browser, explained: Explained) -> Iterator[Page]:
    with opened(chromium, explained.tenant) as window:
        yield window


def home(explained: Explained) -> str:
    return f"/desk/projects/{explained.tenant.project_id}"


@pytest.mark.parametrize(("width", "theme"), [(NARROW, "dark"), (LARGE, "light")])
def test_evidence_fits_and_axe_finds_nothing(
    window: Page, explained: Explained, width: int, theme: Literal["dark", "light"]
) -> None:
    window.set_viewport_size({"width": width, "height": 900})
    window.emulate_media(color_scheme=theme)
    amounts = [f"payouts/amounts/{explained.id_of(name)}" for name in ("flat", "tiers")]
    for path in ("payouts", *amounts):
        window.goto(f"{home(explained)}/{path}")
        assert fits(window), path
        report = Axe().run(window)
        assert report.violations_count == 0, (path, report.generate_report())
    expect(window.get_by_role("row", name="Post one")).to_contain_text("12,345")


def test_the_creator_reads_it_on_a_phone_without_script(
    chromium: Browser, explained: Explained
) -> None:
    tenant, creator = explained.tenant, explained.ada["id"]
    body = {"pin": PIN, "show_analytics": False, "show_payouts": True}
    tenant.client.data("POST", f"/creators/{creator}/share-link", json=body)
    context = chromium.new_context(
        base_url=tenant.api.base_url,
        viewport={"width": NARROW, "height": 700},
        java_script_enabled=False,
    )
    page = context.new_page()
    page.goto(f"/share/creator/{creator}")
    page.get_by_label("PIN").fill(PIN)
    page.get_by_role("button", name="Open").click()
    page.get_by_role("link", name="how it was calculated").last.click()
    row = page.get_by_role("row", name="Post one")
    expect(row).to_contain_text("$18.5175")
    assert (row.bounding_box() or {"width": NARROW})["width"] <= NARROW
    context.close()
