"""Search and periods at the desk in a browser: by keyboard, without scripts, on a phone."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.fixtures.browser import Visit, looks_right, visit
from tests.fixtures.desk import Sitter
from tests.fixtures.launched import Launched
from tests.fixtures.programs import PASSWORD

pytestmark = pytest.mark.slow

PHONE, LARGE = {"width": 320, "height": 740}, {"width": 1280, "height": 900}


@pytest.fixture
def sitter(launched: Launched) -> Sitter:
    return Sitter(launched.tenant, signed_in=False)


def opened(
    chromium: Browser, sitter: Sitter, *, size: dict[str, int], theme: str, script: bool = True
) -> Visit:
    """The overview of a signed-in user."""
    context = chromium.new_context(
        base_url=sitter.tenant.api.base_url,
        viewport={"width": size["width"], "height": size["height"]},
        color_scheme="dark" if theme == "dark" else "light",
        java_script_enabled=script,
    )
    window = visit(context)
    window.page.goto("/")
    window.page.get_by_label("E-mail address").fill(sitter.email)
    window.page.get_by_label("Password").fill(PASSWORD)
    window.page.keyboard.press("Enter")
    window.page.get_by_role("heading", name="Overview").wait_for()
    return window


def find(page: Page, text: str) -> None:
    page.keyboard.type(text)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Search").wait_for()


@pytest.mark.parametrize(("theme", "size"), [("light", LARGE), ("dark", PHONE)])
def test_keys_lead_to_the_search(
    chromium: Browser, sitter: Sitter, tmp_path: Path, theme: str, size: dict[str, int]
) -> None:
    window = opened(chromium, sitter, size=size, theme=theme)
    page = window.page
    name = f"{theme}-{size['width']}"
    looks_right(page, tmp_path, f"overview-{name}")
    page.keyboard.press("/")
    find(page, "ada")
    looks_right(page, tmp_path, f"search-{name}")
    page.keyboard.press("Control+k")
    find(page, "look/first")
    expect(page.get_by_text("No results for")).to_be_visible()
    page.goto(f"{sitter.home}/posts?platform=tiktok")
    looks_right(page, tmp_path, f"posts-{name}")
    page.goto(f"{sitter.home}/creators/ranked")
    page.get_by_role("link", name="7 days").click()
    expect(page.get_by_role("link", name="7 days")).to_have_attribute("aria-current", "true")
    page.get_by_text("Other dates").click()
    page.get_by_label("From").fill("2026-05-13")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_text("13 May 2026 to 20 May 2026").first).to_be_visible()
    looks_right(page, tmp_path, f"ranked-{name}")
    page.get_by_role("link", name="Gained").click()
    expect(page.get_by_role("row").nth(1)).to_contain_text("Ada")
    assert window.complaints == []
    assert window.hosts() == {"127.0.0.1"}
