"""A user whose actions are counted: a story at the desk takes at most twelve, by visible labels."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.fixtures.api import Tenant
from tests.fixtures.browser import visit
from tests.fixtures.desk import Sitter

MOST_ACTIONS = 12


@dataclass
class Hands:
    """A user in the browser; `page` is the active window."""

    page: Page
    actions: int = 0

    def click(self, name: str, role: Any = "button", *, nth: int = 0) -> None:
        """Click the nth button or link of this name; -1 is the last."""
        self.actions += 1
        self.page.get_by_role(role, name=name, exact=True).nth(nth).click()

    def follow(self, *names: str) -> None:
        for name in names:
            self.click(name, "link")

    def fill(self, label: str, text: str, *, nth: int = 0) -> None:
        """Fill in the nth field with this label."""
        self.actions += 1
        self.page.get_by_label(label, exact=True).nth(nth).fill(text)

    def choose(self, label: str, option: str) -> None:
        self.actions += 1
        self.page.get_by_label(label, exact=True).select_option(option)

    def tick(self, label: str) -> None:
        self.actions += 1
        self.page.get_by_label(label, exact=True).check()

    def press(self, key: str) -> None:
        self.actions += 1
        self.page.keyboard.press(key)

    def open(self, summary: str) -> None:
        self.actions += 1
        self.page.locator("summary", has_text=summary).press("Enter")

    def visit(self, address: str) -> None:
        """Open a link from a message, or reload the page."""
        self.actions += 1
        self.page.goto(urlsplit(address).path)

    def reads(self, *texts: str) -> None:
        """Assert that the page contains each text."""
        for text in texts:
            expect(self.page.locator("main")).to_contain_text(text, use_inner_text=True)

    @contextmanager
    def at(self, page: Page) -> Iterator[None]:
        """Act in another user's window for the block."""
        own, self.page = self.page, page
        yield
        self.page = own


@contextmanager
def hands_of(chromium: Browser, tenant: Tenant, path: str, **context: Any) -> Iterator[Hands]:
    """Open a page of the desk; on exit assert few actions and no browser errors."""
    sitter = Sitter(tenant)
    with browser_of(chromium, tenant, **context) as opened:
        opened.add_cookies(sitter.browser_cookies())
        window = visit(opened)
        window.page.goto(f"{sitter.home}{path}")
        hands = Hands(window.page)
        yield hands
        story = os.environ["PYTEST_CURRENT_TEST"].rpartition("::")[2]
        sys.stdout.write(f"{story} {hands.actions} actions\n")
        assert hands.actions <= MOST_ACTIONS
        assert window.complaints == [], window.complaints
        assert window.hosts() == {"127.0.0.1"}


@contextmanager
def browser_of(chromium: Browser, tenant: Tenant, **context: Any) -> Iterator[BrowserContext]:
    """A browser without a session."""
    with chromium.new_context(base_url=tenant.api.base_url, **context) as opened:
        yield opened
