"""Members over HTTP: roles, the last admin, and the keys that end with a membership."""

import re
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

import httpx
import pytest
from sqlalchemy import select

from serving_api.passwords import hash_password
from tests.fixtures.api import NOW, Tenant
from warehouse.operational.audit_reading import AuditFilters, read_audit
from warehouse.operational.models import ApiKey, User


def url(tenant: Tenant, *ids: object) -> str:
    return "/".join([f"/organizations/{tenant.organization_id}/members", *map(str, ids)])


def stranger(tenant: Tenant, **columns: Any) -> User:
    """A user without any organization."""
    user = User(email=f"{uuid4().hex}@test.invalid", display_name="Ada", **columns)
    with tenant.api.store.write_session() as session:
        session.add(user)
    return user


def acquaintance(tenant: Tenant, other: Tenant) -> User:
    """A member of another organization that the tenant's admin belongs to as well."""
    user = stranger(tenant)
    other.join(user.id)
    other.join(tenant.made.user_id)
    return user


def roles(tenant: Tenant) -> list[str]:
    return sorted(member["role"] for member in tenant.client.data("GET", "/members"))


class TestList:
    def test_whole_notes_are_not_read(self, tenant: Tenant, statements: list[str]) -> None:
        tenant.client.data("PATCH", "/me", json={"readme": "x" * 300})
        statements.clear()
        for path in ("/members", "/notes"):
            assert tenant.client.data("GET", path)[0]["readme_length"] == 300
        texts = [each for each in statements if "readme" in each]
        assert texts
        assert not [each for each in texts if re.search(r"readme AS \w*readme\b", each)]

    def test_a_member_is_returned_with_its_notes(self, tenant: Tenant) -> None:
        tenant.client.data("PATCH", "/me", json={"readme": "x" * 300})
        (me,) = tenant.client.data("GET", "/members")
        assert me == {
            "user_id": str(tenant.made.user_id),
            "display_name": "admin",
            "email": f"admin@{tenant.organization_id}.invalid",
            "role": "admin",
            "joined_at": NOW.isoformat().replace("+00:00", "Z"),
            "is_you": True,
            "has_readme": True,
            "readme_length": 300,
            "readme_preview": "x" * 200,
        }

    def test_others_are_not_you(self, tenant: Tenant, other: Tenant) -> None:
        theirs = tenant.add_member("member")
        listed = {member["user_id"]: member for member in tenant.client.data("GET", "/members")}
        assert listed.keys() == {str(tenant.made.user_id), str(theirs)}
        assert listed[str(theirs)]["is_you"] is False
        assert listed[str(theirs)]["readme_preview"] is None


class TestAdd:
    @pytest.mark.parametrize("by", ["user_id", "email"])
    def test_a_known_user_is_added_by_id_or_by_address_in_any_case(
        self, tenant: Tenant, other: Tenant, by: str
    ) -> None:
        user = acquaintance(tenant, other)
        named = {"user_id": str(user.id)} if by == "user_id" else {"email": user.email.upper()}
        body = {**named, "role": "admin"}
        made = tenant.client.data("POST", url(tenant), json=body, status=201)
        assert (made["user_id"], made["role"], made["is_you"]) == (str(user.id), "admin", False)
        assert roles(tenant) == ["admin", "admin"]

    def test_the_default_role_is_member(self, tenant: Tenant, other: Tenant) -> None:
        body = {"user_id": str(acquaintance(tenant, other).id)}
        assert tenant.client.data("POST", url(tenant), json=body, status=201)["role"] == "member"
        meta = tenant.client.refusal("POST", url(tenant), "conflict", json=body)
        assert meta["reason"] == "already_member"

    def test_an_id_of_an_unrelated_user_is_not_found(self, tenant: Tenant, other: Tenant) -> None:
        for user_id in (uuid4(), stranger(tenant).id, other.made.user_id):
            body = {"user_id": str(user_id)}
            tenant.client.refusal("POST", url(tenant), "not_found", json=body)
        assert roles(tenant) == ["admin"]

    def test_a_key_knows_its_makers_contacts_only(self, tenant: Tenant, other: Tenant) -> None:
        """The key acts as a member of that organization, but its maker is not one."""
        body = {"email": acquaintance(tenant, other).email}
        _, maker = tenant.add_key()
        text, acting = tenant.add_key(created_by_user_id=maker)
        other.join(acting)
        with tenant.api.client(text) as client:
            assert client.data("POST", url(tenant), json=body, status=202)["status"] == "pending"


class TestStranger:
    """Responses do not reveal who has an account, and users become members only by consent."""

    @staticmethod
    def addresses(tenant: Tenant, other: Tenant) -> Mapping[str, str]:
        password_hash = hash_password("correct horse battery")
        known = stranger(tenant, password_hash=password_hash)
        other.join(known.id, "admin")
        banned = stranger(tenant, is_banned=True)
        return {"unknown": "nobody@test.invalid", "known": known.email, "banned": banned.email}

    def test_every_address_gets_the_same_answer_for_the_same_work(
        self, tenant: Tenant, other: Tenant, statements: list[str]
    ) -> None:
        addresses = self.addresses(tenant, other)
        answers, work = {}, {}
        for who, email in addresses.items():
            # Reads the key again after the previous write, and stores its last use.
            tenant.client.refusal("POST", url(tenant), "invalid_body", json={})
            statements.clear()
            answers[who] = tenant.client.post(url(tenant), json={"email": email})
            work[who] = list(statements)
        assert {who: answer.status_code for who, answer in answers.items()} == dict.fromkeys(
            answers, 202
        )
        for who in ("known", "banned"):
            assert work[who] == work["unknown"]
            assert answers[who].headers.keys() == answers["unknown"].headers.keys()
            assert self.but_for_chance(answers[who]) == self.but_for_chance(answers["unknown"])
        with tenant.api.store.read_session() as session:
            filters = AuditFilters(organization_id=tenant.organization_id)
            changes = [record.changes for record in read_audit(session, filters, limit=10)]
        assert [len(rows) for rows in changes] == [1, 1, 1]
        assert {(row.entity_type, row.kind, *row.changes) for [row] in changes} == {
            ("invitation", "created", *changes[0][0].changes)
        }
        listed = tenant.client.data("GET", f"/organizations/{tenant.organization_id}/invitations")
        assert {invitation["email"] for invitation in listed} == set(addresses.values())
        assert roles(tenant) == ["admin"]

    def test_a_second_time_is_a_conflict(self, tenant: Tenant, other: Tenant) -> None:
        for email in self.addresses(tenant, other).values():
            tenant.client.data("POST", url(tenant), json={"email": email}, status=202)
            meta = tenant.client.refusal(
                "POST", url(tenant), "conflict", json={"email": email.upper()}
            )
            assert meta["reason"] == "already_invited"

    def test_every_address_gets_the_same_page(self, tenant: Tenant, other: Tenant) -> None:
        pages = set()
        for email in self.addresses(tenant, other).values():
            made = tenant.client.data("POST", url(tenant), json={"email": email}, status=202)
            page = f"{tenant.api.base_url}/invitations/{made['token']}"
            forms = ({"way": "sign-in", "password": "guessed it maybe"}, {"password": "short"})
            seen = [httpx.get(page, trust_env=False)]
            seen += [httpx.post(page, data=form, trust_env=False) for form in forms]
            pages.add(
                tuple((answer.status_code, answer.text.replace(email, "")) for answer in seen)
            )
        assert len(pages) == 1

    @staticmethod
    def but_for_chance(answer: httpx.Response) -> Any:
        data = answer.json()["data"]
        chance = dict.fromkeys(("id", "email", "token", "created_at", "expires_at"))
        return {**answer.json(), "data": {**data, **chance}}


class TestLastAdmin:
    def test_the_last_admin_is_neither_demoted_nor_removed(self, tenant: Tenant) -> None:
        tenant.add_member("member")
        own = url(tenant, tenant.made.user_id)
        change = {"role": "member"}
        tenant.client.refusal("PATCH", own, "last_admin", json=change)
        tenant.client.refusal("DELETE", own, "last_admin")
        assert tenant.client.data("PATCH", own, json={"role": "admin"})["role"] == "admin"
        assert roles(tenant) == ["admin", "member"]

    def test_a_banned_admin_does_not_count_as_admin(self, tenant: Tenant) -> None:
        second = tenant.add_member("admin")
        with tenant.api.store.write_session() as session:
            session.get_one(User, second).is_banned = True
        own = url(tenant, tenant.made.user_id)
        tenant.client.refusal("DELETE", own, "last_admin")
        assert tenant.client.data("DELETE", url(tenant, second)) == {"deleted": True}


class TestRemove:
    def test_keys_of_the_member_end_with_the_reason(self, tenant: Tenant) -> None:
        gone_key, gone = tenant.add_key(role="admin")
        made_by_it, other_user = tenant.add_key(role="member", created_by_user_id=gone)
        untouched, _ = tenant.add_key(role="member")
        with tenant.api.client(gone_key) as acting, tenant.api.client(made_by_it) as made:
            acting.data("GET", "/me")
            made.data("GET", "/me")
            assert tenant.client.data("DELETE", url(tenant, gone)) == {"deleted": True}
            acting.refusal("GET", "/me", "key_member_removed")
            made.refusal("GET", "/me", "key_creator_removed")
            # Rejoining does not restore keys.
            tenant.join(gone, "admin")
            acting.refusal("GET", "/me", "key_member_removed")
            made.refusal("GET", "/me", "key_creator_removed")
        with tenant.api.client(untouched) as client:
            client.data("GET", "/me")
        keys = tenant.client.data("GET", f"/organizations/{tenant.organization_id}/api-keys")
        listed = {key["acts_as"]["user_id"]: key for key in keys}
        assert [
            (listed[str(user)]["status"], listed[str(user)]["deactivation_reason"])
            for user in (gone, other_user)
        ] == [("deactivated", "key_member_removed"), ("deactivated", "key_creator_removed")]

    def test_keys_in_other_organizations_go_on(self, tenant: Tenant, other: Tenant) -> None:
        text, user_id = other.add_key(role="member")
        tenant.join(user_id)
        tenant.client.data("DELETE", url(tenant, user_id))
        with other.api.client(text) as client:
            client.data("GET", "/me")

    def test_a_revoked_key_stays_revoked(self, tenant: Tenant) -> None:
        _, gone = tenant.add_key(role="member", status="revoked")
        tenant.client.data("DELETE", url(tenant, gone))
        with tenant.api.store.read_session() as session:
            key = session.scalars(select(ApiKey).where(ApiKey.acts_as_user_id == gone)).one()
            assert key.status == "revoked"

    def test_a_removed_member_is_not_found(self, tenant: Tenant) -> None:
        gone = tenant.add_member("member")
        tenant.client.data("DELETE", url(tenant, gone))
        tenant.client.refusal("DELETE", url(tenant, gone), "not_found")
        tenant.client.refusal("PATCH", url(tenant, gone), "not_found", json={"role": "admin"})


class TestRoles:
    def test_a_demotion_applies_at_once_and_until_it_is_reverted(self, tenant: Tenant) -> None:
        text, user_id = tenant.add_key(role="admin")
        made_by_it, _ = tenant.add_key(role="member", created_by_user_id=user_id)
        with tenant.api.client(text) as own, tenant.api.client(made_by_it) as made:
            tenant.client.data("PATCH", url(tenant, user_id), json={"role": "member"})
            body = {"name": "No longer"}
            path = f"/organizations/{tenant.organization_id}"
            own.refusal("PATCH", path, "insufficient_role", json=body)
            own.data("GET", "/me")
            made.refusal("GET", "/me", "key_creator_not_admin")
            tenant.client.data("PATCH", url(tenant, user_id), json={"role": "admin"})
            own.data("PATCH", path, json=body)
            made.data("GET", "/me")
