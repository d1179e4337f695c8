"""What outsiders see of an organization: its logo, a report's period, and printed pages."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.test_forms import sitting
from tests.fixtures.browser import require_sound, visit
from tests.fixtures.launched import Launched
from tests.serving_api.report_page.test_reports import PIN, path_of, share

pytestmark = pytest.mark.slow

LOGO_WIDTH = 120
COLOURS = """() => {
    const style = getComputedStyle(document.body);
    return ["--ground", "--ink", "--accent"].map((name) => style.getPropertyValue(name));
}"""


@pytest.fixture
def report(chromium: Browser, launched: Launched) -> Iterator[Page]:
    """A report on a narrow phone in dark mode, before the PIN is entered."""
    with chromium.new_context(
        base_url=launched.tenant.api.base_url,
        viewport={"width": 320, "height": 740},
        color_scheme="dark",
    ) as context:
        window = visit(context)
        window.page.goto(path_of(share(launched.tenant)))
        yield window.page
        assert window.complaints == []
        assert window.hosts() <= {"127.0.0.1", None}


def test_a_report_with_a_logo_and_a_period_is_printed(
    chromium: Browser, launched: Launched, report: Page
) -> None:
    with sitting(chromium, launched.tenant) as admin:
        admin.open("/settings/organization")
        picture = admin.page.screenshot(clip={"x": 0, "y": 0, "width": LOGO_WIDTH, "height": 40})
        field = admin.page.get_by_label("Image", exact=True)
        field.set_input_files({"name": "a.txt", "mimeType": "text/plain", "buffer": b"text"})
        admin.press("Upload logo")
        admin.is_told(
            "Image", "Choose a PNG, JPEG or WebP image PNG, JPEG or WebP of at most 1 MB."
        )
        field.set_input_files({"name": "a.png", "mimeType": "image/png", "buffer": picture})
        admin.press("Upload logo")
        expect(admin.page.get_by_role("status")).to_have_text("Logo saved.")
        # wait_for_function polls in a page script, which this page forbids.
        expect(admin.page.locator(".brand img")).to_have_js_property("naturalWidth", LOGO_WIDTH)

    report.get_by_label("PIN").fill(PIN)
    report.get_by_role("button", name="Open").click()
    expect(report.locator(".brand img")).to_have_js_property("naturalWidth", LOGO_WIDTH)
    expect(report.locator(".brand")).to_have_text("Acme")
    expect(report.get_by_role("heading", name="Last 28 days")).to_be_visible()
    report.get_by_role("link", name="7 days").click()
    expect(report.get_by_role("heading", name="Last 7 days")).to_be_visible()
    expect(report.locator(".chart canvas")).to_be_visible()
    require_sound(report, "a report in the dark")

    report.emulate_media(media="print", color_scheme="dark")
    assert report.evaluate(COLOURS) == ["#fff", "#000", "#2456c7"]
    expect(report.get_by_role("navigation")).to_have_count(0)
    expect(report.locator(".brand img")).to_be_visible()
    expect(report.locator(".chart canvas")).to_be_visible()
    assert report.pdf(format="A4").startswith(b"%PDF")

    with sitting(chromium, launched.tenant) as admin:
        admin.open("/settings/organization")
        admin.press_surely("Remove logo")
        expect(admin.page.locator(".brand img")).to_have_count(0)


def test_lists_with_buttons_go_on_paper_without_them(chromium: Browser, launched: Launched) -> None:
    with sitting(chromium, launched.tenant) as admin:
        admin.page.emulate_media(media="print")
        for path in ("/payouts", "/settings", "/settings/keys"):
            admin.open(path)
            expect(admin.page.locator("main table").first).to_be_visible()
            expect(admin.page.get_by_role("button")).to_have_count(0)
            expect(admin.page.locator(".together:visible")).to_have_count(0)
        admin.open("/settings/budgets")  # a form without a list
        expect(admin.page.get_by_label("Name", exact=True)).to_be_hidden()
