"""Organizations and the current member over HTTP."""

from typing import Any

import pytest
from sqlalchemy import select

from tests.fixtures.api import Tenant
from warehouse.operational.models import Member, OrganizationZone


def test_a_new_organization_has_the_acting_member_as_its_admin(tenant: Tenant) -> None:
    body = {"name": "Second", "analytics_tz": "Europe/Berlin"}
    made = tenant.client.data("POST", "/user/organizations", json=body, status=201)
    assert (made["name"], made["plan"], made["analytics_tz"]) == ("Second", "free", "Europe/Berlin")
    assert made["is_suspended"] is False
    with tenant.api.store.read_session() as session:
        member = session.scalars(select(Member).where(Member.organization_id == made["id"])).one()
        assert (member.user_id, member.role) == (tenant.made.user_id, "admin")
        zones = select(OrganizationZone).where(OrganizationZone.organization_id == made["id"])
        assert session.scalars(zones).one().analytics_tz == "Europe/Berlin"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": ""},
        {"name": "x", "analytics_tz": "Mars/Olympus"},
        {"name": "x", "plan": "ultra"},
    ],
)
def test_a_bad_organization_is_refused(tenant: Tenant, body: dict[str, Any]) -> None:
    tenant.client.refusal("POST", "/user/organizations", json=body, status=400, code="invalid_body")


def test_me_tells_the_member_the_organization_and_the_scopes(tenant: Tenant) -> None:
    me = tenant.client.data("GET", "/me")
    assert me["id"] == str(tenant.made.user_id)
    organization = {"id": str(tenant.organization_id), "name": "Acme", "role": "admin"}
    assert me["organization"] == organization
    assert me["connection"] == {"via": "api_key", "scopes": ["admin", "read", "write"]}
    assert (me["readme"], me["readme_length"]) == (None, 0)
