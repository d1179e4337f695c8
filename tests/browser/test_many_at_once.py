"""Four stories of many at once in a browser, by visible labels; none takes more than 12 actions."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.counted import hands_of
from tests.factories.accruals import earning, publish_earnings
from tests.factories.payouts import rule
from tests.fixtures.api import Api, Tenant, new_tenant, running_api
from tests.fixtures.browser import require_sound
from tests.fixtures.payouts import week_until
from tests.serving_api.desk.test_inbox import found

pytestmark = pytest.mark.slow

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
    ids = found(tenant, tenant.creator("ada"), [f"Post {number}" for number in range(30)])
    with hands_of(chromium, tenant, "/inbox") as hands:
        banner = hands.page.get_by_role("status")
        require_sound(hands.page, "inbox")
        hands.press("j")
        hands.press("j")
        hands.press("r")
        expect(banner).to_contain_text("1 post rejected.")
        expect(hands.page.get_by_label("Select Post 2", exact=True)).to_be_focused()  # the next one
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


def test_an_inbox_of_30_posts_without_script(chromium: Browser, tenant: Tenant) -> None:
    ids = found(tenant, tenant.creator("ada"), [f"Post {number}" for number in range(30)])
    with hands_of(chromium, tenant, "/inbox", java_script_enabled=False) as hands:
        banner = hands.page.get_by_role("status")
        for number in (1, 2):
            hands.click(f"Reject Post {number}")
            expect(banner).to_contain_text("1 post rejected.")
        hands.click("Undo")
        hands.open("Approve all 29")
        hands.click("Yes, approve all 29")
        expect(banner).to_contain_text("29 posts approved.")
    assert statuses(tenant, ids) == ["included", "excluded", *["included"] * 28]


def statuses(tenant: Tenant, ids: list[str]) -> list[str]:
    return [tenant.client.data("GET", f"/videos/{video_id}")["tracking_status"] for video_id in ids]


@pytest.fixture
def due(api: Api, tmp_path: Path) -> Iterator[Tenant]:
    """Ten creators with $10.00 each to approve, and a way to pay each of them."""
    settings = api.settings.model_copy(update={"home": tmp_path})
    with running_api(settings, api.store) as served, new_tenant(served) as tenant:
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
        publish_earnings(settings, api.store, earnings, settling_days=3)
        yield tenant


def test_a_month_is_approved_and_paid_for_ten_creators(
    chromium: Browser, due: Tenant, scripts: bool
) -> None:
    with hands_of(chromium, due, "/payouts", java_script_enabled=scripts) as hands:
        hands.open("Approve all 10")
        hands.click("Yes, approve all 10 for $100.00")
        hands.click("To pay", "link")
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
        assert lines[1].endswith(",10.00,USD,May")
        hands.click("Record selected as paid")
        expect(hands.page.get_by_text("10 payments recorded, $100.00.")).to_be_visible()
        expect(hands.page.get_by_role("link", name="Creator 00")).to_be_visible()
        if scripts:
            require_sound(hands.page, "payments")
    payments = due.client.data("GET", "/payout-payments")
    assert len(payments) == 10
    assert {payment["reference"] for payment in payments} == {"May"}
