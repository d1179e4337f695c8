"""Keys: which are in force, with the code of every reason that they are not."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import delete, select, text, update

from tests.fixtures.api import Api, Tenant, running_api
from warehouse.operational.models import ApiKey, Member, Organization, User


def execute(tenant: Tenant, statement: Any) -> None:
    with tenant.api.store.write_session() as session:
        session.execute(statement)


def key_made_for_another(tenant: Tenant) -> tuple[str, Any]:
    """A key that acts as one member and was made by another, an admin."""
    creating = tenant.add_member("admin")
    text, _ = tenant.add_key(created_by_user_id=creating)
    return text, creating


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "Bearer",
        "Bearer svc_",
        "Bearer svc_" + "0" * 63,
        "Bearer svc_" + "0" * 64,
        "Bearer svc_" + "g" * 64,
        "Bearer svc_" + "A" * 64,
        "Bearer svc_" + "0" * 65,
        "Basic svc_" + "0" * 64,
        "svc_" + "0" * 64,
    ],
)
def test_what_is_no_key_of_ours_is_refused(tenant: Tenant, header: str | None) -> None:
    headers = {} if header is None else {"Authorization": header}
    with tenant.api.client(None) as client:
        response = client.get("/me", headers=headers)
    assert response.status_code == 401
    assert response.json()["meta"]["code"] == "invalid_api_key"
    assert response.headers["WWW-Authenticate"] == "Bearer"


def test_the_scheme_is_read_in_any_case(tenant: Tenant) -> None:
    with tenant.api.client(None) as client:
        headers = {"Authorization": f"bearer {tenant.made.api_key}"}
        assert client.get("/me", headers=headers).status_code == 200


@pytest.mark.parametrize(
    ("columns", "status"),
    [
        ({"status": "revoked"}, 401),
        ({"status": "deactivated"}, 401),
        ({"expires_at": datetime.now(UTC) - timedelta(seconds=1)}, 401),
        ({"expires_at": datetime.now(UTC) + timedelta(days=1)}, 200),
    ],
)
def test_ended_keys_are_refused(tenant: Tenant, columns: dict[str, Any], status: int) -> None:
    """An expiry follows the real clock: business time stands at NOW here."""
    text, _ = tenant.add_key(**columns)
    with tenant.api.client(text) as client:
        assert client.get("/me").status_code == status


def test_a_revocation_is_felt_by_the_next_request(tenant: Tenant) -> None:
    text, user = tenant.add_key()
    with tenant.api.client(text) as client:
        client.data("GET", "/me")
        execute(
            tenant, update(ApiKey).where(ApiKey.acts_as_user_id == user).values(status="revoked")
        )
        client.refusal("GET", "/me", "invalid_api_key")


def test_a_key_ends_with_the_membership_it_acts_for(tenant: Tenant) -> None:
    text, user = tenant.add_key()
    execute(tenant, delete(Member).where(Member.user_id == user))
    with tenant.api.client(text) as client:
        client.refusal("GET", "/me", "key_member_removed")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda user: delete(Member).where(Member.user_id == user), "key_creator_removed"),
        (
            lambda user: update(Member).where(Member.user_id == user).values(role="member"),
            "key_creator_not_admin",
        ),
        (
            lambda user: update(User).where(User.id == user).values(is_banned=True),
            "key_creator_banned",
        ),
    ],
)
def test_the_creator_of_a_key_has_to_stay_an_admin(tenant: Tenant, change: Any, code: str) -> None:
    text, creating = key_made_for_another(tenant)
    with tenant.api.client(text) as client:
        client.data("GET", "/me")
        execute(tenant, change(creating))
        client.refusal("GET", "/me", code)


def test_a_key_for_oneself_outlives_ones_demotion(tenant: Tenant) -> None:
    text, user = tenant.add_key()
    execute(tenant, update(Member).where(Member.user_id == user).values(role="member"))
    with tenant.api.client(text) as client:
        me = client.data("GET", "/me")
    assert me["organization"]["role"] == "member"
    assert me["connection"]["scopes"] == ["read", "write"]


def test_a_suspended_organization_is_refused(tenant: Tenant) -> None:
    organization = tenant.organization_id
    suspend = update(Organization).where(Organization.id == organization)
    execute(tenant, suspend.values(is_suspended=True))
    tenant.client.refusal("GET", "/me", "forbidden")
    execute(tenant, suspend.values(is_suspended=False))
    tenant.client.data("GET", "/me")


def test_a_banned_member_is_refused(tenant: Tenant) -> None:
    text, user = tenant.add_key()
    execute(tenant, update(User).where(User.id == user).values(is_banned=True))
    with tenant.api.client(text) as client:
        client.refusal("GET", "/me", "forbidden")


def test_a_missing_scope_is_named_with_those_there_are(tenant: Tenant) -> None:
    with tenant.client_with("read") as client:
        body = {"name": "Spring"}
        meta = client.refusal(
            "POST", f"/projects/{tenant.project_id}/campaigns", "insufficient_scope", json=body
        )
    assert (meta["required"], meta["granted"]) == ("write", ["read"])


def test_write_alone_does_not_read(tenant: Tenant) -> None:
    with tenant.client_with("write") as client:
        client.refusal("GET", "/creators", "insufficient_scope")


def test_the_admin_scope_needs_an_org_admin_behind_it(tenant: Tenant) -> None:
    path = f"/organizations/{tenant.organization_id}/projects"
    with tenant.client_with(role="member") as client:
        meta = client.refusal("POST", path, "insufficient_role", json={"name": "Second"})
    assert meta["required"] == "org_admin"
    with tenant.client_with("read", "write", role="member") as client:
        client.refusal("POST", path, "insufficient_scope", json={"name": "Second"})


def test_the_gate_of_a_read_costs_two_statements(
    api: Api, tenant: Tenant, statements: list[str]
) -> None:
    """One for the version that the key was found at, one for the day's allowance.

    A key that was not found before, or at another version, takes one more, and its use another
    once a minute.
    """
    settings = api.settings.model_copy(update={"api_rate_limits": True})
    with running_api(settings, api.store) as limited, limited.client(tenant.made.api_key) as client:
        client.data("GET", "/projects")
        statements.clear()
        client.data("GET", "/projects")
    matches = (
        re.search(r"(?:from|into) (\w+)", statement, re.IGNORECASE) for statement in statements
    )
    tables = [match[1] for match in matches if match]  # the time-outs of a session name none
    assert tables == ["organization_versions", "api_request_days", "projects"]


def last_used(tenant: Tenant, user: Any) -> Any:
    with tenant.api.store.read_session() as session:
        return session.scalar(select(ApiKey.last_used_at).where(ApiKey.acts_as_user_id == user))


def test_the_use_of_a_key_is_noted_once_a_minute(tenant: Tenant) -> None:
    text, user = tenant.add_key()
    before = datetime.now(UTC)
    with tenant.api.client(text) as client:
        client.data("GET", "/me")
        first = last_used(tenant, user)
        client.data("GET", "/me")
        assert before <= first == last_used(tenant, user)
        earlier = first - timedelta(seconds=61)
        used = update(ApiKey).where(ApiKey.acts_as_user_id == user).values(last_used_at=earlier)
        execute(tenant, used)
        tenant.campaign()  # another version: the key is looked up again
        client.data("GET", "/me")
        assert last_used(tenant, user) > first


@pytest.mark.parametrize(
    ("statement", "status"),
    [
        ("delete from api_keys where acts_as_user_id = :user", 401),
        ("update api_keys set status = 'revoked' where acts_as_user_id = :user", 401),
        ("update api_keys set expires_at = now() where acts_as_user_id = :user", 401),
        ("update api_keys set key_hash = sha256(key_hash) where acts_as_user_id = :user", 401),
        ("update api_keys set scopes = '{write}' where acts_as_user_id = :user", 403),
        ("delete from members where user_id = :user", 401),
        ("update users set is_banned = true where id = :user", 403),
        ("update organizations set is_suspended = true where id = :organization", 403),
    ],
)
def test_what_takes_a_key_away_holds_for_its_next_request(
    tenant: Tenant, statement: str, status: int
) -> None:
    """Also where this process found the key before, and whoever writes."""
    text_of_key, user = tenant.add_key()
    with tenant.api.client(text_of_key) as client:
        for _ in range(2):
            client.data("GET", "/me")
        with tenant.api.store.write_session() as session:
            ids = {"user": user, "organization": tenant.organization_id}
            bound = {name: value for name, value in ids.items() if f":{name}" in statement}
            session.execute(text(statement), bound)
        assert client.get("/me").status_code == status


@pytest.mark.parametrize(
    "code",
    ["key_member_removed", "key_creator_removed", "key_creator_not_admin", "key_creator_banned"],
)
def test_a_key_deactivated_for_good_keeps_the_reason(tenant: Tenant, code: str) -> None:
    """Also when the member is back: the key is not."""
    text, _ = tenant.add_key(status="deactivated", deactivation_reason=code)
    with tenant.api.client(text) as client:
        client.refusal("GET", "/me", code)
