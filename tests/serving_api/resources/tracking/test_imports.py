"""Imports of a project: listed for admins, and retracted once (decisions.md, What people enter)."""

from datetime import timedelta
from uuid import UUID, uuid4

from sqlalchemy import select

from tests.fixtures.api import NOW, Tenant
from tests.fixtures.api import new_tenant as another_tenant
from warehouse.operational.models import AuditEntry, Import, UnpublishedChange

REASON = {"reason": "A digit too many"}


def add(tenant: Tenant, kind: str = "video-snapshots", days: int = 1) -> UUID:
    loaded = Import(
        id=uuid4(),
        organization_id=tenant.organization_id,
        project_id=tenant.project_id,
        kind=kind,
        file="week.csv",
        row_count=7,
        imported_by="ops",
        imported_at=NOW - timedelta(days=days),
    )
    with tenant.api.store.write_session() as session:
        session.add(loaded)
    return loaded.id


def test_imports_are_listed_newest_first(tenant: Tenant) -> None:
    older, newer = add(tenant, days=2), add(tenant)
    path = f"/projects/{tenant.project_id}/imports"
    rows = tenant.client.data("GET", path)
    assert [row["id"] for row in rows] == [str(newer), str(older)]
    assert (rows[0]["file"], rows[0]["row_count"], rows[0]["imported_by"]) == ("week.csv", 7, "ops")
    page = tenant.client.answer("GET", path, params={"limit": 1})
    cursor = {"cursor": page["meta"]["nextCursor"]}
    assert [row["id"] for row in tenant.client.data("GET", path, params=cursor)] == [str(older)]


def test_a_retraction_is_dated_logged_and_requests_a_rollup(tenant: Tenant) -> None:
    import_id, store = add(tenant), tenant.api.store
    with store.write_session() as session:
        for change in session.scalars(select(UnpublishedChange)):
            session.delete(change)
    path = f"/projects/{tenant.project_id}/imports/{import_id}/retract"
    row = tenant.client.data("POST", path, json=REASON)
    assert row["retraction_reason"] == REASON["reason"]
    assert row["retracted_at"] is not None
    assert row["retracted_by"] == str(tenant.made.user_id)
    with store.read_session() as session:
        assert session.scalars(select(UnpublishedChange.table_name)).all() == ["imports"]
        of_api = select(AuditEntry.action).where(
            AuditEntry.organization_id == tenant.organization_id, AuditEntry.channel == "api"
        )
        assert session.scalars(of_api).all() == ["retract_import"]
    tenant.client.refusal("POST", path, "conflict", json=REASON)


def test_imports_of_posts_and_of_others_cannot_be_retracted(tenant: Tenant) -> None:
    posts = add(tenant, kind="videos")
    path = f"/projects/{tenant.project_id}/imports"
    tenant.client.refusal("POST", f"{path}/{posts}/retract", "conflict", json=REASON)
    with another_tenant(tenant.api) as other:
        theirs = add(other)
        tenant.client.refusal("POST", f"{path}/{theirs}/retract", "not_found", json=REASON)
        tenant.client.refusal("GET", f"/projects/{other.project_id}/imports", "not_found")
