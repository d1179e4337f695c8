"""A passkey is added and used in a real browser, with Chromium's virtual authenticator."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser as Chromium
from playwright.sync_api import Page, expect

from orchestration.cli.ports import free_port
from tests.fixtures.api import Api, new_tenant, running_api
from tests.fixtures.browser import PHONE, looks_right, visit
from tests.fixtures.desk import Sitter
from tests.fixtures.programs import PASSWORD

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def named(api: Api) -> Iterator[Api]:
    """The API at a host name: passkeys do not work for IP addresses."""
    port = free_port()
    settings = api.settings.model_copy(update={"base_url": f"http://localhost:{port}"})
    with running_api(settings, api.store, port) as served:
        yield served


def plug_in(page: Page) -> None:
    """Attach an authenticator that verifies its user."""
    devices = page.context.new_cdp_session(page)
    devices.send("WebAuthn.enable")
    device = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
    }
    devices.send("WebAuthn.addVirtualAuthenticator", {"options": device})


def sign_in_by_password(page: Page, sitter: Sitter) -> None:
    page.get_by_label("E-mail address").fill(sitter.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()


def test_a_passkey_is_added_and_signs_in(named: Api, chromium: Chromium, tmp_path: Path) -> None:
    with new_tenant(named) as tenant, chromium.new_context(viewport=PHONE) as context:
        sitter = Sitter(tenant, signed_in=False)
        window = visit(context)
        page = window.page
        plug_in(page)
        page.goto(f"{named.settings.base_url}/desk")
        looks_right(page, tmp_path, "sign-in")
        sign_in_by_password(page, sitter)
        page.get_by_text("M", exact=True).click()
        page.get_by_role("link", name="Passkeys").click()
        page.get_by_label("Name").fill("Phone")
        page.get_by_label("Your password").fill("wrong")
        page.get_by_role("button", name="Add passkey").click()
        expect(page.get_by_role("alert")).to_have_text("Wrong password.")
        looks_right(page, tmp_path, "passkeys-refused")
        page.get_by_label("Your password").fill(PASSWORD)
        page.get_by_role("button", name="Add passkey").click()
        page.locator("summary", has_text="Remove Phone").press("Enter")
        expect(page.get_by_role("button", name="Yes, remove Phone")).to_be_visible()
        looks_right(page, tmp_path, "passkeys")
        page.get_by_text("M", exact=True).click()
        page.get_by_role("button", name="Sign out", exact=True).click()
        page.get_by_role("button", name="Sign in with a passkey").press("Enter")
        expect(page.get_by_role("heading", name="Overview")).to_be_visible()
        assert [
            complaint for complaint in window.complaints if "status of 400" not in complaint
        ] == []
        assert window.hosts() == {"localhost"}
