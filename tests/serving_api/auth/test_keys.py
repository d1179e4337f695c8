"""Which API keys are valid, with the error code of each invalid kind."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select, text, update

from tests.fixtures.api import Api, Tenant, running_api
from warehouse.operational.models import ApiKey, Member


def execute(tenant: Tenant, statement: Any) -> None:
    with tenant.api.store.write_session() as session:
        session.execute(statement)


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
def test_an_unknown_key_is_refused(tenant: Tenant, header: str | None) -> None:
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


def test_a_key_for_oneself_outlives_ones_demotion(tenant: Tenant) -> None:
    text, user = tenant.add_key()
    execute(tenant, update(Member).where(Member.user_id == user).values(role="member"))
    with tenant.api.client(text) as client:
        me = client.data("GET", "/me")
    assert me["organization"]["role"] == "member"
    assert me["connection"]["scopes"] == ["read", "write"]


def test_authenticating_a_read_costs_two_statements(
    api: Api, tenant: Tenant, statements: list[str]
) -> None:
    """One for the key and one for the daily limit; once a minute a third stores the last use."""
    settings = api.settings.model_copy(update={"api_rate_limits": True})
    with running_api(settings, api.store) as limited, limited.client(tenant.made.api_key) as client:
        client.data("GET", "/projects")
        statements.clear()
        client.data("GET", "/projects")
    matches = (
        re.search(r"(?:from|into) (\w+)", statement, re.IGNORECASE) for statement in statements
    )
    tables = [match[1] for match in matches if match]  # session time-outs name no table
    assert tables == ["api_keys", "api_request_days", "projects"]


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
        client.data("GET", "/me")
        assert last_used(tenant, user) > first


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("delete from api_keys where acts_as_user_id = :user", "invalid_api_key"),
        ("update api_keys set status = 'revoked' where acts_as_user_id = :user", "invalid_api_key"),
        ("update api_keys set expires_at = now() where acts_as_user_id = :user", "invalid_api_key"),
        (
            "update api_keys set key_hash = sha256(key_hash) where acts_as_user_id = :user",
            "invalid_api_key",
        ),
        (
            "update api_keys set scopes = '{write}' where acts_as_user_id = :user",
            "insufficient_scope",
        ),
        ("delete from members where user_id = :user", "key_member_removed"),
        ("update users set is_banned = true where id = :user", "forbidden"),
        ("update organizations set is_suspended = true where id = :organization", "forbidden"),
    ],
)
def test_ending_a_key_applies_to_its_next_request(
    tenant: Tenant, statement: str, code: str
) -> None:
    """Even if this process has cached the key, and whichever process writes."""
    text_of_key, user = tenant.add_key()
    with tenant.api.client(text_of_key) as client:
        for _ in range(2):
            client.data("GET", "/creators")
        with tenant.api.store.write_session() as session:
            ids = {"user": user, "organization": tenant.organization_id}
            bound = {name: value for name, value in ids.items() if f":{name}" in statement}
            session.execute(text(statement), bound)
        client.refusal("GET", "/creators", code)
