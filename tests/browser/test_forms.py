"""Forms of the desk that no story presses, without scripts: each ends in what REST says of it.

One admin presses them one after the other; each is pressed wrongly before, where that can be.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.fixtures.api import Tenant
from tests.fixtures.browser import PHONE, fits
from tests.fixtures.desk import Sitter
from tests.fixtures.launched import HOSTILE, Launched, launched
from tests.fixtures.payouts import Paying, paying, paying_api
from tests.serving_api.resources.payouts.test_holds import odd, publish

pytestmark = pytest.mark.slow

__all__ = ["launched", "paying", "paying_api"]


class Presser:
    """Who sits at the desk with a phone, and asks REST what came of it."""

    def __init__(self, page: Page, tenant: Tenant) -> None:
        self.page, self.tenant = page, tenant

    def open(self, path: str) -> None:
        self.page.goto(f"/desk/projects/{self.tenant.project_id}{path}")

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def fill(self, **fields: str) -> None:
        """Fill in fields by their labels, with _ for spaces."""
        for label, value in fields.items():
            self.page.get_by_label(label.replace("_", " "), exact=True).first.fill(value)

    def choose(self, label: str, option: str) -> None:
        self.page.get_by_label(label, exact=True).first.select_option(option)

    def press_surely(self, word: str, about: str = "") -> None:
        """Press what nothing takes back: it is not there before somebody asks for it."""
        whole = f"{word} {about}".strip()
        sure = f"Yes, {whole[0].lower()}{whole[1:]}"
        expect(self.page.get_by_role("button", name=sure, exact=True)).to_have_count(0)
        self.page.locator("summary", has_text=whole).first.press("Enter")
        assert fits(self.page)
        self.press(sure)

    def is_told(self, label: str, message: str) -> None:
        """A refusal stands at its field, which has the focus."""
        field = self.page.get_by_label(label, exact=True).first
        expect(field).to_have_accessible_description(message)
        expect(field).to_be_focused()

    def data(self, path: str) -> Any:
        return self.tenant.client.data("GET", path)


@contextmanager
def sitting(chromium: Browser, tenant: Tenant) -> Iterator[Presser]:
    sitter = Sitter(tenant)
    address = f"{tenant.api.base_url}/desk"
    with chromium.new_context(
        base_url=tenant.api.base_url, viewport=PHONE, java_script_enabled=False
    ) as context:
        context.add_cookies(
            [
                {"name": cookie.name, "value": cookie.value or "", "url": address}
                for cookie in sitter.cookies.jar
            ]
        )
        yield Presser(context.new_page(), tenant)


@pytest.fixture(scope="module")
def admin(chromium: Browser, launched: Launched) -> Iterator[Presser]:
    with sitting(chromium, launched.tenant) as presser:
        yield presser


def test_goals(admin: Presser, launched: Launched) -> None:
    of_ada = f"/creators/{launched.ada['id']}/goals"
    admin.open(f"/settings/goals/{launched.ada['id']}")
    admin.fill(Target="many")
    admin.press("Set goal")
    admin.is_told("Target", "Enter a whole number (1000 or 1,000)")
    admin.fill(Target="1,000")
    admin.choose("Metric", "views")
    admin.press("Set goal")
    [goal] = admin.data(of_ada)
    assert (goal["metric"], goal["target_value"], goal["period"]) == ("views", 1_000, "weekly")
    admin.page.get_by_role("link", name="Edit 1,000 views").click()
    admin.fill(Target="2000")
    admin.press("Save goal")
    admin.press("Pause 2,000 views each week")
    [goal] = admin.data(of_ada)
    assert (goal["target_value"], goal["is_active"]) == (2_000, False)
    admin.press_surely("Delete", "2,000 views each week")
    assert admin.data(of_ada) == []


def test_enter_simulates_a_rule(admin: Presser) -> None:
    """In the search for creators it finds them first. The stage lacks data of simulations."""
    admin.open("/rule-lab/new?kind=recurring")
    admin.fill(Amount_in_dollars="10")
    admin.page.get_by_label("Amount in dollars").press("Enter")
    expect(admin.page.get_by_text("Choose creators or a campaign")).to_be_visible()
    search = admin.page.get_by_label("Find creators by name or handle")
    search.fill("ada")
    search.press("Enter")
    expect(admin.page.get_by_text("Choose creators or a campaign")).to_have_count(0)
    expect(admin.page.get_by_role("checkbox", name=HOSTILE)).to_have_count(0)
    admin.page.get_by_role("checkbox", name="Ada").check()
    search.press("Enter")
    expect(admin.page.get_by_role("alert")).to_contain_text("lacks data")


def test_conversions(admin: Presser) -> None:
    events = f"/projects/{admin.tenant.project_id}/conversion-events?include_inactive=true"
    admin.open("/settings/conversion-events")
    admin.fill(Key="order", Name="Order", Value_in_dollars="12.345")
    admin.press("Add conversion")
    expect(admin.page.get_by_label("Value in dollars")).to_be_focused()
    admin.fill(Value_in_dollars="12.50")
    admin.press("Add conversion")
    admin.press("Stop Order")
    [event] = admin.data(events)
    assert (event["default_value_cents"], event["is_active"]) == (1_250, False)
    admin.press("Resume Order")
    admin.page.get_by_role("link", name="Order").click()
    admin.fill(Name="Purchase")
    admin.press("Save")
    [event] = admin.data(events)
    assert (event["name"], event["is_active"]) == ("Purchase", True)


def test_ways_of_paying_and_how_a_creator_is_paid(admin: Presser, launched: Launched) -> None:
    ways, account = "/payout-methods", f"/creators/{launched.ada['id']}/payout-account"
    admin.open("/settings/payout-methods")
    admin.fill(Name="Wire")
    admin.press("Add method")
    admin.page.get_by_role("link", name="Wire", exact=True).click()
    admin.fill(Name="SEPA")
    admin.press("Save")
    assert "SEPA" in {method["name"] for method in admin.data(ways)}
    admin.open(f"/payouts/creators/{launched.ada['id']}/account")
    admin.fill(Name="IBAN", Value="DE1")
    admin.press("Save")
    admin.is_told("Method", "This field is required")
    admin.choose("Method", "SEPA")
    admin.press("Save")
    assert admin.data(account)["details"] == {"IBAN": "DE1"}
    admin.open(f"/payouts/creators/{launched.ada['id']}/account")
    admin.press_surely("Delete payout details")
    assert admin.data(account) is None
    admin.open("/settings/payout-methods")
    admin.press("Disable SEPA")
    assert "SEPA" not in {method["name"] for method in admin.data(ways)}
    admin.press_surely("Delete", "SEPA")
    assert "SEPA" not in {method["name"] for method in admin.data(f"{ways}?include_disabled=true")}


def test_budgets(admin: Presser, launched: Launched) -> None:
    of_campaign = f"/budgets?campaign_id={launched.campaign}"
    admin.open(f"/campaigns/{launched.campaign}")
    admin.page.get_by_role("link", name="Create one").click()
    admin.fill(Name="May", Amount_in_dollars="0")
    admin.choose("Applies to", "Campaign Spring")
    admin.press("Create budget")
    admin.is_told("Amount in dollars", "This amount is too small")
    admin.fill(Amount_in_dollars="900")
    admin.press("Create budget")
    [budget] = admin.data(of_campaign)
    assert (budget["amount_cents"], budget["thresholds"]) == (90_000, [80, 100])
    admin.page.get_by_role("link", name="May", exact=True).click()
    admin.page.get_by_label("Block new assignments").check()
    admin.press("Save")
    assert admin.data(of_campaign)[0]["on_exceeded"] == "stop_assignments"
    admin.page.get_by_role("link", name="May", exact=True).click()
    admin.press_surely("Delete budget")
    assert admin.data(of_campaign) == []


def test_comments_are_marked_as_handled(admin: Presser) -> None:
    handled = f"/projects/{admin.tenant.project_id}/comments?handled=true"
    admin.open("/comments")
    admin.page.locator("button[name=handled]").click()
    assert [comment["text"] for comment in admin.data(handled)] == [HOSTILE]
    admin.page.get_by_role("button", name="Reopen").click()
    assert admin.data(handled) == []


def test_a_new_structure_in_the_lab(admin: Presser) -> None:
    admin.open("/rule-lab/new?kind=cpm")
    admin.page.get_by_label("Dollars per 1,000").first.fill("2")
    admin.fill(From="2026-05-04", To="2026-05-10")
    admin.press("Simulate")
    creators = admin.page.get_by_role("group", name="Creators")
    expect(creators).to_have_accessible_description("Choose creators or a campaign")
    expect(creators).to_be_focused()
    admin.page.get_by_label("Ada", exact=True).check()
    admin.press("Simulate")
    # The stage lacks the data of simulations.
    expect(admin.page.get_by_role("alert")).to_contain_text("earlier version")


def test_a_share_link_with_a_pin(admin: Presser, launched: Launched) -> None:
    link = f"/creators/{launched.ada['id']}/share-link?include_pin=true"
    admin.open(f"/settings/share-links/{launched.ada['id']}")
    admin.fill(Custom_PIN="48")
    admin.press("Create page")
    expect(admin.page.get_by_label("Custom PIN")).to_be_focused()
    admin.fill(Custom_PIN="4821")
    admin.press("Create page")
    assert admin.data(link)["pin"] == "4821"
    admin.page.get_by_label("Earnings and payments").check()
    admin.press("Save")
    expect(admin.page.get_by_role("status")).to_have_text("Share page saved.")
    admin.page.reload()
    expect(admin.page.get_by_role("status")).to_have_count(0)
    assert admin.data(link)["sections"] == ["analytics", "payouts"]
    admin.press("Close page")
    assert not admin.data(link)["enabled"]
    admin.press_surely("Reset PIN")
    assert admin.data(link)["pin"] in admin.page.locator("dl").inner_text()
    admin.press_surely("Delete page")
    expect(admin.page.get_by_text("No share page yet.")).to_be_visible()


def test_webhooks(admin: Presser) -> None:
    admin.open("/settings/webhooks/new")
    admin.fill(URL="http://hooks.example.com/told")
    admin.press("Add webhook")
    expect(admin.page.get_by_label("URL")).to_be_focused()
    admin.fill(URL="https://hooks.example.com/told", Name="Ours")
    admin.press("Add webhook")
    assert admin.page.get_by_label("Secret").input_value()
    admin.page.get_by_role("link", name="Back to webhooks").click()
    admin.press("Disable https://hooks.example.com/told")
    [endpoint] = admin.data("/webhook-endpoints")
    assert (endpoint["description"], endpoint["is_enabled"]) == ("Ours", False)
    admin.press("Enable https://hooks.example.com/told")
    admin.press_surely("Delete", "https://hooks.example.com/told")
    assert admin.data("/webhook-endpoints") == []


def test_members_invitations_and_keys(admin: Presser) -> None:
    organization = f"/organizations/{admin.tenant.organization_id}"
    body = {"email": "mo@example.com", "role": "member"}
    admin.open("/settings/invite")
    admin.fill(**{"E-mail_address": body["email"]})
    admin.press("Invite")
    assert "/invitations/" in admin.page.get_by_label("Link").input_value()
    admin.page.get_by_role("link", name="Back to members").click()
    admin.press_surely("Revoke", "the invitation of mo@example.com")
    [invited] = admin.data(f"{organization}/invitations")
    assert invited["status"] == "revoked"
    user_id = str(admin.tenant.add_member("member"))

    def role() -> list[str]:
        members = admin.data("/members")
        return [member["role"] for member in members if member["user_id"] == user_id]

    admin.open("/settings")
    row = admin.page.locator("tr", has=admin.page.locator(f'button[value="{user_id}"]'))
    row.locator("summary", has_text="Make admin").press("Enter")
    row.get_by_role("button", name="Yes, make admin M").click()
    assert role() == ["admin"]
    row.locator("summary", has_text="Remove").press("Enter")
    row.get_by_role("button", name="Yes, remove M").click()
    assert role() == []

    admin.open("/settings/keys/new")
    admin.fill(Name="Nightly")
    read = admin.page.get_by_role("checkbox", name="read")
    read.uncheck()
    admin.press("Create key")
    expect(admin.page.get_by_role("group", name="Scopes")).to_be_focused()
    read.check()
    admin.press("Create key")
    key = admin.page.get_by_label("Key", exact=True).input_value()
    with admin.tenant.api.client(key) as nightly:
        assert nightly.get("/creators").status_code == 200
        admin.page.get_by_role("link", name="Back to API keys").click()
        admin.press_surely("Revoke", "Nightly")
        assert nightly.get("/creators").status_code == 401


def test_a_campaign_pressed_twice_and_its_creators(admin: Presser, launched: Launched) -> None:
    of_project = f"/campaigns?project_id={admin.tenant.project_id}"
    admin.open("/campaigns/new")
    admin.fill(Name="Autumn")
    admin.page.get_by_role("button", name="Create campaign").dblclick()
    expect(admin.page.get_by_role("heading", name="Creators in Autumn")).to_be_visible()
    [campaign] = [campaign for campaign in admin.data(of_project) if campaign["name"] == "Autumn"]
    admin.press("Add Ada")
    items = f"/campaigns/{campaign['id']}/items"
    assert [item["item_id"] for item in admin.data(items)] == [launched.ada["id"]]
    admin.press("Remove Ada")
    assert admin.data(items) == []


def test_a_creator_with_more_accounts(admin: Presser) -> None:
    admin.open("/creators/new")
    admin.fill(Name="Zoe", Account_on_TikTok="zoe zoe")
    admin.press("Add a creator")
    expect(admin.page.get_by_label("Account on TikTok")).to_be_focused()
    admin.fill(Account_on_TikTok="@zoe")
    admin.press("Add a creator")
    admin.page.get_by_role("link", name="Track more accounts").click()
    admin.fill(Account_on_Instagram="zoe.posts")
    admin.press("Track more accounts")
    [zoe] = admin.data("/creators?search=zoe")
    assert [account["handle"] for account in zoe["accounts"]] == ["zoe", "zoe.posts"]


def test_a_structure_is_renamed_given_to_a_creator_and_archived(
    admin: Presser, launched: Launched
) -> None:
    admin.open("/settings/structures/new?kind=recurring")
    admin.fill(Name="Fee", Amount_in_dollars="1,50")
    admin.press("Preview")
    message = "Enter dollars with a point as decimal separator (1.50)"
    admin.is_told("Amount in dollars", message)
    admin.fill(Amount_in_dollars="1")
    admin.press("Preview")
    expect(admin.page.get_by_text("$1.00 each week", exact=True)).to_be_visible()
    expect(admin.page.get_by_role("button", name="Save rule")).to_be_focused()
    admin.fill(Amount_in_dollars="10")
    admin.press("Save rule")
    expect(admin.page.get_by_text("$10.00 each week", exact=True)).to_be_visible()
    assert fits(admin.page)
    admin.press("Save rule")
    [fee, *_] = admin.data(f"/payout-structures?project_id={admin.tenant.project_id}")
    assert (fee["name"], fee["amount_cents"]) == ("Fee", 1_000)
    admin.page.get_by_role("link", name="Fee", exact=True).click()
    admin.fill(Name="Base")
    admin.press("Save name")
    admin.page.get_by_role("link", name="Base", exact=True).click()
    admin.page.get_by_role("link", name="Assigned creators").click()
    admin.press("Assign Ada")
    assigned = admin.data(f"/payout-structures/{fee['id']}/assignments")
    assert [assignment["creator_id"] for assignment in assigned] == [launched.ada["id"]]
    admin.page.get_by_role("link", name="Base").first.click()
    admin.press_surely("Archive rule")
    base = admin.data(f"/payout-structures/{fee['id']}")
    assert (base["name"], base["is_active"]) == ("Base", False)


def test_an_amount_that_waits_for_a_check_is_released(chromium: Browser, paying: Paying) -> None:
    publish(paying, [odd(paying, "settled")])
    with sitting(chromium, paying.tenant) as admin:
        admin.open(f"/payouts/amounts/{paying.id_of('settled')}")
        expect(admin.page.get_by_role("button", name="Approve")).to_have_count(0)
        admin.fill(Reason_to_release="Recounted")
        admin.press("Release")
        assert paying.accrual("settled")["held"] is None
        admin.fill(Note="Seen")
        admin.press("Approve")
        assert (paying.accrual("settled")["status"], paying.accrual("settled")["note"]) == (
            "approved",
            "Seen",
        )
