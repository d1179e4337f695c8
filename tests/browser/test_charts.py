"""What a chart announces before any interaction."""

import re

import pytest
from playwright.sync_api import Browser, Route, expect

from tests.browser.test_pages import opened
from tests.fixtures.launched import Launched

pytestmark = pytest.mark.slow

LABELS = """
const { fillText } = CanvasRenderingContext2D.prototype;
window.labels = [];
CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
  labels.push(text);
  return fillText.call(this, text, ...place);
};
"""


def test_a_chart_with_days_to_come_opens_at_today(chromium: Browser, launched: Launched) -> None:
    tenant = launched.tenant
    [budget] = tenant.client.data("GET", "/budgets")
    with opened(chromium, tenant) as page:
        page.goto(f"/desk/projects/{tenant.project_id}/settings/budgets/{budget['id']}")
        reading = page.locator("figcaption")
        expect(reading).to_contain_text("20 May 2026 so far")
        expect(reading).to_contain_text("Left$180.00")
        page.get_by_role("slider", name="Budget left by day").press("ArrowRight")
        expect(reading).to_contain_text("21 May 2026")
        expect(reading).to_contain_text("Leftnot known")


def test_months_are_written_as_on_the_rest_of_the_page(
    chromium: Browser, launched: Launched
) -> None:
    tenant = launched.tenant
    [budget] = tenant.client.data("GET", "/budgets")
    address = f"/desk/projects/{tenant.project_id}/settings/budgets/{budget['id']}"
    with opened(chromium, tenant) as page:
        page.route(
            f"**{address}",
            lambda route: route.fulfill(
                response=(answer := route.fetch()),
                body=answer.text().replace("2026-05-", "2026-09-"),
            ),
        )
        page.goto(address)
        expect(page.locator("figcaption")).to_contain_text("20 Sep 2026")


def test_an_axis_that_reaches_below_zero_has_zero(chromium: Browser, launched: Launched) -> None:
    """49 views gained on one day, and one lost on another."""

    def change(route: Route) -> None:
        response = route.fetch()
        [days] = re.findall(r'"values": \[([^]]*)\]', response.text())[:1]
        losing = [-1, 49, *[0] * (len(days.split(",")) - 2)]
        route.fulfill(response=response, body=response.text().replace(days, str(losing)[1:-1], 1))

    tenant = launched.tenant
    with opened(chromium, tenant) as page:
        page.add_init_script(LABELS)
        page.route(f"**{tenant.project_id}", change)
        page.goto(f"/desk/projects/{tenant.project_id}")
        expect(page.locator(".chart canvas").first).to_be_visible()
        labels = page.evaluate("labels")
        assert [label for label in labels if label in {"0", "10", "20", "40"}][:3] == [
            "0",
            "20",
            "40",
        ]
