"""Eight stories of an agency in a browser, with script and without, of at most 12 actions.

Stories of many at once are in `test_tasks.py`.
"""

from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.counted import Hands, browser_of, hands_of
from tests.fixtures.agency import PAID, PRIVATE, Agency, agency
from tests.fixtures.browser import require_sound, visit
from tests.fixtures.receiver import Receiver
from warehouse.encryption import Encryption
from warehouse.secret_key import secret_key
from warehouse.webhooks.delivering import Deliverer
from warehouse.webhooks.sending import Sender

pytestmark = pytest.mark.slow

__all__ = ["agency"]

PIN = "4821"
WHY, ANSWER = "I began in March.", "The contract says April."


def test_the_worst_post_of_last_month_and_why(
    chromium: Browser, agency: Agency, scripts: bool
) -> None:
    with hands_of(chromium, agency.tenant, "", java_script_enabled=scripts) as hands:
        hands.follow("Posts", "Most views", "Last month", "Gained")
        expect(hands.page.get_by_role("row").nth(1)).to_contain_text("Post 9")
        hands.follow("Post 9")
        hands.reads("300 views gained")
        for metric, numbers in {"Views": "300 240,000", "Like rate": "1.0% 5.0%"}.items():
            row = hands.page.get_by_role("row", name=f"{metric} {numbers}")
            expect(row).to_be_visible()
        if scripts:
            require_sound(hands.page, "worst post")


def test_a_price_with_tiers_for_ten_creators(
    chromium: Browser, agency: Agency, scripts: bool
) -> None:
    client = agency.tenant.client
    before = {structure["id"] for structure in client.data("GET", "/payout-structures")}
    with hands_of(chromium, agency.tenant, "", java_script_enabled=scripts) as hands:
        hands.follow("Rule lab", "CPM: pay per 1,000 views")
        hands.fill("Up to views", "10,000")
        hands.fill("Dollars per 1,000", "1")
        hands.fill("Dollars per 1,000", "0.5", nth=1)
        hands.choose("Campaign", "Autumn")
        hands.fill("From", "2026-04-01")
        hands.fill("To", "2026-04-30")
        hands.click("Simulate")
        # 1,000, 9,000 and 10,000 views in three weeks, and ten times as many.
        expect(hands.page.get_by_role("row", name="Creator 0")).to_contain_text("$20.00")
        if scripts:
            require_sound(hands.page, "tried")
        hands.click("Use this rule")
        hands.reads("$1.00 per 1,000 views up to 10,000")
        if scripts:
            require_sound(hands.page, "used")
        hands.fill("Name", f"Tiers {scripts}")  # else the lab lists it under the name of its kind
        hands.click("Save rule")
        expect(hands.page.get_by_text("Assigned", exact=True)).to_have_count(len(agency.creators))
    [made] = [
        structure
        for structure in client.data("GET", "/payout-structures")
        if structure["id"] not in before
    ]
    assignments = client.data("GET", f"/payout-structures/{made['id']}/assignments")
    assert {assignment["creator_id"] for assignment in assignments} == {
        creator["id"] for creator in agency.creators
    }


def test_a_dispute_on_both_sides(chromium: Browser, agency: Agency, scripts: bool) -> None:
    tenant, creator = agency.tenant, agency.creators[PAID]
    body = {"pin": PIN, "show_analytics": False, "show_payouts": True}
    tenant.client.data("POST", f"/creators/{creator['id']}/share-link", json=body)
    link = f"/share/creator/{creator['id']}"
    with (
        browser_of(chromium, tenant, java_script_enabled=scripts) as phone,
        hands_of(chromium, tenant, "", java_script_enabled=scripts) as hands,
    ):
        with hands.at(phone.new_page()):
            unlock(hands, link)
            hands.click("Dispute this amount", "link", nth=-1)
            hands.fill("Why is this amount wrong?", WHY)
            hands.click("Send dispute")
            hands.reads("not answered yet")
        hands.follow("Inbox", "$310.00 for Creator 7")
        hands.fill("Answer", ANSWER)
        hands.click("Answer and reject")
        with hands.at(phone.pages[0]):
            hands.visit(hands.page.url)
            hands.reads(ANSWER)


def unlock(hands: Hands, link: str) -> None:
    hands.visit(link)
    hands.fill("PIN", PIN)
    hands.click("Open")


def test_why_numbers_stand_still(chromium: Browser, agency: Agency, scripts: bool) -> None:
    with hands_of(chromium, agency.tenant, "", java_script_enabled=scripts) as hands:
        hands.follow("Creators", f"Creator {PRIVATE}")
        hands.reads("private: only followers see its posts", "since 12 May 2026")


def test_an_invitation_of_a_member_who_may_not_pay(
    chromium: Browser, agency: Agency, scripts: bool
) -> None:
    with (
        browser_of(chromium, agency.tenant, java_script_enabled=scripts) as other,
        hands_of(chromium, agency.tenant, "", java_script_enabled=scripts) as hands,
    ):
        hands.follow("Settings", "Invite a member")
        hands.fill("E-mail address", f"noor.{scripts}@test.invalid")
        hands.choose("Role", "member")
        hands.click("Invite")
        link = hands.page.get_by_label("Link", exact=True).input_value()
        with hands.at(other.new_page()):
            hands.visit(link)
            hands.fill("Your name", "Noor")
            hands.fill("New password", "quite a long password")
            hands.click("Join")
            expect(hands.page.get_by_role("heading", name="Overview")).to_be_visible()
            hands.follow("Payouts")
            hands.reads("Only admins can approve and pay.")


def test_a_key(chromium: Browser, agency: Agency, scripts: bool) -> None:
    with hands_of(chromium, agency.tenant, "", java_script_enabled=scripts) as hands:
        hands.follow("Settings", "API keys", "Create a key")
        hands.fill("Name", "Nightly")
        hands.click("Create key")
        key = hands.page.get_by_label("Key", exact=True).input_value()
    with agency.tenant.api.client(key) as client:
        assert len(client.data("GET", "/creators")) == len(agency.creators)


def test_a_report_for_a_client(chromium: Browser, agency: Agency, scripts: bool) -> None:
    with (
        browser_of(chromium, agency.tenant, java_script_enabled=scripts) as other,
        hands_of(chromium, agency.tenant, "", java_script_enabled=scripts) as hands,
    ):
        hands.follow("Settings", "Reports", "Share a report")
        hands.choose("Report on", "Autumn")
        hands.fill("Custom PIN", PIN)
        hands.click("Share report")
        link = hands.page.get_by_label("Link", exact=True).input_value()
        window = visit(other)
        with hands.at(window.page):
            unlock(hands, link)
            expect(hands.page.get_by_role("heading", name="Autumn")).to_be_visible()
            hands.follow("Last month")
            hands.reads("1,620,300 views gained")
        assert window.complaints == []


def test_a_webhook(chromium: Browser, agency: Agency, receiver: Receiver, scripts: bool) -> None:
    api = agency.tenant.api
    with (
        ThreadPoolExecutor(1) as pool,
        hands_of(chromium, agency.tenant, "", java_script_enabled=scripts) as hands,
    ):
        hands.follow("Settings", "Webhooks", "Add a webhook")
        hands.fill("URL", receiver.url)
        hands.click("Add webhook")
        secret = hands.page.get_by_label("Secret", exact=True).input_value()
        hands.follow("Back to webhooks")
        hands.click(f"Test {receiver.url}")
        hands.reads("Pending")
        encryption = Encryption(secret_key(api.settings))
        Deliverer(api.store, encryption, Sender(loopback=True), pool).deliver()
        hands.visit(hands.page.url)
        hands.reads("Delivered")
    [received] = receiver.received
    assert received.is_signed_with(secret)
