"""Reports of projects and campaigns: shared with a PIN, opened with link and PIN, and closed.

The program is that of tests.fixtures.launched: Ada has 1,600 views of one post, Eve 2,500.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import httpx
import pytest

from tests.factories.visitors import read
from tests.fixtures.api import Tenant
from tests.fixtures.charts import charts_of
from tests.fixtures.desk import Sitter
from tests.fixtures.launched import HOSTILE, Launched
from warehouse.operational.models import ReportLink, User, Video

PIN = "4821"


def share(tenant: Tenant, **body: Any) -> Any:
    path = f"/projects/{tenant.project_id}/reports"
    return tenant.client.data("POST", path, json={"pin": PIN, **body})


@pytest.fixture
def visitor(launched: Launched) -> Iterator[httpx.Client]:
    """An outsider."""
    base_url = launched.tenant.api.base_url
    with httpx.Client(base_url=base_url, trust_env=False, timeout=30) as client:
        yield client


def path_of(report: Any) -> str:
    return f"/share/report/{report['id']}"


def opened(visitor: httpx.Client, report: Any) -> httpx.Response:
    unlocked = visitor.post(path_of(report), data={"pin": PIN})
    assert unlocked.status_code == 303, unlocked.text
    return visitor.get(path_of(report))


def row_of(tenant: Tenant, report: Any, **columns: Any) -> None:
    """Change columns of a report's row."""
    with tenant.api.store.write_session() as session:
        row = session.get_one(ReportLink, UUID(report["id"]))
        for name, value in columns.items():
            setattr(row, name, value)


def test_a_project_is_shown_after_the_pin(launched: Launched, visitor: httpx.Client) -> None:
    report = share(launched.tenant)
    assert report["url"].endswith(path_of(report))
    locked = visitor.get(path_of(report))
    assert "Enter the PIN" in read(locked)
    assert "Ada" not in locked.text
    page = opened(visitor, report)
    text = read(page)
    assert "Acme Launch Numbers as of 20 May 2026, 12:00 (UTC)." in text
    assert re.search("Last 28 days .+ 23 Apr 2026 to 20 May 2026", text)
    assert text.count("23 Apr 2026 to 20 May 2026") == 1, "stated once for all figures"
    assert "Views on these posts 4,100 Engagement rate 2.9% of the views gained above" in text
    assert f"{HOSTILE} 2,500" in text
    assert "Ada 1,600" in text
    assert "First look Ada, TikTok 1,600" in text
    link = f'/@{launched.ada["accounts"][0]["handle"]}/video/2" rel="noopener nofollow">'
    assert f'<a href="https://www.tiktok.com{link}<bdi>First look' in page.text
    assert HOSTILE not in page.text
    assert "$" not in text
    scripts = re.findall("<script[^>]*>", page.text)
    assert scripts.pop() == '<script type="application/json">'
    assert all(' src="/charts/' in script for script in scripts)
    chart = charts_of(page.text)["Views by day"]
    assert chart["xValues"][-1] == "2026-05-20"
    assert {mark["text"] for mark in chart["events"]} <= {"First check"}
    assert "/desk" not in page.text
    assert page.headers["Cache-Control"] == "no-store"


def test_engagement_is_that_of_the_desk(launched: Launched, visitor: httpx.Client) -> None:
    """20 likes of 3,100 views since the 14th; newer posts have no likes."""
    days = "?from=2026-05-14&to=2026-05-20"
    desk = Sitter(launched.tenant)
    assert "20 0.6% of views gained" in read(desk.get(f"{desk.home}{days}"))
    for scope in ({}, {"campaign_id": launched.campaign}):
        report = share(launched.tenant, **scope)
        opened(visitor, report)
        page = read(visitor.get(f"{path_of(report)}{days}"))
        assert "Views on these posts 2,500 Engagement rate 0.6% of the views gained above" in page


def test_creators_are_named_by_choice(launched: Launched, visitor: httpx.Client) -> None:
    page = opened(visitor, share(launched.tenant, show_creators=False))
    assert "Views on these posts 4,100" in read(page)
    assert "tiktok.com" not in page.text
    assert "Ada" not in read(page)
    assert "First look TikTok 1,600" in read(page)


def test_posts_without_a_caption_do_not_name_their_creator(
    launched: Launched, visitor: httpx.Client
) -> None:
    tenant = launched.tenant
    posts = {post["title"]: post for post in tenant.client.data("GET", "/videos")}
    post = UUID(posts["First look"]["id"])
    with tenant.api.store.write_session() as session:
        session.get_one(Video, post).caption = None
    try:
        assert "Post without a caption Ada, TikTok" in read(opened(visitor, share(tenant)))
        page = read(opened(visitor, share(tenant, show_creators=False)))
    finally:
        with tenant.api.store.write_session() as session:
            session.get_one(Video, post).caption = "First look"
    assert "@ada" not in page
    assert "Post without a caption TikTok 1,600" in page


def test_a_campaign_shows_its_own_numbers_only(launched: Launched, visitor: httpx.Client) -> None:
    tenant = launched.tenant
    path = f"/projects/{tenant.project_id}/campaigns"
    campaign = tenant.client.data("POST", path, json={"name": HOSTILE})
    text = read(opened(visitor, share(tenant, campaign_id=campaign["id"])))
    assert f"Acme {HOSTILE} Numbers as of" in text
    assert "2,500" not in text


def test_wrong_pins_lock_it(launched: Launched, visitor: httpx.Client) -> None:
    report, other = share(launched.tenant), share(launched.tenant)
    assert visitor.post(path_of(report), data={"pin": "12"}).status_code == 400
    wrong = visitor.post(path_of(report), data={"pin": "0000"})
    assert (wrong.status_code, "9 attempts left" in wrong.text) == (403, True)
    row_of(launched.tenant, report, failed_unlocks=9)
    visitor.post(path_of(report), data={"pin": "0000"})
    assert visitor.post(path_of(report), data={"pin": PIN}).status_code == 429
    opened(visitor, other)
    assert "Locked for now" in read(visitor.get(path_of(report)))


def test_a_closed_one_looks_like_an_unknown_one(launched: Launched, visitor: httpx.Client) -> None:
    tenant = launched.tenant
    never = visitor.get("/share/report/00000000-0000-0000-0000-000000000000")
    assert never.status_code == 404
    revoked = share(tenant)
    opened(visitor, revoked)
    assert tenant.client.data("DELETE", f"/reports/{revoked['id']}") == {"deleted": True}
    expired = share(tenant)
    opened(visitor, expired)
    row_of(tenant, expired, expires_at=datetime.now(UTC) - timedelta(seconds=1))
    for report in (revoked, expired):
        answer = visitor.get(path_of(report))
        assert (answer.status_code, answer.text) == (404, never.text)
        assert visitor.post(path_of(report), data={"pin": PIN}).status_code == 404
    assert visitor.get("/share/report/nonsense").text == never.text


def test_it_ends_with_the_sharing_member(launched: Launched, visitor: httpx.Client) -> None:
    tenant = launched.tenant
    with tenant.client_with(role="admin") as client:
        path = f"/projects/{tenant.project_id}/reports"
        report = client.data("POST", path, json={"pin": PIN})
    opened(visitor, report)
    with tenant.api.store.write_session() as session:
        session.get_one(User, UUID(report["shared_by_user_id"])).is_banned = True
    assert visitor.get(path_of(report)).status_code == 404
    with tenant.api.store.write_session() as session:
        session.get_one(User, UUID(report["shared_by_user_id"])).is_banned = False
    assert visitor.get(path_of(report)).status_code == 200
    member = f"/organizations/{tenant.organization_id}/members/{report['shared_by_user_id']}"
    tenant.client.data("DELETE", member)
    assert visitor.get(path_of(report)).status_code == 404


def test_it_ends_with_the_admin_of_the_sharing_key(
    launched: Launched, visitor: httpx.Client
) -> None:
    """The admin knows link and PIN, whichever user the key acts as."""
    tenant = launched.tenant
    maker = tenant.add_member("admin")
    path = f"/projects/{tenant.project_id}/reports"
    with tenant.client_with(created_by_user_id=maker) as client:
        report = client.data("POST", path, json={"pin": PIN})
    opened(visitor, report)
    members = f"/organizations/{tenant.organization_id}/members"
    for role, status in (("member", 404), ("admin", 200)):
        tenant.client.data("PATCH", f"{members}/{maker}", json={"role": role})
        assert visitor.get(path_of(report)).status_code == status
    tenant.client.data("DELETE", f"{members}/{maker}")
    assert visitor.get(path_of(report)).status_code == 404
    assert report["id"] not in [listed["id"] for listed in tenant.client.data("GET", path)]


def test_it_stays_closed_when_its_member_rejoins(launched: Launched, visitor: httpx.Client) -> None:
    tenant = launched.tenant
    with tenant.client_with(role="admin") as client:
        path = f"/projects/{tenant.project_id}/reports"
        report = client.data("POST", path, json={"pin": PIN})
    opened(visitor, report)
    members = f"/organizations/{tenant.organization_id}/members"
    tenant.client.data("DELETE", f"{members}/{report['shared_by_user_id']}")
    tenant.join(UUID(report["shared_by_user_id"]), "admin")
    assert visitor.get(path_of(report)).status_code == 404


def test_what_cannot_be_shared_is_refused(tenant: Tenant) -> None:
    path = f"/projects/{tenant.project_id}/reports"
    client = tenant.client
    nobodys = "00000000-0000-0000-0000-000000000000"
    for body, field in (
        ({"campaign_id": nobodys}, "campaign_id"),
        ({"expires_at": "2020-01-01T00:00:00Z"}, "expires_at"),
    ):
        meta = client.refusal("POST", path, "invalid_body", json=body)
        assert [issue["path"] for issue in meta["issues"]] == [field]
    client.refusal("POST", path, "invalid_pin", json={"pin": "12"})
    assert client.data("GET", path) == []


def test_admins_share_and_close_at_the_desk(tenant: Tenant) -> None:
    admin = Sitter(tenant)
    reports = f"{admin.home}/settings/reports"
    refused = admin.send(f"{reports}/new", page=reports, campaign_id="", pin="12")
    assert refused.status_code == 400
    assert "A PIN has exactly 4 digits" in refused.text
    sent = {"campaign_id": "", "expires_at": "2099-05-20", "pin": PIN}
    made = admin.send(f"{reports}/new", page=reports, **sent)
    assert f'value="{PIN}"' in made.text
    [report] = tenant.client.data("GET", f"/projects/{tenant.project_id}/reports")
    assert report["expires_at"] == "2099-05-20T23:59:59Z"
    assert not report["show_creators"]
    assert report["shared_by_user_id"] == str(admin.user_id)
    listed = read(admin.get(reports))
    assert "open until 20 May 2099, 23:59; without creators" in listed
    admin.send(reports, page=reports, revoke=report["id"])
    assert "No reports yet." in read(admin.get(reports))


def test_expired_reports_do_not_count(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("serving_api.resources.programs.reports.MOST_REPORTS", 1)
    first = share(tenant)
    path = f"/projects/{tenant.project_id}/reports"
    tenant.client.refusal("POST", path, "conflict", json={})
    row_of(tenant, first, expires_at=datetime.now(UTC) - timedelta(seconds=1))
    share(tenant)
