"""The audit log of API writes: who, by which request, and the values before and after."""

from typing import Any
from uuid import uuid4

from tests.fixtures.api import Tenant
from warehouse.operational.audit_reading import AuditFilters, AuditRecord, read_audit
from warehouse.operational.models import User


def records(tenant: Tenant, **filters: Any) -> list[AuditRecord]:
    audit_filters = AuditFilters(organization_id=tenant.organization_id, **filters)
    with tenant.api.store.read_session() as session:
        return read_audit(session, audit_filters, limit=100)


def changes(record: AuditRecord) -> dict[str, Any]:
    return {change.entity_type: (change.kind, change.changes) for change in record.changes}


def test_a_write_is_logged_with_its_key_member_request_and_entity(tenant: Tenant) -> None:
    response = tenant.client.patch(
        f"/organizations/{tenant.organization_id}/projects/{tenant.project_id}",
        json={"name": "Renamed", "is_archived": True},
    )
    (record,) = records(tenant)
    assert (record.channel, record.action) == ("api", "change_project")
    assert record.user_id == tenant.made.user_id
    assert record.api_key_name == "First key"
    assert record.request_id == response.headers["X-Request-Id"]
    assert record.ids == {
        "organization_id": str(tenant.organization_id),
        "project_id": str(tenant.project_id),
    }
    (change,) = record.changes
    assert (change.entity_type, change.entity_id, change.kind) == (
        "project",
        tenant.project_id,
        "changed",
    )
    assert change.changes == {
        "name": {"from": "Launch", "to": "Renamed"},
        "is_archived": {"from": False, "to": True},
    }


def test_all_rows_of_one_request_are_one_entry(tenant: Tenant) -> None:
    tenant.creator("ada")
    (record,) = records(tenant)
    kinds = [(change.entity_type, change.kind) for change in record.changes]
    assert kinds == [
        ("creator", "created"),
        ("account", "created"),
        ("scrape_job", "created"),
        ("scrape_job", "created"),
    ]
    assert changes(record)["account"][1]["handle"] == {"from": None, "to": "ada"}


def test_a_deletion_is_logged_with_the_old_values(tenant: Tenant) -> None:
    campaign = tenant.campaign("Spring")["id"]
    item = {"item_type": "creator", "item_id": tenant.creator()["id"]}
    tenant.client.data("POST", f"/campaigns/{campaign}/items", json=item)
    tenant.client.data("DELETE", f"/campaigns/{campaign}")
    (record,) = records(tenant, action="delete_campaign")
    changes_by_entity = changes(record)
    assert changes_by_entity["campaign"][0] == changes_by_entity["campaign_item"][0] == "deleted"
    assert changes_by_entity["campaign"][1]["name"] == {"from": "Spring", "to": None}
    assert changes_by_entity["campaign_item"][1]["creator_id"]["from"] == item["item_id"]


def test_accounts_removed_with_their_creator_are_logged_too(tenant: Tenant) -> None:
    creator = tenant.creator("ada")
    tenant.client.data("DELETE", f"/creators/{creator['id']}")
    (record,) = records(tenant, action="remove_creator")
    changes_by_entity = changes(record)
    assert changes_by_entity["account"][1]["is_active"] == {"from": True, "to": False}
    assert changes_by_entity["creator"][1]["is_active"] == {"from": True, "to": False}


def test_notes_are_logged_as_an_internal_notes_update_without_their_text(tenant: Tenant) -> None:
    creator = tenant.creator()["id"]
    body = {"mode": "append", "content": "Between us"}
    written = tenant.client.data("POST", f"/creators/{creator}/notes", json=body)
    (record,) = records(tenant, action="write_creator_notes")
    (change,) = record.changes
    assert (change.kind, change.changes.keys()) == ("notes", {"readme"})
    assert change.changes["readme"] == {
        "from": {"version": written["previous_readme_version"], "length": 0},
        "to": {"version": written["readme_version"], "length": len(written["readme"])},
    }


def test_secrets_are_named_and_never_shown(tenant: Tenant) -> None:
    path = f"/organizations/{tenant.organization_id}"
    key = tenant.client.data("POST", f"{path}/api-keys", json={"name": "New"})
    body = {"email": "ada@test.invalid"}
    invitation = tenant.client.data("POST", f"{path}/invitations", json=body)
    audit_records = records(tenant)
    assert changes(audit_records[1])["api_key"][1]["key_hash"] == {
        "from": None,
        "to": "(not shown)",
    }
    assert changes(audit_records[0])["invitation"][1]["token_hash"] == {
        "from": None,
        "to": "(not shown)",
    }
    assert key["key"] not in repr(audit_records)
    assert invitation["token"] not in repr(audit_records)


def test_an_accepted_invitation_is_logged_for_both(tenant: Tenant) -> None:
    path = f"/organizations/{tenant.organization_id}/invitations"
    body = {"email": f"{uuid4().hex}@test.invalid"}
    token = tenant.client.data("POST", path, json=body)["token"]
    form = {"display_name": "Ada", "password": "correct horse battery"}
    with tenant.api.client(None) as browser:
        url = f"{tenant.api.base_url}/invitations/{token}"
        # The client's hooks expect envelopes, which pages are not.
        browser.event_hooks = {}
        assert browser.post(url, data=form).status_code == 303
    (record,) = records(tenant, action="accept_invitation")
    assert (record.channel, record.user_name, record.api_key_id) == ("page", "Ada", None)
    changes_by_entity = changes(record)
    assert changes_by_entity["user"][1]["password_hash"] == {"from": None, "to": "(not shown)"}
    assert changes_by_entity["member"][1]["role"] == {"from": None, "to": "member"}
    assert changes_by_entity["invitation"][1]["status"] == {"from": "pending", "to": "accepted"}
    assert token not in repr(record)


def test_refused_requests_and_reads_are_not_logged(tenant: Tenant) -> None:
    tenant.client.data("GET", "/me")
    path = f"/organizations/{tenant.organization_id}"
    for headers in ({}, {"Idempotency-Key": uuid4().hex}):
        body = {"readme": "x" * 50_001, "name": "Never"}
        tenant.client.patch(path, json=body, headers=headers)
        tenant.client.post(f"{path}/api-keys", json={"name": "", "x": 1}, headers=headers)
        tenant.client.post(f"{path}/members", json={"email": "no address"}, headers=headers)
    assert records(tenant) == []


def test_a_repeated_request_is_logged_once(tenant: Tenant) -> None:
    headers = {"Idempotency-Key": uuid4().hex}
    path = f"/projects/{tenant.project_id}/campaigns"
    for _ in range(2):
        tenant.client.data("POST", path, json={"name": "Once"}, headers=headers)
    assert len(records(tenant)) == 1


def test_rolled_back_creators_of_a_batch_are_not_logged(tenant: Tenant) -> None:
    def creator(handle: str) -> dict[str, Any]:
        return {"accounts": [{"platform": "tiktok", "handle": handle}]}

    body = {"creators": [creator("first.one"), creator("first.one"), creator("third.one")]}
    path = f"/projects/{tenant.project_id}/creators"
    tenant.client.refusal("POST", path, "already_tracked", json=body)
    (record,) = records(tenant)
    handles = [
        change.changes["handle"]["to"]
        for change in record.changes
        if change.entity_type == "account"
    ]
    assert handles == ["first.one"]


def test_platform_admins_are_logged_where_they_act(tenant: Tenant, other: Tenant) -> None:
    with other.api.store.write_session() as session:
        session.get_one(User, other.made.user_id).is_platform_admin = True
    path = f"/admin/organizations/{tenant.organization_id}"
    other.client.data("PATCH", path, json={"plan": "starter"})
    (record,) = records(tenant)
    assert record.organization_id == other.organization_id
    assert changes(record)["organization"][1] == {"plan": {"from": "ultra", "to": "starter"}}
