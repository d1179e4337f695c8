"""The API reference and the documentation site in a real browser."""

import subprocess
import sys
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser as Chromium
from playwright.sync_api import Locator, Page, expect

from tests.fixtures.api import Api, Tenant
from tests.fixtures.browser import DESKTOP, PHONE, Visit, fits, visit
from tests.fixtures.http_server import serving
from warehouse.settings import REPOSITORY

pytestmark = pytest.mark.slow

LOOKS = "(({color, backgroundColor}) => [color, backgroundColor])(getComputedStyle(document.body))"
CONTRAST = {"runOnly": ["color-contrast"]}


@pytest.fixture
def reading(chromium: Chromium, api: Api) -> Iterator[Visit]:
    """Open the page in a browser, and assert on exit that it reported no errors."""
    with chromium.new_context(viewport=DESKTOP) as context:
        reader = visit(context)
        reader.page.goto(f"{api.base_url}/docs")
        expect(reader.page.get_by_role("heading", name="Creator Tracking")).to_be_visible()
        yield reader
        assert reader.complaints == []
        assert reader.hosts() <= {"127.0.0.1", None}  # None: images inside the style sheet


def operation(page: Page, method: str, path: str) -> Locator:
    page.get_by_placeholder("Filter by tag or path").fill(path)
    expect(page.locator(".opblock:not(.is-open)").filter(has_not_text=path)).to_have_count(0)
    block = page.locator(f".opblock-{method}").filter(has=page.locator(f"[data-path='{path}']"))
    block.locator(".opblock-summary-control").click()
    return block


def sign_in(page: Page, key: str) -> None:
    page.get_by_role("button", name="Authorize").first.click()
    page.get_by_label("auth-bearer-value").fill(key)
    page.get_by_role("button", name="Apply credentials").click()
    page.get_by_role("button", name="Close").click()


def answer_of(block: Locator) -> Locator:
    """Send an operation and return its response."""
    block.get_by_role("button", name="Execute").click()
    return block.locator(".live-responses-table")


def test_with_a_key_operations_can_be_tried(reading: Visit, tenant: Tenant) -> None:
    assert tenant.made.api_key is not None
    sign_in(reading.page, tenant.made.api_key)
    expect(answer_of(operation(reading.page, "get", "/api/v2/me"))).to_contain_text(
        '"name": "Acme"'
    )
    create = operation(reading.page, "post", "/api/v2/tags")
    expect(create.locator(".opblock-summary-description")).to_have_text("Create a tag.")
    expect(create.locator(".opblock-description code")).to_have_text("write")
    expect(answer_of(create)).to_contain_text("201")
    assert [tag["name"] for tag in tenant.client.data("GET", "/tags")] == ["Spring launch"]


def test_a_refusal_is_shown_as_it_is(reading: Visit) -> None:
    refused = answer_of(operation(reading.page, "get", "/api/v2/me"))
    expect(refused).to_contain_text("invalid_api_key")
    [complaint] = reading.complaints
    assert "401" in complaint
    reading.complaints.clear()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_has_the_style_of_the_other_pages(
    chromium: Chromium, api: Api, theme: Literal["light", "dark"]
) -> None:
    with chromium.new_context(viewport=PHONE, color_scheme=theme) as context:
        page = visit(context).page
        page.goto(f"{api.base_url}/changelog")
        looks = page.evaluate(LOOKS)
        page.goto(f"{api.base_url}/docs")
        title = page.get_by_role("heading", name="Creator Tracking")
        expect(title).to_have_css("color", looks[0])
        assert page.evaluate(LOOKS) == looks
        assert fits(page)
        report = Axe().run(page, options=CONTRAST)
        assert report.violations_count == 0, report.generate_report()


NAMES = {
    "runOnly": ["button-name", "link-name", "aria-command-name", "label", "nested-interactive"]
}


def test_the_site_calls_no_other_host_and_names_its_controls(
    chromium: Chromium, tmp_path: Path
) -> None:
    command = [sys.executable, REPOSITORY / "docs" / "site" / "build.py", tmp_path]
    subprocess.run(command, check=True, capture_output=True)
    with (
        serving(SimpleHTTPRequestHandler, directory=tmp_path / "site") as url,
        chromium.new_context(viewport=PHONE) as context,
    ):
        reader = visit(context)
        for page in ("index.html", "docs/concepts.html", "docs/clients.html"):
            reader.page.goto(f"{url}/{page}", wait_until="networkidle")
            faults = Axe().run(reader.page, options=NAMES).response["violations"]
            assert [node["html"] for fault in faults for node in fault["nodes"]] == []
        assert reader.hosts() <= {"127.0.0.1", None}
