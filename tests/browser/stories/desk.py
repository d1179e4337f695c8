"""What a story can do: read and click on pages, look up platform data, and wait."""

import re
from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from playwright.sync_api import Browser, Page, expect

from scrapers.simulator import RunningSimulator
from tests.fixtures.browser import PATIENCE_MS, fits, visit
from tests.fixtures.desk import Sitter
from tests.fixtures.programs import PASSWORD
from tests.scenarios.campaign import Wait

BERLIN = ZoneInfo("Europe/Berlin")
SINCE = date(2026, 8, 25)
QUALITY = 0.82
AS_WEBP = """
async ([png, quality]) => {
  const image = new Image();
  image.src = "data:image/png;base64," + png;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.width;
  canvas.height = image.height;
  canvas.getContext("2d").drawImage(image, 0, 0);
  return canvas.toDataURL("image/webp", quality).split(",")[1];
}
"""


def morning(day: int) -> Wait:
    """Wait for the pipeline run of a morning in September."""
    return Wait(datetime(2026, 9, day, 8, tzinfo=BERLIN))


@dataclass
class Desk:
    """An admin's browser window and its environment.

    `looks` are the times of fetches; screenshots go to `pictures`.
    """

    sitter: Sitter
    page: Page
    simulator: RunningSimulator
    looks: Sequence[datetime]
    pictures: Path | None

    # The admin's actions

    def sign_in(self) -> None:
        self.page.goto("/")
        self.page.get_by_label("E-mail address").fill(self.sitter.email)
        self.page.get_by_label("Password").fill(PASSWORD)
        self.page.keyboard.press("Enter")
        self.reads_heading("Overview")

    def open(self, *links: str) -> None:
        """Follow links by name, one after the other."""
        for link in links:
            self.page.get_by_role("link", name=link, exact=True).first.click()

    def open_amount(self, rule: str) -> None:
        """Open the first amount of a rule."""
        self.page.get_by_role("rowheader").get_by_role("link", name=rule).first.click()

    def press(self, button: str) -> None:
        self.page.get_by_role("button", name=button, exact=True).click()

    def fill(self, **fields: str) -> None:
        """Fill in a form: field labels, with _ for spaces."""
        for label, value in fields.items():
            self.page.get_by_label(label.replace("_", " "), exact=True).first.fill(value)

    def add_creator(self, name: str, *, mode: str = "auto", **handles: str) -> None:
        """Track a creator from SINCE on."""
        self.open("Creators", "Add a creator")
        self.fill(Name=name, Posts_from=SINCE.isoformat())
        for platform, handle in handles.items():
            self.page.get_by_label(f"Account on {platform}").fill(handle)
        self.page.get_by_label("Which posts count").select_option(mode)
        self.press("Add a creator")
        self.reads_heading(name)

    def make_monthly_fee(self, dollars: str) -> None:
        self.open("Pay rules", "Retainer: fixed pay")
        self.fill(Name="Monthly fee", Amount_in_dollars=dollars)
        self.page.get_by_label("Period", exact=True).select_option("monthly")
        self.press("Preview")
        self.press("Save rule")

    def pay_by(self, structure: str, creator: str, day: str = "", action: str = "Assign") -> None:
        """Assign a creator to a structure, from or until a day."""
        self.open("Pay rules", structure, "Assigned creators")
        self.page.get_by_label("Date").fill(day)
        self.press(f"{action} {creator}")

    def pay_all_of(self, creator: str, dollars: str) -> None:
        """Approve all due amounts of a creator and record the payment."""
        self.open("Overview", f"{dollars} to approve")
        self.page.get_by_role("button", name=f"Approve {dollars} for {creator}").click()
        self.open("To pay 1", f"Pay all amounts of {creator}")
        self.page.get_by_label("Method").select_option("Wise")
        self.page.locator("summary", has_text=f"Record {dollars} as paid").press("Enter")
        self.press(f"Yes, record {dollars} as paid")

    # The admin's reads

    def reads(self, *texts: str) -> None:
        """Assert that the page contains each text."""
        for text in texts:
            expect(self.page.locator("main")).to_contain_text(text, use_inner_text=True)

    def reads_not(self, text: str) -> None:
        expect(self.page.locator("main")).not_to_contain_text(text)

    def reads_heading(self, name: str) -> None:
        expect(self.page.get_by_role("heading", name=name, exact=True)).to_be_visible()

    def row(self, name: str) -> list[str]:
        """The visible cells of the table row that starts with a name."""
        rows = self.page.get_by_role("row").filter(has=self.page.get_by_text(name, exact=True))
        return [" ".join(cell.split()) for cell in rows.first.locator("th, td").all_inner_texts()]

    def number(self, pattern: str) -> int:
        """The number in the first group of a pattern that matches the page's text."""
        match = re.search(pattern, self.page.locator("main").inner_text())
        assert match, self.page.locator("main").inner_text()
        return int(match[1].replace(",", ""))

    def picture(self, name: str) -> None:
        """Save a screenshot if `pictures` is set; assert that the page fits in any case."""
        assert fits(self.page)
        if self.pictures is None:
            return
        shot = b64encode(self.page.screenshot()).decode()
        with self.page.context.browser.new_page() as blank:  # type: ignore[union-attr]
            small: str = blank.evaluate(AS_WEBP, [shot, QUALITY])
        (self.pictures / f"{name}.webp").write_bytes(b64decode(small))

    def elsewhere(self, browser: Browser, **context: Any) -> "Desk":
        """Another user's browser window, without a session."""
        return opened(browser, self.sitter, self.simulator, self.looks, self.pictures, **context)

    # Platform data

    def handles(self, platform: str = "tiktok") -> list[str]:
        return self.simulator.world.handles(platform)

    def views_seen(self, handle: str, until: Wait) -> list[int]:
        """The views of each counted TikTok post, as of its last fetch before `until`."""
        begins = datetime.combine(SINCE, datetime.min.time(), BERLIN)
        last = {
            post.platform_video_id: post.view_count or 0
            for look in self.looks
            if look <= until.until
            for post in self.simulator.world.posts("tiktok", handle, look)
            if post.posted_at >= begins
        }
        return list(last.values())


def opened(
    browser: Browser,
    sitter: Sitter,
    simulator: RunningSimulator,
    looks: Sequence[datetime],
    pictures: Path | None,
    **context: Any,
) -> Desk:
    """Open a window in a browser context of its own."""
    options = {"viewport": {"width": 1200, "height": 800}, **context}
    made = browser.new_context(base_url=sitter.tenant.api.base_url, **options)
    made.set_default_timeout(PATIENCE_MS)
    return Desk(sitter, visit(made).page, simulator, looks, pictures)
