"""API keys over HTTP: creating, listing and revoking them."""

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from serving_api.resources.organization import organizations
from tests.fixtures.api import Api, Client, Tenant, new_tenant
from tests.fixtures.locks import wait_until_waiting
from warehouse.operational.api_keys import hash_api_key
from warehouse.operational.models import ApiKey, Member, Organization, User


def url(tenant: Tenant, *ids: str) -> str:
    return "/".join([f"/organizations/{tenant.organization_id}/api-keys", *ids])


def create(tenant: Tenant, client: Client | None = None, **body: Any) -> Any:
    body = {"name": "Reports", **body}
    return (client or tenant.client).data("POST", url(tenant), json=body)


def standing(tenant: Tenant, key_id: str) -> tuple[str, str | None]:
    listed = {key["id"]: key for key in tenant.client.data("GET", url(tenant))}
    return listed[key_id]["status"], listed[key_id]["deactivation_reason"]


LASTING = ("id", "url", "previous_secret_expires_at")


def left_of(tenant: Tenant, but: UUID) -> list[Any]:
    """The access of others than this member: members, keys, invitations and webhook endpoints."""
    organization = f"/organizations/{tenant.organization_id}"
    lists = [f"{organization}/api-keys", f"{organization}/invitations", "/webhook-endpoints"]
    listed = (tenant.client.data("GET", path) for path in lists)
    members = tenant.client.data("GET", "/members")
    return [
        {member["user_id"]: member["role"] for member in members if member["user_id"] != str(but)},
        *([[row.get(name) for name in LASTING] for row in rows] for rows in listed),
    ]


class TestCreate:
    def test_a_new_key_works_and_is_shown_once(self, tenant: Tenant) -> None:
        made = create(tenant)
        assert re.fullmatch(r"svc_[0-9a-f]{64}", made["key"])
        me = {"user_id": str(tenant.made.user_id), "display_name": "admin"}
        assert made | {"key": None} == {
            "id": made["id"],
            "name": "Reports",
            "scopes": ["read", "write"],
            "key_prefix": made["key"][:12],
            "acts_as": me,
            "created_by": me,
            "status": "active",
            "deactivation_reason": None,
            "expires_at": None,
            "last_used_at": None,
            "created_at": made["created_at"],
            "key": None,
        }
        with tenant.api.client(made["key"]) as client:
            assert client.data("GET", "/me")["connection"]["scopes"] == ["read", "write"]
        listed = tenant.client.data("GET", url(tenant))[0]
        assert "key" not in listed
        assert listed["last_used_at"] is not None

    def test_only_a_hash_is_stored(self, tenant: Tenant) -> None:
        made = create(tenant)
        with tenant.api.store.read_session() as session:
            row = session.get_one(ApiKey, UUID(made["id"]))
            assert row.key_hash == hash_api_key(made["key"])

    def test_scopes_do_not_exceed_the_calling_keys(self, tenant: Tenant) -> None:
        with tenant.client_with("read", "admin") as client:
            assert create(tenant, client, scopes=["read", "read"])["scopes"] == ["read"]
            for scopes, missing in ((None, ["write"]), (["write", "admin"], ["write"])):
                body = {"name": "More", **({"scopes": scopes} if scopes else {})}
                meta = client.refusal("POST", url(tenant), "insufficient_scope", json=body)
                assert (meta["required"], meta["granted"]) == (missing, ["admin", "read"])

    def test_a_key_for_another_member_acts_as_that_one(self, tenant: Tenant) -> None:
        member = tenant.add_member("member")
        made = create(tenant, acts_as_user_id=str(member))
        assert made["acts_as"]["user_id"] == str(member)
        assert made["created_by"]["user_id"] == str(tenant.made.user_id)
        with tenant.api.client(made["key"]) as client:
            assert client.data("GET", "/me")["id"] == str(member)

    def test_a_key_cannot_act_as_a_non_member(self, tenant: Tenant, other: Tenant) -> None:
        for nobody in (uuid4(), other.made.user_id):
            body = {"name": "Foreign", "acts_as_user_id": str(nobody)}
            code = "acts_as_not_member"
            tenant.client.refusal("POST", url(tenant), code, json=body)

    def test_the_admin_scope_needs_an_org_admin_to_act_as(self, tenant: Tenant) -> None:
        body = {
            "name": "Too much",
            "scopes": ["admin"],
            "acts_as_user_id": str(tenant.add_member("member")),
        }
        meta = tenant.client.refusal("POST", url(tenant), "invalid_body", json=body)
        assert meta["issues"][0]["path"] == "scopes"
        body["acts_as_user_id"] = str(tenant.add_member("admin"))
        assert create(tenant, **body)["scopes"] == ["admin"]

    def test_an_expiry_lies_ahead_and_then_ends_the_key(self, tenant: Tenant) -> None:
        soon = datetime.now(UTC) + timedelta(hours=1)
        made = create(tenant, expires_at=soon.isoformat())
        assert datetime.fromisoformat(made["expires_at"]) == soon
        with tenant.api.store.write_session() as session:
            row = session.get_one(ApiKey, UUID(made["id"]))
            row.expires_at = datetime.now(UTC) - timedelta(seconds=1)
        with tenant.api.client(made["key"]) as client:
            client.refusal("GET", "/me", "invalid_api_key")
        assert standing(tenant, made["id"]) == ("deactivated", "expired")
        past = {"name": "Late", "expires_at": "2020-01-01T00:00:00Z"}
        meta = tenant.client.refusal("POST", url(tenant), "invalid_body", json=past)
        assert meta["issues"][0]["path"] == "expires_at"


def throw_out(tenant: Tenant, user_id: UUID, how: str) -> None:
    """End an admin's role by the API; a ban, which is the platform's, by the database."""
    path = f"/organizations/{tenant.organization_id}/members/{user_id}"
    if how == "removed":
        tenant.client.data("DELETE", path)
    elif how == "not_admin":
        tenant.client.data("PATCH", path, json={"role": "member"})
    else:
        with tenant.api.store.write_session() as session:
            session.get_one(User, user_id).is_banned = True


class TestHandedOn:
    """The maker of a chain's first key stays the maker of all its keys, also of those of others."""

    @pytest.fixture
    def chain(self, tenant: Tenant) -> tuple[UUID, list[Any]]:
        """An admin, and two keys, each made with the previous one: all act as other admins."""
        text, maker = tenant.add_key()
        made = []
        for _ in range(2):
            with tenant.api.client(text) as client:
                acts_as = str(tenant.add_member("admin"))
                body = {"acts_as_user_id": acts_as, "scopes": ["read", "write", "admin"]}
                made.append(create(tenant, client, **body))
            text = made[-1]["key"]
        return maker, made

    def test_keys_of_a_chain_name_it(self, tenant: Tenant, chain: tuple[UUID, list[Any]]) -> None:
        maker, made = chain
        assert {key["created_by"]["user_id"] for key in made} == {str(maker)}

    @pytest.mark.parametrize("how", ["removed", "not_admin", "banned"])
    def test_a_whole_chain_ends_with_its_first_maker(
        self, tenant: Tenant, chain: tuple[UUID, list[Any]], how: str
    ) -> None:
        maker, made = chain
        throw_out(tenant, maker, how)
        for key in made:
            with tenant.api.client(key["key"]) as client:
                client.refusal("GET", "/me", f"key_creator_{how}")
            assert standing(tenant, key["id"]) == ("deactivated", f"key_creator_{how}")

    @pytest.mark.parametrize("how", ["removed", "not_admin", "banned"])
    def test_a_key_that_acts_as_an_accomplice_ends_too(
        self, tenant: Tenant, chain: tuple[UUID, list[Any]], how: str
    ) -> None:
        """A key made with another one that acts as the same member: the shortest escape."""
        maker, made = chain
        with tenant.api.client(made[-1]["key"]) as client:
            own = create(tenant, client, scopes=["read", "write", "admin"])
        throw_out(tenant, maker, how)
        with tenant.api.client(own["key"]) as client:
            client.refusal("GET", "/me", f"key_creator_{how}")

    def test_a_key_that_acts_as_the_maker_of_the_chain_is_the_makers_own(
        self, tenant: Tenant, chain: tuple[UUID, list[Any]]
    ) -> None:
        maker, made = chain
        with tenant.api.client(made[-1]["key"]) as client:
            back = create(tenant, client, acts_as_user_id=str(maker))
        throw_out(tenant, maker, "not_admin")
        with tenant.api.client(back["key"]) as client:
            assert client.data("GET", "/me")["organization"]["role"] == "member"

    def test_an_invitation_of_a_removed_admin_is_revoked(
        self, tenant: Tenant, chain: tuple[UUID, list[Any]]
    ) -> None:
        maker, made = chain
        path = f"/organizations/{tenant.organization_id}/invitations"
        with tenant.api.client(made[-1]["key"]) as client:
            body = {"email": f"{uuid4().hex}@test.invalid", "role": "admin"}
            invitation = client.data("POST", path, json=body)
        page = f"{tenant.api.base_url}/invitations/{invitation['token']}"
        for how, status in (("not_admin", 404), ("admin", 200), ("removed", 404)):
            if how == "admin":
                member = f"/organizations/{tenant.organization_id}/members/{maker}"
                tenant.client.data("PATCH", member, json={"role": "admin"})
            else:
                throw_out(tenant, maker, how)
            assert httpx.get(page, trust_env=False).status_code == status
            (listed,) = tenant.client.data("GET", path)
            assert listed["status"] == ("pending" if status == 200 else "revoked")
        form = {"display_name": "Back again", "password": "correct horse battery"}
        assert httpx.post(page, data=form, trust_env=False).status_code == 404
        # Another admin can invite the address again.
        tenant.client.data("POST", path, json=body)

    @pytest.mark.parametrize(
        ("method", "path", "body"),
        [
            ("POST", "{organization}/api-keys", {"name": "Late"}),
            ("POST", "{organization}/invitations", {"email": "late@test.invalid"}),
            ("POST", "{organization}/members", {"user_id": "{friend}", "role": "admin"}),
            ("PATCH", "{organization}/members/{member}", {"role": "admin"}),
            ("DELETE", "{organization}/members/{member}", None),
            ("POST", "/webhook-endpoints", {"url": "https://late.test.invalid/"}),
            ("PATCH", "/webhook-endpoints/{endpoint}", {"url": "https://late.test.invalid/"}),
            ("POST", "/webhook-endpoints/{endpoint}/rotate-secret", None),
            ("DELETE", "/webhook-endpoints/{endpoint}", None),
        ],
    )
    def test_an_admin_demoted_during_a_request_changes_nothing(
        self, tenant: Tenant, other: Tenant, method: str, path: str, body: dict[str, str] | None
    ) -> None:
        """The request was authorized, and waits for a lock during the caller's demotion."""
        text, user_id = tenant.add_key()
        webhook = {"url": "https://hooks.test.invalid/"}
        named = {
            "organization": f"/organizations/{tenant.organization_id}",
            "member": tenant.add_member("member"),
            "friend": other.add_member("member"),
            "endpoint": tenant.client.data("POST", "/webhook-endpoints", json=webhook)["id"],
        }
        other.join(user_id)
        before = left_of(tenant, user_id)
        sent = body and {name: template.format_map(named) for name, template in body.items()}
        with tenant.api.client(text) as client, ThreadPoolExecutor(1) as pool:
            with tenant.api.store.write_session() as session:
                organizations.lock(session, tenant.organization_id)
                future = pool.submit(client.request, method, path.format_map(named), json=sent)
                wait_until_waiting(tenant.api.store.dsn)
                session.get_one(Member, (tenant.organization_id, user_id)).role = "member"
            answer = future.result()
        assert answer.status_code == 403
        assert answer.json()["meta"]["code"] == "insufficient_role"
        assert left_of(tenant, user_id) == before


class TestLimit:
    def test_active_keys_count_and_ended_ones_do_not(self, api: Api) -> None:
        with new_tenant(api, plan="ultra") as tenant:
            made = [create(tenant)["id"] for _ in range(4)]
            body = {"name": "Sixth"}
            meta = tenant.client.refusal("POST", url(tenant), "limit_reached", json=body)
            assert (meta["limitKey"], meta["current"], meta["max"]) == (
                "max_api_keys_per_org",
                5,
                5,
            )
            tenant.client.data("DELETE", url(tenant, made[0]))
            create(tenant)

    def test_simultaneous_requests_never_pass_it(self, tenant: Tenant) -> None:
        def create_one(_number: int) -> int:
            return tenant.client.post(url(tenant), json={"name": "More"}).status_code

        with ThreadPoolExecutor(8) as pool:
            statuses = list(pool.map(create_one, range(8)))
        assert sorted(statuses) == [201] * 4 + [402] * 4


class TestRevoke:
    def test_a_revoked_key_is_refused_at_once_and_stays_listed(self, tenant: Tenant) -> None:
        made = create(tenant)
        for _ in range(2):
            assert tenant.client.data("DELETE", url(tenant, made["id"])) == {"deleted": True}
        with tenant.api.client(made["key"]) as client:
            client.refusal("GET", "/me", "invalid_api_key")
        assert standing(tenant, made["id"]) == ("revoked", None)


class TestStanding:
    """A key's status in lists matches the response to its requests."""

    def test_suspended_and_banned_end_keys_for_the_time(self, tenant: Tenant) -> None:
        member = tenant.add_member("member")
        made = create(tenant, acts_as_user_id=str(member))
        self.flag(tenant, User, member, is_banned=True)
        with tenant.api.client(made["key"]) as client:
            client.refusal("GET", "/me", "forbidden")
            assert standing(tenant, made["id"]) == ("deactivated", "member_banned")
            self.flag(tenant, User, member, is_banned=False)
            client.data("GET", "/me")
            assert standing(tenant, made["id"]) == ("active", None)
            self.flag(tenant, Organization, tenant.organization_id, is_suspended=True)
            client.refusal("GET", "/me", "forbidden")
            self.flag(tenant, Organization, tenant.organization_id, is_suspended=False)
            client.data("GET", "/me")

    @staticmethod
    def flag(tenant: Tenant, model: Any, row_id: UUID, **columns: bool) -> None:
        with tenant.api.store.write_session() as session:
            row = session.get_one(model, row_id)
            for name, value in columns.items():
                setattr(row, name, value)
