"""Organizations and the current member over HTTP."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from uuid import UUID

from sqlalchemy import select

from tests.fixtures.api import NOW, Api, Tenant, new_tenant
from warehouse.operational.models import Member, Organization, OrganizationZone


def url(tenant: Tenant) -> str:
    return f"/organizations/{tenant.organization_id}"


def zones(tenant: Tenant, organization_id: str | UUID) -> list[tuple[str, datetime]]:
    """The organization's dated zones, oldest first."""
    dated = (
        select(OrganizationZone)
        .where(OrganizationZone.organization_id == organization_id)
        .order_by(OrganizationZone.valid_from)
    )
    with tenant.api.store.read_session() as session:
        return [(row.analytics_tz, row.valid_from) for row in session.scalars(dated)]


def test_a_new_organization_has_the_acting_member_as_its_admin(tenant: Tenant) -> None:
    body = {"name": "Second", "analytics_tz": "Europe/Berlin"}
    made = tenant.client.data("POST", "/user/organizations", json=body)
    assert (made["name"], made["plan"], made["analytics_tz"]) == ("Second", "free", "Europe/Berlin")
    assert (made["is_suspended"], made["payout_settling_days"], made["readme"]) == (False, 0, None)
    with tenant.api.store.read_session() as session:
        member = session.scalars(select(Member).where(Member.organization_id == made["id"])).one()
        assert (member.user_id, member.role) == (tenant.made.user_id, "admin")
    assert zones(tenant, made["id"]) == [("Europe/Berlin", NOW)]


def test_a_user_creates_few_free_organizations_whatever_their_members(api: Api) -> None:
    with new_tenant(api, plan="free") as tenant:
        made = tenant.client.data("POST", "/user/organizations", json={"name": "Second"})
        with api.store.write_session() as session:
            of_made = select(Member).where(Member.organization_id == UUID(made["id"]))
            session.delete(session.scalars(of_made).one())
        body = {"name": "Third"}
        meta = tenant.client.refusal("POST", "/user/organizations", "limit_reached", json=body)
        assert meta["limitKey"] == "max_free_organizations_per_user"
        assert (meta["current"], meta["max"]) == (1, 1)
        with api.store.write_session() as session:
            session.get_one(Organization, UUID(made["id"])).plan = "starter"
        tenant.client.data("POST", "/user/organizations", json=body)


def test_keys_that_act_as_others_create_organizations_of_their_maker(api: Api) -> None:
    with new_tenant(api, plan="free") as tenant:
        path, maker = "/user/organizations", tenant.made.user_id
        made = tenant.client.data("POST", path, json={"name": "Second"})
        with tenant.client_with(created_by_user_id=maker) as client:
            client.refusal("POST", path, "limit_reached", json={"name": "Third"})
        with tenant.client_with() as client:
            other = client.data("POST", path, json={"name": "Third"})
        assert made["id"] != other["id"]


def test_organizations_created_at_once_never_pass_the_limit(api: Api) -> None:
    with new_tenant(api, plan="starter") as tenant:

        def create_one(number: int) -> int:
            body = {"name": f"More {number}"}
            return tenant.client.post("/user/organizations", json=body).status_code

        with ThreadPoolExecutor(8) as pool:
            statuses = list(pool.map(create_one, range(8)))
    assert sorted(statuses) == [201] * 5 + [402] * 3


def test_the_default_zone_of_a_new_organization_is_utc(tenant: Tenant) -> None:
    made = tenant.client.data("POST", "/user/organizations", json={"name": "x"})
    assert made["analytics_tz"] == "UTC"


def test_the_own_organization_is_read_and_changed(tenant: Tenant) -> None:
    read = tenant.client.data("GET", url(tenant))
    assert (read["id"], read["name"]) == (str(tenant.organization_id), "Acme")
    changes = {"name": "  Acme Ltd ", "payout_settling_days": 7, "readme": "# Notes"}
    changed = tenant.client.data("PATCH", url(tenant), json=changes)
    assert (changed["name"], changed["payout_settling_days"], changed["readme"]) == (
        "Acme Ltd",
        7,
        "# Notes",
    )
    assert changed["readme_version"] != read["readme_version"]
    assert tenant.client.data("GET", url(tenant)) == changed


def test_a_new_zone_is_a_dated_decision_and_the_old_one_keeps_its_days(tenant: Tenant) -> None:
    early = datetime(2026, 1, 1, tzinfo=UTC)
    with tenant.api.store.write_session() as session:
        first = session.scalars(
            select(OrganizationZone).where(
                OrganizationZone.organization_id == tenant.organization_id
            )
        ).one()
        first.valid_from = early
    for _ in range(2):
        changed = tenant.client.data("PATCH", url(tenant), json={"analytics_tz": "Asia/Tokyo"})
        assert changed["analytics_tz"] == "Asia/Tokyo"
    assert zones(tenant, tenant.organization_id) == [("UTC", early), ("Asia/Tokyo", NOW)]


def test_a_refused_change_leaves_nothing_of_itself(tenant: Tenant) -> None:
    body = {"name": "Half", "analytics_tz": "Asia/Tokyo", "readme": "x" * 50_001}
    tenant.client.refusal("PATCH", url(tenant), "notes_too_long", json=body)
    with tenant.api.store.read_session() as session:
        row = session.get_one(Organization, tenant.organization_id)
        assert (row.name, row.analytics_tz) == ("Acme", "UTC")


def test_me_has_the_member_the_organization_and_the_scopes(tenant: Tenant) -> None:
    me = tenant.client.data("GET", "/me")
    assert me["id"] == str(tenant.made.user_id)
    organization = {"id": str(tenant.organization_id), "name": "Acme", "role": "admin"}
    assert me["organization"] == organization
    assert me["connection"] == {"via": "api_key", "scopes": ["admin", "read", "write"]}
    assert (me["readme"], me["readme_length"]) == (None, 0)
    assert me["readme_visibility"] == "organization"
