"""Tasks of a manager in a browser, from the overview on, by visible labels.

Others are in `test_counted.py`, `test_many_at_once.py` and `test_stories.py`.
"""

import csv
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.counted import Hands, browser_of, hands_of
from tests.browser.test_counted import ANSWER, WHY, unlock
from tests.browser.test_sign_in import Agent
from tests.fixtures import agents
from tests.fixtures.api import Api, Tenant, new_tenant
from tests.fixtures.browser import authorize, reached
from tests.fixtures.explained import Explained, explained
from tests.fixtures.launched import HOSTILE, Launched, launched
from tests.fixtures.payouts import Paying, paying, paying_api
from tests.fixtures.programs import Browser as Member
from tests.serving_api.desk.test_posts import risen
from tests.serving_api.resources.programs.test_goal_compliance import Stage, stage

pytestmark = pytest.mark.slow

__all__ = ["explained", "launched", "paying", "paying_api", "reached", "risen", "stage"]


def has_row(hands: Hands, name: str, *cells: str) -> None:
    """Hold that the row of a name says all of the cells."""
    row = hands.page.get_by_role("row").filter(has=hands.page.get_by_role("rowheader", name=name))
    for cell in cells:
        expect(row.first).to_contain_text(cell, use_inner_text=True)


def says(hands: Hands, text: str) -> None:
    """Hold that the message of the last form says so."""
    expect(hands.page.get_by_role("status")).to_contain_text(text)


def test_lines_that_fail_stay_with_their_reason(chromium: Browser, tenant: Tenant) -> None:
    with hands_of(chromium, tenant, "") as hands:
        hands.follow("Creators", "Paste a list")
        hands.fill("Creators", "- Mila, @mila\n- Noor; @noor\n- @MILA\n- Vera, @ve ra")
        hands.click("Preview")
        hands.click("Add 2 creators")
        says(hands, "2 creators added, 2 not.")
        box = hands.page.get_by_label("Creators", exact=True)
        expect(box).to_have_value("- @MILA\n- Vera, @ve ra")
        has_row(hands, "@MILA", "Not added: @mila is already tracked")
        has_row(hands, "Vera", "Not added: Not a valid handle: enter it without spaces")
    assert len(tenant.client.data("GET", "/creators")) == 2


def test_a_creator_with_two_accounts(chromium: Browser, tenant: Tenant) -> None:
    with hands_of(chromium, tenant, "") as hands:
        hands.follow("Add a creator")
        hands.fill("Name", "Mila")
        hands.fill("Account on TikTok", "@mila.tok")
        hands.fill("Account on Instagram", "https://www.instagram.com/mila.insta/")
        hands.click("Add a creator")
        hands.reads("TikTok @mila.tok", "Instagram @mila.insta", "First check queued")


def test_a_price_with_tiers_for_five_creators(chromium: Browser, tenant: Tenant) -> None:
    names = [f"Creator {number}" for number in range(5)]
    for number, name in enumerate(names):
        tenant.creator(f"c{number}", display_name=name)
    with hands_of(chromium, tenant, "") as hands:
        hands.follow("Pay rules", "CPM: pay per 1,000 views")
        hands.fill("Name", "Autumn")
        hands.fill("Up to views", "10,000")
        hands.fill("Dollars per 1,000", "1")
        hands.fill("Dollars per 1,000", "0.5", nth=1)
        hands.click("Preview")
        hands.reads("$1.00 per 1,000 views up to 10,000")
        hands.click("Save rule")
        expect(
            hands.page.get_by_role("heading", name="Creators assigned to Autumn")
        ).to_be_visible()
        for name in names:
            hands.page.get_by_label(f"Select {name}").check()
        hands.click("Assign selected")
        expect(hands.page.get_by_text("Assigned", exact=True)).to_have_count(5)
        hands.follow("Pay rules")
        has_row(hands, "Autumn", "5", "Active")


def test_why_an_amount_fell(chromium: Browser, explained: Explained) -> None:
    with hands_of(chromium, explained.tenant, "") as hands:
        hands.follow("Creators", "Ada", "Views , Ada, 4 May 2026 to 10 May 2026")
        hands.reads(
            "$11.00 for Ada",
            "-$11.50",
            "after $22.50",
            "Above the maximum of $11.00 per period: -$2.476",
        )


def test_two_campaigns_compared(chromium: Browser, launched: Launched) -> None:
    with hands_of(chromium, launched.tenant, "") as hands:
        hands.follow("Campaigns")
        hands.tick("Compare Spring")
        hands.tick(f"Compare {HOSTILE}")
        hands.click("Compare two")
        expect(hands.page.get_by_role("heading", name="Compared")).to_be_visible()
        has_row(hands, "Spend", "$40.00")
        has_row(hands, "Per 1,000 views", "$9.76")


def test_a_weekly_goal_and_who_is_behind(chromium: Browser, stage: Stage) -> None:
    with hands_of(chromium, stage.tenant, "") as hands:
        hands.follow("Settings", "Goals", "ada")
        hands.fill("Target", "300")
        hands.choose("Metric", "Views")
        hands.click("Set goal")
        hands.reads("300 views")
        hands.follow("Goals")
        hands.reads("Behind", "400", "At risk")


def test_posts_that_took_off_this_week(chromium: Browser, risen: Tenant) -> None:
    with hands_of(chromium, risen, "") as hands:
        hands.follow("Posts", "Taking off")
        hands.reads("Posted in the last 7 days, with at least 1,000 views and 3 times the median")
        expect(hands.page.get_by_role("row")).to_have_count(2)
        has_row(hands, "Post without a caption", "3,000", "3.0\u00d7")


def test_a_dispute_is_answered_as_corrected(chromium: Browser, paying: Paying) -> None:
    tenant = paying.tenant
    body = {"pin": "4821", "show_analytics": False, "show_payouts": True}
    tenant.client.data("POST", f"/creators/{paying.ada['id']}/share-link", json=body)
    with browser_of(chromium, tenant) as phone, hands_of(chromium, tenant, "") as hands:
        with hands.at(phone.new_page()):
            unlock(hands, f"/share/creator/{paying.ada['id']}")
            hands.click("Dispute this amount", "link", nth=-1)
            hands.fill("Why is this amount wrong?", WHY)
            hands.click("Send dispute")
        paying.publish(settled=10_500)
        hands.visit(hands.page.url)
        hands.follow("1 disputed amount", "$100.00 for ada")
        hands.fill("Answer", ANSWER)
        hands.click("Answer and mark as corrected")
        says(hands, "Dispute marked as corrected.")
        with hands.at(phone.pages[0]):
            hands.visit(hands.page.url)
            hands.reads("$105.00", "disputed, corrected by $5.00", ANSWER)


def test_an_agent_is_connected_and_disconnected(chromium: Browser, reached: Api) -> None:
    with new_tenant(reached) as tenant, hands_of(chromium, tenant, "") as hands:
        hands.follow("Settings", "Agents")
        address = hands.page.get_by_label("Address", exact=True).input_value()
        agent = Agent(f"{address}?toolsets=all")
        agent.start()
        authorize(chromium, agent.addresses.get(timeout=60), Member(tenant, role="member").email)
        agent.join(timeout=120)
        assert agent.written["data"]["created_via"] == "mcp"
        assert agent.kept.tokens
        with agents.Agent(reached, agent.kept.tokens.access_token) as later:
            assert later.message("tools/list").status_code == 200
            hands.visit(hands.page.url)
            has_row(hands, "Agent", "read, write")
            hands.open("Disconnect Agent")
            hands.click("Yes, disconnect Agent")
            says(hands, "App disconnected.")
            hands.reads("No connected apps.")
            assert later.message("tools/list").status_code == 401


def test_an_amount_is_held_and_released(chromium: Browser, paying: Paying) -> None:
    with hands_of(chromium, paying.tenant, "") as hands:
        hands.follow("Payouts")
        hands.follow(f"{paying.structure['name']} , ada, 27 Apr 2026 to 3 May 2026")
        hands.open("Put on hold")
        hands.fill("Reason to hold", "The contract is not signed.")
        hands.click("Put on hold")
        hands.reads("On hold", "The contract is not signed.")
        hands.fill("Reason to release", "Signed on 20 May.")
        hands.click("Release")
        hands.reads("Released", "Signed on 20 May.")
        expect(hands.page.get_by_role("button", name="Approve", exact=True)).to_be_visible()


def test_a_payment_is_put_right_and_goes_to_the_accountant(
    chromium: Browser, paying: Paying
) -> None:
    with hands_of(chromium, paying.tenant, "") as hands:
        hands.follow("$150.00 to approve")
        hands.open("Approve all 2")
        hands.click("Yes, approve all 2 for $150.00")
        hands.follow("To pay", "Start payment run")
        hands.choose("Default method", "Wise")
        hands.click("Record selected as paid")
        says(hands, "2 payments recorded, $150.00.")
        hands.page.get_by_role("row").filter(has_text="$100.00").get_by_role("link").click()
        hands.fill("Reason", "The bank sent it back.")
        hands.click("Void $100.00")
        says(hands, "Payment of $100.00 is void. Its amounts can be paid again.")
        hands.follow("Payments")
        with hands.page.expect_download() as download:
            hands.click("Download as CSV", "link")
        rows = csv.DictReader(Path(download.value.path()).read_text().splitlines())
        assert sorted((row["status"], row["amount"]) for row in rows) == [
            ("paid", "50.00"),
            ("void", "100.00"),
        ]
        hands.follow("To pay")
        hands.reads("Total: $100.00.")


def test_the_zone_is_changed(chromium: Browser, launched: Launched) -> None:
    with hands_of(chromium, launched.tenant, "") as hands:
        hands.follow("Settings", "Organization")
        hands.fill("Time zone", "Asia/Tokyo")
        hands.click("Save")
        says(hands, "Organization saved.")
        expect(hands.page.get_by_label("Time zone", exact=True)).to_have_value("Asia/Tokyo")
        hands.reads("Another zone applies from now on, to periods in progress too.")
