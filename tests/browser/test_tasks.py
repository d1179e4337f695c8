"""A manager's tasks in a browser, from the overview on, by visible labels.

For others see `test_stories.py`.
"""

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.counted import Hands, browser_of, hands_of
from tests.browser.test_sign_in import Agent
from tests.factories.accruals import earning, publish_earnings
from tests.factories.payouts import rule
from tests.fixtures import agents
from tests.fixtures.api import Api, Tenant, new_tenant
from tests.fixtures.browser import authorize, reached, require_sound
from tests.fixtures.payouts import Paying, week_until
from tests.fixtures.programs import Browser as Member
from tests.serving_api.desk.test_inbox import add_posts

pytestmark = pytest.mark.slow

PHONE = {"width": 390, "height": 844}
CLIPBOARD = ["clipboard-read", "clipboard-write"]

WHY, ANSWER = "I began in March.", "The contract says April."

__all__ = ["reached"]


def has_row(hands: Hands, name: str, *cells: str) -> None:
    """Assert that the row of this name has all the cells."""
    row = hands.page.get_by_role("row").filter(has=hands.page.get_by_role("rowheader", name=name))
    for cell in cells:
        expect(row.first).to_contain_text(cell, use_inner_text=True)


def says(hands: Hands, text: str) -> None:
    """Assert the message of the last form."""
    expect(hands.page.get_by_role("status")).to_contain_text(text)


def test_failed_lines_stay_with_their_error(chromium: Browser, tenant: Tenant) -> None:
    with hands_of(chromium, tenant, "") as hands:
        hands.follow("Creators", "Paste a list")
        hands.fill("Creators", "- Mila, @mila\n- Noor; @noor\n- @MILA\n- Vera, @ve ra")
        hands.click("Preview")
        hands.click("Add 2 creators")
        says(hands, "2 creators added, 2 not.")
        expect(hands.page.locator("#preview + .good")).to_contain_text("2 creators added, 2 not.")
        box = hands.page.get_by_label("Creators", exact=True)
        expect(box).to_have_value("- @MILA\n- Vera, @ve ra")
        has_row(hands, "@MILA", "Not added: @mila is already tracked")
        has_row(hands, "Vera", "Not added: A handle has no spaces: copy it from the profile")
    assert len(tenant.client.data("GET", "/creators")) == 2


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
        expect(hands.page.get_by_role("heading", name="Assigned creators")).to_be_visible()
        for name in names:
            hands.page.get_by_label(f"Select {name}").check()
        hands.click("Assign selected")
        expect(hands.page.get_by_text("Assigned", exact=True)).to_have_count(5)
        hands.follow("Pay rules")
        has_row(hands, "Autumn", "5", "Active")


def test_a_dispute_is_answered_as_corrected(chromium: Browser, paying: Paying) -> None:
    tenant = paying.tenant
    body = {"pin": "4821", "show_analytics": False, "show_payouts": True}
    tenant.client.data("POST", f"/creators/{paying.ada['id']}/share-link", json=body)
    with browser_of(chromium, tenant) as phone, hands_of(chromium, tenant, "") as hands:
        with hands.at(phone.new_page()):
            hands.visit(f"/share/creator/{paying.ada['id']}")
            hands.fill("PIN", "4821")
            hands.click("Open")
            hands.click("Dispute this amount", "link", nth=-1)
            hands.fill("Why is this amount wrong?", WHY)
            hands.click("Send dispute")
        paying.publish(settled=10_500)
        hands.visit(hands.page.url)
        hands.follow("1 disputed amount")
        hands.fill("Answer", ANSWER)
        hands.click("Answer and mark as corrected")
        says(hands, "Dispute marked as corrected.")
        with hands.at(phone.pages[0]):
            hands.visit(hands.page.url)
            hands.reads("$105.00", "disputed, corrected by $5.00", ANSWER)


def test_an_agent_is_connected_and_disconnected(chromium: Browser, reached: Api) -> None:
    with (
        new_tenant(reached) as tenant,
        hands_of(chromium, tenant, "", permissions=CLIPBOARD) as hands,
    ):
        hands.follow("Settings", "Agents")
        hands.click("Copy Address")
        expect(hands.page.get_by_role("button", name="Copied")).to_be_visible()
        address = hands.page.evaluate("navigator.clipboard.readText()")
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
            says(hands, "Agent disconnected.")
            hands.reads("No connected apps.")
            assert later.message("tools/list").status_code == 401


def test_an_amount_is_put_on_hold_and_released(chromium: Browser, paying: Paying) -> None:
    with hands_of(chromium, paying.tenant, "", permissions=CLIPBOARD) as hands:
        hands.follow("Payouts")
        hands.follow(f"{paying.structure['name']} , ada, 27 Apr 2026 to 3 May 2026")
        hands.click("Copy link")
        expect(hands.page.get_by_role("button", name="Copied")).to_be_visible()
        assert hands.page.evaluate("navigator.clipboard.readText()") == hands.page.url
        hands.open("Put on hold")
        hands.fill("Reason to hold", "The contract is not signed.")
        hands.click("Put on hold")
        hands.reads("On hold", "The contract is not signed.")
        hands.fill("Reason to release", "Signed on 20 May.")
        hands.click("Release")
        hands.reads("Released", "Signed on 20 May.")
        expect(hands.page.get_by_role("button", name="Approve $100.00")).to_be_visible()


def test_a_payment_is_corrected_and_sent_to_the_accountant(
    chromium: Browser, paying: Paying
) -> None:
    with hands_of(chromium, paying.tenant, "") as hands:
        hands.follow("$150.00 to approve")
        hands.open("Approve all 2")
        hands.click("Yes, approve all 2 for $150.00")
        hands.follow("To pay 2", "Start payment run")
        hands.choose("Default method", "Wise")
        hands.open("Record selected as paid")
        hands.click("Yes, record selected as paid")
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
            ("void", "0.00"),
        ]
        expect(hands.page.get_by_role("link", name="To pay 1", exact=True)).to_be_visible()


def test_payments_just_recorded_are_undone(chromium: Browser, paying: Paying) -> None:
    for name in ("settled", "bobs"):
        paying.decide(name, status="approved")
    with hands_of(chromium, paying.tenant, "/payouts/run", viewport=PHONE) as hands:
        hands.choose("Default method", "Wise")
        hands.open("Record selected as paid")
        hands.click("Yes, record selected as paid")
        says(hands, "2 payments recorded, $150.00.")
        hands.click("Undo")
        says(hands, "2 payments void, $150.00. The amounts can be paid again.")
        hands.follow("To pay 2")
        # A phone shows the list on its first screen: dates and filters are folded.
        box = hands.page.get_by_role("link", name="27 Apr 2026").first.bounding_box()
        assert box
        assert box["y"] < PHONE["height"] - box["height"]
        hands.open("Dates and filters")
        hands.fill("Creator", "bo")
        hands.click("Filter")
        hands.reads("Dates and filters (1)", "Total: $50.00")


NAMES = [f"Creator {number:02}" for number in range(30)]


def test_thirty_creators_are_added_by_pasting(
    chromium: Browser, tenant: Tenant, scripts: bool
) -> None:
    pasted = "\n".join(f"{name}\t@creator.{place}" for place, name in enumerate(NAMES))
    with hands_of(chromium, tenant, "", java_script_enabled=scripts) as hands:
        hands.follow("Creators", "Paste a list")
        hands.fill("Creators", pasted)
        hands.click("Preview")
        expect(hands.page.get_by_role("row")).to_have_count(31)
        if scripts:
            require_sound(hands.page, "preview")
        hands.click("Add 30 creators")
        expect(hands.page.get_by_role("link", name=NAMES[0], exact=True)).to_be_visible()
    listed = tenant.client.data("GET", "/creators", params={"limit": "100"})
    assert sorted(creator["display_name"] for creator in listed) == NAMES


def test_a_campaign_with_members(chromium: Browser, tenant: Tenant, scripts: bool) -> None:
    names = NAMES[:6]
    for place, name in enumerate(names):
        tenant.creator(f"c{place}", display_name=name)
    with hands_of(chromium, tenant, "/campaigns", java_script_enabled=scripts) as hands:
        hands.click("New campaign", "link")
        hands.fill("Name", "Autumn")
        hands.click("Create campaign")
        for name in names:
            hands.tick(f"Select {name}")
        hands.click("Add selected")
        expect(hands.page.get_by_text("Added", exact=True)).to_have_count(len(names))
        if scripts:
            require_sound(hands.page, "members")
    [campaign] = tenant.client.data("GET", "/campaigns")
    assert len(tenant.client.data("GET", f"/campaigns/{campaign['id']}/items")) == len(names)


def test_an_inbox_of_30_posts_by_keyboard(chromium: Browser, tenant: Tenant) -> None:
    ids = add_posts(tenant, tenant.creator("ada"), [f"Post {number}" for number in range(30)])
    with hands_of(chromium, tenant, "/inbox") as hands:
        banner = hands.page.get_by_role("status")
        require_sound(hands.page, "inbox")
        hands.press("j")
        hands.press("j")
        hands.press("r")
        expect(banner).to_contain_text("1 post rejected.")
        expect(hands.page.get_by_label("Select Post 2", exact=True)).to_be_focused()
        hands.press("k")
        hands.press("r")
        expect(hands.page.get_by_label("Select Post 2", exact=True)).to_be_focused()
        hands.press("u")
        expect(hands.page.get_by_text("29 posts to review")).to_be_visible()
        hands.open("Approve all 29")
        hands.click("Yes, approve all 29")
        expect(banner).to_contain_text("29 posts approved.")
        require_sound(hands.page, "approved")
    assert statuses(tenant, ids) == ["included", "excluded", *["included"] * 28]


def statuses(tenant: Tenant, ids: list[str]) -> list[str]:
    return [tenant.client.data("GET", f"/videos/{video_id}")["tracking_status"] for video_id in ids]


@pytest.fixture
def due(api: Api, tmp_path: Path) -> Iterator[Tenant]:
    """Ten creators with $10.00 each to approve, and a payout method for each."""
    with api.changed(home=tmp_path) as served, new_tenant(served) as tenant:
        fee = rule("recurring", period="weekly", amount_cents=1_000, proration_mode="prorate")
        path = f"/payout-structures/{tenant.payout_structure(fee, name='Fee')}"
        structure = tenant.client.data("GET", path)
        creators = [
            tenant.creator(f"c{place}", display_name=name) for place, name in enumerate(NAMES[:10])
        ]
        [method, *_] = tenant.client.data("GET", "/payout-methods")
        for creator in creators:
            account = {"payout_method_id": method["id"], "details": {}}
            tenant.client.data("PUT", f"/creators/{creator['id']}/payout-account", json=account)
        earnings = [
            earning(tenant, structure, creator, week_until(3), 1_000) for creator in creators
        ]
        publish_earnings(served.settings, api.store, earnings, settling_days=3)
        yield tenant


def test_a_month_is_approved_and_paid_for_ten_creators(
    chromium: Browser, due: Tenant, scripts: bool
) -> None:
    with hands_of(chromium, due, "/payouts", java_script_enabled=scripts) as hands:
        hands.open("Approve all 10")
        hands.click("Yes, approve all 10 for $100.00")
        hands.click("To pay 10", "link")
        hands.click("Start payment run", "link")
        if scripts:
            require_sound(hands.page, "run")
            box = hands.page.get_by_role("checkbox", name="Select Creator 00")
            box.uncheck()
            expect(hands.page.get_by_text("9 selected: $90.00")).to_be_visible()
            box.check()
            expect(hands.page.get_by_text("10 selected: $100.00")).to_be_visible()
        hands.fill("Reference", "May")
        with hands.page.expect_download() as download:
            hands.click("Download CSV of transfers")
        lines = Path(download.value.path()).read_text().splitlines()
        assert len(lines) == 11
        assert lines[1].endswith(",10.00,USD,May,")
        hands.open("Record selected as paid")
        hands.click("Yes, record selected as paid")
        expect(hands.page.get_by_text("10 payments recorded, $100.00.")).to_be_visible()
        expect(hands.page.get_by_role("link", name="Creator 00")).to_be_visible()
        if scripts:
            require_sound(hands.page, "payments")
    payments = due.client.data("GET", "/payout-payments")
    assert len(payments) == 10
    assert {payment["reference"] for payment in payments} == {"May"}
