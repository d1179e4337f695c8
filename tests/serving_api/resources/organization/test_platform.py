"""Routes for platform admins alone."""

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import select

from tests.factories.limits import leave_room
from tests.factories.platform import make_platform_admin
from tests.factories.tracking import add_video
from tests.fixtures.api import NOW, Client, Tenant
from warehouse.operational.models import OrganizationConversionPayouts


@pytest.fixture
def platform(other: Tenant) -> Client:
    """The client of a platform admin, whose organization is not the tested one."""
    make_platform_admin(other.api.store, other.made.user_id)
    return other.client


def path(tenant: Tenant) -> str:
    return f"/admin/organizations/{tenant.organization_id}"


def test_all_organizations_are_listed_newest_first(platform: Client, tenant: Tenant) -> None:
    organizations: dict[str, Any] = {}
    cursor: str | None = None
    while cursor is not None or not organizations:
        query = {"limit": "100"} | ({"cursor": cursor} if cursor else {})
        page = platform.answer("GET", "/admin/organizations", params=query)
        organizations |= {organization["id"]: organization for organization in page["data"]}
        cursor = page["meta"]["nextCursor"]
    mine = organizations[str(tenant.organization_id)]
    assert (mine["name"], mine["plan"], mine["conversion_payouts_enabled"]) == (
        "Acme",
        "ultra",
        True,
    )


def test_plan_and_support_settings_change(platform: Client, tenant: Tenant) -> None:
    changes = {"plan": "starter", "conversion_payouts_enabled": False}
    changed = platform.data("PATCH", path(tenant), json=changes)
    assert (changed["plan"], changed["conversion_payouts_enabled"]) == ("starter", False)
    organization = tenant.client.data("GET", f"/organizations/{tenant.organization_id}")
    assert organization["plan"] == "starter"
    assert "conversion_payouts_enabled" not in organization


@pytest.mark.parametrize(
    ("sent", "status"), [("fast", 200), ("frugal", 200), ("hourly", 400), (None, 400)]
)
def test_the_fetch_frequency_is_one_of_three(
    platform: Client, tenant: Tenant, sent: str | None, status: int
) -> None:
    answer = platform.request("PATCH", path(tenant), json={"freshness": sent})
    listed = platform.data("GET", "/admin/organizations", params={"limit": "100"})
    mine = next(
        organization for organization in listed if organization["id"] == str(tenant.organization_id)
    )
    assert answer.status_code == status
    assert mine["freshness"] == (sent if status == 200 else "standard")


def test_whether_conversions_create_accruals_is_dated(platform: Client, tenant: Tenant) -> None:
    """money.md M3: conversions recorded before the switch do not change."""
    for is_enabled in (True, False, False):
        body = {"conversion_payouts_enabled": is_enabled}
        platform.data("PATCH", path(tenant), json=body)
    of_tenant = select(OrganizationConversionPayouts).filter_by(
        organization_id=tenant.organization_id
    )
    with tenant.api.store.read_session() as session:
        dated = session.scalars(of_tenant).all()
    assert [(row.is_enabled, row.valid_from) for row in dated] == [(False, NOW)]


def test_a_smaller_plan_pauses_the_oldest_videos_at_once_and_a_larger_one_resumes_none(
    platform: Client, tenant: Tenant
) -> None:
    leave_room(tenant.api.store, tenant.made, 1)
    platform.data("PATCH", path(tenant), json={"plan": "starter"})
    made = (tenant.api.store, tenant.made)
    days = {"2": 11, "1": 10, "3": 12}
    videos = [add_video(*made, name, posted_at=NOW.replace(day=d)) for name, d in days.items()]

    def paused() -> list[bool]:
        posts = [tenant.client.data("GET", f"/videos/{video}") for video in videos]
        return [post["plan_limit_paused_at"] is not None for post in posts]

    assert paused() == [False, False, False]
    platform.data("PATCH", path(tenant), json={"plan": "free"})
    assert paused() == [True, True, False]
    platform.data("PATCH", path(tenant), json={"plan": "ultra"})
    assert paused() == [True, True, False]


def test_a_suspension_stops_every_key_until_it_ends(platform: Client, tenant: Tenant) -> None:
    platform.data("PATCH", path(tenant), json={"is_suspended": True})
    tenant.client.refusal("GET", "/me", "forbidden")
    platform.data("PATCH", path(tenant), json={"is_suspended": False})
    tenant.client.data("GET", "/me")


def test_a_ban_stops_a_user_everywhere_until_it_ends(platform: Client, tenant: Tenant) -> None:
    user = f"/admin/users/{tenant.made.user_id}"
    for _ in range(2):
        assert platform.data("POST", f"{user}/ban")["is_banned"] is True
    tenant.client.refusal("GET", "/me", "forbidden")
    for _ in range(2):
        assert platform.data("POST", f"{user}/unban")["is_banned"] is False
    tenant.client.data("GET", "/me")


def test_platform_admins_cannot_suspend_or_ban_themselves(platform: Client, other: Tenant) -> None:
    own = {"is_suspended": True}
    meta = platform.refusal("PATCH", path(other), "conflict", json=own)
    assert meta["reason"] == "own_organization"
    ban = f"/admin/users/{other.made.user_id}/ban"
    assert platform.refusal("POST", ban, "conflict")["reason"] == "own_user"


def requests(tenant: Tenant) -> Iterator[tuple[str, str, dict[str, Any]]]:
    yield "GET", "/admin/organizations", {}
    yield "PATCH", path(tenant), {"json": {"plan": "ultra"}}
    yield "POST", f"/admin/users/{tenant.made.user_id}/ban", {}
    yield "POST", f"/admin/users/{tenant.made.user_id}/unban", {}


def test_a_platform_admins_key_needs_the_admin_scope(tenant: Tenant) -> None:
    text, user_id = tenant.add_key(("read", "write"), role="admin")
    make_platform_admin(tenant.api.store, user_id)
    with tenant.api.client(text) as client:
        for method, where, request in requests(tenant):
            client.refusal(method, where, "insufficient_scope", **request)


def test_acting_as_a_platform_admin_gains_nothing(tenant: Tenant) -> None:
    user_id = tenant.add_member("admin")
    make_platform_admin(tenant.api.store, user_id)
    body = {"name": "Borrowed", "scopes": ["admin"], "acts_as_user_id": str(user_id)}
    keys = f"/organizations/{tenant.organization_id}/api-keys"
    made = tenant.client.data("POST", keys, json=body)
    with tenant.api.client(made["key"]) as client:
        for method, where, request in requests(tenant):
            client.refusal(method, where, "forbidden", **request)
