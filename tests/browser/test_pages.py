"""Every page of the desk in both themes, on a phone and on a large screen: it fits and axe passes.

A small dose opens each page in one theme and width, and runs axe on a quarter of them.

The list of pages is the access table, which has every page of the router.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from random import Random
from typing import Literal, get_args

import pytest
from playwright.sync_api import Browser, Page, expect

from serving_api.desk.rules.forms import KINDS
from tests.doses import SEED, dose
from tests.fixtures.api import Tenant, new_tenant
from tests.fixtures.browser import fits, require_sound, visit
from tests.fixtures.desk import Sitter
from tests.fixtures.launched import Launched
from tests.serving_api.desk.test_who_may import PAGES, ids

pytestmark = pytest.mark.slow

__all__ = ["ids"]

Theme = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = get_args(Theme)
LOOKS = [(width, theme) for width in (390, 1440) for theme in THEMES]
NARROW = (320, 720)
"""The narrowest phone, and a large screen at 200%."""
NO_PAGES = ("/picture", "/csv")
"""Endings of addresses that are not pages: axe would wait for them forever."""
SHOWN = [
    name.removeprefix("GET ")
    for name in PAGES
    if name.startswith("GET ") and not name.endswith(NO_PAGES)
]
NEW_STRUCTURE = next(path for path in SHOWN if path.endswith("/structures/new"))
VARIANTS = [f"{NEW_STRUCTURE}?kind={kind}" for kind in KINDS if kind != "recurring"]


EMPTY = [path for path in SHOWN if re.findall(r"{(\w+)}", path) == ["project_id"]]
"""Pages of an organization without data."""


@pytest.fixture(scope="module")
def window(chromium: Browser, launched: Launched) -> Iterator[Page]:
    """An admin's window."""
    tenant = launched.tenant
    due = f"/payout-accruals/{launched.id_of('settled')}"
    tenant.client.data("PATCH", due, json={"status": "approved"})
    with opened(chromium, tenant) as window:
        yield window


@pytest.fixture(scope="module")
def empty(chromium: Browser, launched: Launched) -> Iterator[tuple[Page, Tenant]]:
    """A window of an organization without data."""
    with new_tenant(launched.tenant.api) as tenant, opened(chromium, tenant) as window:
        yield window, tenant


@contextmanager
def opened(chromium: Browser, tenant: Tenant) -> Iterator[Page]:
    context = chromium.new_context(base_url=tenant.api.base_url)
    context.add_cookies(Sitter(tenant).browser_cookies())
    yield visit(context).page
    context.close()


OF_THE_PERSON = ("/desk?choose=yes", "/desk/passkeys", "/desk/password")


@pytest.mark.parametrize("path", [*SHOWN, *VARIANTS, *OF_THE_PERSON])
def test_a_page_fits_and_axe_finds_nothing(window: Page, ids: dict[str, str], path: str) -> None:
    looks = Random(f"{SEED} {path}").sample(LOOKS, dose(small=1, full=len(LOOKS)))
    opens_well(window, path.format(**ids), looks)


@pytest.mark.parametrize("path", EMPTY)
def test_an_empty_page_fits_and_axe_finds_nothing(empty: tuple[Page, Tenant], path: str) -> None:
    window, tenant = empty
    opens_well(window, path.format(project_id=tenant.project_id), [(390, "light")])


@pytest.mark.parametrize("path", ["/desk/nothing", "/share/nothing", "{home}/creators/nothing"])
def test_a_missing_page_fits_and_axe_finds_nothing(empty: tuple[Page, Tenant], path: str) -> None:
    window, tenant = empty
    response = window.goto(path.format(home=f"/desk/projects/{tenant.project_id}"))
    assert response.status in {400, 404}
    window.set_viewport_size({"width": 320, "height": 740})
    require_sound(window, path)


@pytest.mark.parametrize("theme", THEMES)
def test_placeholders_are_as_legible_as_hints(
    window: Page, launched: Launched, theme: Theme
) -> None:
    window.emulate_media(color_scheme=theme)
    window.goto(f"/desk/projects/{launched.tenant.project_id}")
    placeholder, hint = window.evaluate("""() => [
        getComputedStyle(document.querySelector("[placeholder]"), "::placeholder").color,
        getComputedStyle(document.querySelector(".hint")).color,
    ]""")
    assert placeholder == hint


def test_names_and_forecasts_have_room_on_a_narrow_phone(window: Page, launched: Launched) -> None:
    home = f"/desk/projects/{launched.tenant.project_id}"
    window.set_viewport_size({"width": 320, "height": 740})
    window.goto(f"{home}/payouts")
    [name, *_] = window.get_by_role("rowheader", name="Weekly fee").all()
    assert name.evaluate("cell => cell.clientWidth") > 200
    expect(window.get_by_role("link", name="Amount")).to_be_visible()
    goal = {"metric": "posts", "period": "weekly", "target_value": 3}
    launched.tenant.client.data("POST", f"/creators/{launched.ada['id']}/goals", json=goal)
    window.goto(f"{home}/creators/{launched.ada['id']}")
    hint = window.locator("[aria-labelledby=goals] .number .hint").first  # a full sentence wraps
    assert hint.evaluate("hint => getComputedStyle(hint).whiteSpace") == "normal"


SAME_NAMES = """() => {
    const paths = {}
    for (const link of document.querySelectorAll("main a[href]")) {
        if (!link.checkVisibility()) continue
        const path = link.pathname.replaceAll(/[0-9a-f-]{36}/g, "")
        const kind = link.origin === location.origin ? path : link.origin
        const name = kind + " " + (link.ariaLabel ?? link.textContent).replace(/\\s+/g, " ").trim();
        (paths[name] ??= new Set()).add(link.href)
    }
    return Object.entries(paths).filter(([, links]) => links.size > 1).map(([name, links]) =>
        [name, ...links])
}"""
"""Link names that pages of one kind share though their targets differ, with those targets."""


def opens_well(window: Page, address: str, looks: Sequence[tuple[int, Theme]]) -> None:
    response = window.goto(address)
    assert response.status == 200, address
    assert response.headers["content-type"].startswith("text/html"), address
    assert not (shared := window.evaluate(SAME_NAMES)), (address, shared)
    for width, theme in looks:
        window.set_viewport_size({"width": width, "height": 900})
        window.emulate_media(color_scheme=theme)
        require_sound(window, (theme, width))
    for width in NARROW:
        window.set_viewport_size({"width": width, "height": 900})
        assert fits(window), (address, width)
