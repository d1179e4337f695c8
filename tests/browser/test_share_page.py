"""The share page in a real browser: by mouse, on a phone, with the keyboard alone."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.doses import sample
from tests.factories.shared import PIN, SharedCreator, shared_creator
from tests.fixtures.api import Api
from tests.fixtures.browser import DESKTOP, PHONE, Visit, fits, visit

pytestmark = pytest.mark.slow

WRONG = "1111"
SIZES = {"desktop": DESKTOP, "phone": PHONE}

READING = ".reading"
SCRIPTS = Path(__file__).parent
CANVAS = "document.querySelector('.chart canvas')"
BLUE_PIXELS = (SCRIPTS / "blue_pixels.js").read_text(encoding="utf-8")
"""Counts the pixels of a canvas in the colour of the bars on white."""
POOR_CONTRASTS = (SCRIPTS / "poor_contrasts.js").read_text(encoding="utf-8")
"""Texts with a contrast below 4.5 (WCAG 2.2, 1.4.3)."""
BROKEN_WORDS = (SCRIPTS / "broken_words.js").read_text(encoding="utf-8")
"""Words of ordinary length that break across two lines."""


@pytest.fixture(scope="module")
def made(api: Api, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedCreator]:
    with shared_creator(api, tmp_path_factory.mktemp("seen")) as creator:
        yield creator


@pytest.fixture
def shared(made: SharedCreator) -> SharedCreator:
    made.share(show_payouts=True)
    return made


@contextmanager
def visiting(browser: Browser, shared: SharedCreator, **options: Any) -> Iterator[Visit]:
    """A visitor at the page's PIN form."""
    context = browser.new_context(base_url=shared.api.base_url, **options)
    window = visit(context)
    window.page.goto(shared.path)
    yield window
    context.close()


@pytest.fixture(params=SIZES)
def window(request: Any, chromium: Browser, shared: SharedCreator) -> Iterator[Visit]:
    with visiting(chromium, shared, viewport=SIZES[request.param]) as opened:
        yield opened


@pytest.fixture
def page(window: Visit) -> Page:
    return window.page


def enter(page: Page, pin: str) -> None:
    page.get_by_label("PIN").fill(pin)
    page.get_by_role("button", name="Open").click()


def spot_of(page: Page, share: float) -> tuple[float, float]:
    """A point on the chart, by its share of the width."""
    page.locator(".chart").scroll_into_view_if_needed()
    box = page.locator(".chart .u-over").bounding_box()
    return box["x"] + box["width"] * share, box["y"] + 20


def test_a_wrong_pin_is_reported_beside_the_field(page: Page) -> None:
    enter(page, WRONG)
    expect(page.get_by_role("alert")).to_have_text("Wrong PIN. 9 attempts left.")
    field = page.get_by_label("PIN")
    expect(field).to_have_accessible_description("Wrong PIN. 9 attempts left.")
    expect(field).to_be_focused()
    expect(field).to_have_value("")
    assert fits(page)


def test_the_right_pin_shows_numbers_and_a_chart_that_is_really_drawn(window: Visit) -> None:
    page = window.page
    enter(page, PIN)
    expect(page.get_by_role("heading", level=1)).to_have_text("Ada <b>Lovelace</b>")
    expect(page.get_by_role("definition").filter(has_text="269,000")).to_be_visible()
    chart = page.get_by_role("slider", name="Views by day")
    expect(chart).to_be_visible()
    assert chart.locator("canvas").evaluate(BLUE_PIXELS) > 200
    expect(page.locator(READING)).to_have_text("20 May 2026 so farViews1,000")
    expect(page.get_by_role("table")).to_be_hidden()
    page.get_by_text("Views by day as a table").click()
    expect(page.get_by_role("row", name="18 May 2026 251,000")).to_be_visible()
    expect(page.locator(".top-posts a").first).to_have_attribute("rel", "noopener nofollow")
    expect(page.get_by_role("heading", name="Payouts")).to_be_visible()
    assert fits(page)
    assert page.evaluate(BROKEN_WORDS) == []
    assert window.complaints == []
    assert window.hosts() == {"127.0.0.1"}


def test_the_chart_shows_the_hovered_day(window: Visit) -> None:
    page = window.page
    enter(page, PIN)
    page.mouse.move(*spot_of(page, 25.5 / 28))
    expect(page.locator(READING)).to_have_text("18 May 2026Views251,000")
    page.mouse.move(0, 0)
    expect(page.locator(READING)).to_have_text("20 May 2026 so farViews1,000")


def test_a_finger_and_keys_go_from_day_to_day(chromium: Browser, shared: SharedCreator) -> None:
    with visiting(chromium, shared, viewport=PHONE, has_touch=True, is_mobile=True) as window:
        page = window.page
        enter(page, PIN)
        page.touchscreen.tap(*spot_of(page, 25.5 / 28))
        expect(page.locator(READING)).to_have_text("18 May 2026Views251,000")
        chart = page.get_by_role("slider", name="Views by day")
        chart.press("ArrowRight")
        expect(chart).to_have_attribute("aria-valuetext", "19 May 2026 Views 0")
        chart.press("Home")
        expect(page.locator(READING)).to_have_text("23 Apr 2026Viewsnot known")
        assert window.complaints == []


def test_the_chart_follows_the_window_and_its_colours(
    chromium: Browser, shared: SharedCreator
) -> None:
    with visiting(chromium, shared, viewport=DESKTOP) as window:
        page = window.page
        enter(page, PIN)
        canvas = page.locator(".chart canvas")
        assert canvas.evaluate(BLUE_PIXELS) > 200
        page.set_viewport_size(PHONE)
        page.wait_for_function(f"() => {CANVAS}.getBoundingClientRect().width < 360")
        assert fits(page)
        page.emulate_media(color_scheme="dark")
        page.wait_for_function(f"() => ({BLUE_PIXELS})({CANVAS}) === 0")


def test_it_can_be_used_with_the_keyboard_alone(page: Page) -> None:
    expect(page.get_by_label("PIN")).to_be_focused()
    page.keyboard.type(PIN)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Views by day")).to_be_visible()
    expect(page.get_by_role("slider", name="Views by day")).to_be_visible()  # by the script
    expect(page.get_by_role("table")).to_be_hidden()
    for name in ("7 days", "28 days", "90 days", "This month", "Last month"):
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name=name, exact=True)).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator("summary", has_text="Other dates")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("slider", name="Views by day")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator("summary", has_text="as a table")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("table")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("region", name="Views by day")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator(".top-posts a").first).to_be_focused()


@pytest.mark.parametrize("scheme", sample(["light", "dark"], small=1))
def test_every_text_has_enough_contrast(
    chromium: Browser, shared: SharedCreator, scheme: str
) -> None:
    with visiting(chromium, shared, color_scheme=scheme) as window:
        enter(window.page, WRONG)
        assert window.page.evaluate(POOR_CONTRASTS) == []
        enter(window.page, PIN)
        expect(window.page.get_by_role("heading", name="Views by day")).to_be_visible()
        window.page.get_by_text("Views by day as a table").click()
        assert window.page.evaluate(POOR_CONTRASTS) == []
