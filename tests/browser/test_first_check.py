"""A new creator's page updates during the first check, and shows the same without scripts."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from tests.browser.test_pages import opened
from tests.factories import marts
from tests.factories.visitors import read
from tests.fixtures.api import NOW, Api, Tenant, new_tenant, running_api
from tests.fixtures.browser import fits
from tests.fixtures.desk import Sitter
from warehouse.operational.models import Account, Creator, Video

pytestmark = pytest.mark.slow

CHECKED = datetime(2026, 5, 20, 11, tzinfo=UTC)
QUEUED = "First check queued. Posts and numbers appear here."
FOUND = "Found 2 posts. Numbers are being computed."
DONE = "Found 2 posts. Numbers as of 20 May 2026, 11:00."
EVERY = 5_000
NONE = UUID(int=0)


@dataclass(frozen=True)
class Snapshots(marts.Account):
    account_id: UUID = NONE

    @property
    def id(self) -> UUID:
        return self.account_id


@pytest.fixture
def tenant(api: Api, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tenant]:
    settings = api.settings.model_copy(update={"home": tmp_path_factory.mktemp("first check")})
    with running_api(settings, api.store) as served, new_tenant(served) as made:
        yield made


def check(tenant: Tenant, creator: Any) -> None:
    """Register two posts, as a first check does."""
    account = creator["accounts"][0]
    with tenant.api.store.write_session() as session:
        session.get_one(Account, UUID(account["id"])).last_scraped_at = CHECKED
        for number in (1, 2):
            post = Video(
                organization_id=tenant.organization_id,
                project_id=tenant.project_id,
                creator_id=UUID(creator["id"]),
                account_id=UUID(account["id"]),
                platform="tiktok",
                platform_video_id=str(number),
                url=f"https://www.tiktok.com/@ada/video/{number}",
                tracking_status="auto_tracked",
            )
            session.add(post)


def publish(tenant: Tenant, creator: Any) -> None:
    """Publish the follower count of the first check."""
    account_id, creator_id = UUID(creator["accounts"][0]["id"]), UUID(creator["id"])
    snapshots = Snapshots("ada", {CHECKED: 120}, creator=creator_id, account_id=account_id)
    tenant.publish(accounts=[snapshots])


def test_a_new_creator_shows_its_first_checks_progress(chromium: Browser, tenant: Tenant) -> None:
    ada = tenant.creator("ada")
    member = Sitter(tenant, role="member")
    address = f"{member.home}/creators/{ada['id']}"
    with opened(chromium, tenant) as page:
        page.clock.install()
        page.set_viewport_size({"width": 320, "height": 900})
        page.goto(address)
        page.evaluate("window.isSame = true")
        section = page.get_by_role("region", name="First check")
        expect(section).to_have_text(QUEUED)
        assert QUEUED in read(member.get(address))
        check(tenant, ada)
        page.clock.fast_forward(EVERY)
        expect(section).to_have_text(FOUND)
        assert FOUND in read(member.get(address))
        publish(tenant, ada)
        page.clock.fast_forward(EVERY)
        expect(section).to_have_text(f"{DONE} Show them")
        assert fits(page)
        assert Axe().run(page).violations_count == 0
        assert page.evaluate("window.isSame")
        page.get_by_role("link", name="Show them").click()
        expect(page.get_by_text(DONE)).to_be_visible()
        expect(page.get_by_role("link", name="Show them")).to_be_hidden()
        assert page.evaluate("window.isSame") is None
    assert "progress.js" not in member.get(address).text


def test_older_creators_and_those_without_accounts_show_nothing(tenant: Tenant) -> None:
    ada = tenant.creator("ada")
    member = Sitter(tenant, role="member")
    with tenant.api.store.write_session() as session:
        session.get_one(Creator, UUID(ada["id"])).created_at = NOW - timedelta(days=1)
    assert "First check" not in member.get(f"{member.home}/creators/{ada['id']}").text
