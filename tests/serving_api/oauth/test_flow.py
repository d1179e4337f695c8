"""A member authorizes a program; it works with at most the member's rights, until it ends."""

import json
from datetime import timedelta

import httpx
import pytest
from sqlalchemy import select, update

from tests.fixtures.api import Api, Tenant
from tests.fixtures.programs import Browser, Program, answer_of
from warehouse.operational.models import (
    AuditEntry,
    Member,
    OauthGrant,
    OauthToken,
    User,
)


def as_fields(response: httpx.Response) -> dict[str, object]:
    content: dict[str, object] = json.loads(response.json()["result"]["content"][0]["text"])
    return content


class TestDiscovery:
    def test_a_401_leads_to_the_documents(self, program: Program) -> None:
        refused = program.call("nothing")
        assert refused.status_code == 401
        url = f"{program.api.settings.base_url}/.well-known/oauth-protected-resource/api/mcp"
        assert refused.headers["WWW-Authenticate"] == f'Bearer resource_metadata="{url}"'

    @pytest.mark.parametrize("ending", ["", "/api/mcp"])
    def test_the_resource_names_the_authorization_server(self, api: Api, ending: str) -> None:
        url = f"{api.base_url}/.well-known/oauth-protected-resource{ending}"
        document = httpx.get(url, trust_env=False, verify=False).json()
        assert document["resource"] == api.settings.base_url + "/api/mcp"
        assert document["authorization_servers"] == [api.settings.base_url]

    def test_the_server_publishes_its_metadata(self, api: Api) -> None:
        url = f"{api.base_url}/.well-known/oauth-authorization-server"
        document = httpx.get(url, trust_env=False, verify=False).json()
        assert document["issuer"] == api.settings.base_url
        assert document["code_challenge_methods_supported"] == ["S256"]
        assert document["grant_types_supported"] == ["authorization_code", "refresh_token"]
        assert document["authorization_response_iss_parameter_supported"] is True


class TestLettingIn:
    def test_the_page_names_the_granted_rights(self, program: Program, member: Browser) -> None:
        page = member.consent_page(program.asking()).text
        for text in (
            "Helper",
            "Acme",
            "scope.read",
            "scope.write",
            "http://127.0.0.1:4711",
            member.email,
        ):
            assert text in page
        assert "scope.admin" not in page

    def test_it_acts_as_a_member(self, program: Program, member: Browser, tenant: Tenant) -> None:
        tokens = program.tokens(member)
        assert tokens["token_type"] == "Bearer"
        assert tokens["scope"] == "read write"
        me = as_fields(program.call(tokens["access_token"]))["data"]
        assert isinstance(me, dict)
        assert me["id"] == str(member.user_id)
        assert me["organization"]["id"] == str(tenant.organization_id)
        assert me["connection"] == {"via": "mcp", "scopes": ["read", "write"]}

    def test_it_writes_as_the_member_and_is_logged_so(
        self, program: Program, member: Browser, tenant: Tenant
    ) -> None:
        tokens = program.tokens(member)
        body = {"entity_type": "creator", "name": "Star"}
        made = program.call(tokens["access_token"], "tags_create", body=body)
        assert as_fields(made)["error"] is None
        of_tenant = AuditEntry.organization_id == tenant.organization_id
        with tenant.api.store.read_session() as session:
            entries = session.scalars(select(AuditEntry).where(of_tenant)).all()
        noted = {each.action: each for each in entries}
        assert noted["allow_program"].channel == "page"
        assert noted["create_tag"].channel == "mcp"
        assert noted["create_tag"].user_id == member.user_id
        assert noted["create_tag"].api_key_id is None

    def test_users_cannot_choose_other_organizations(
        self, program: Program, member: Browser, other: Tenant
    ) -> None:
        foreign = str(other.organization_id)
        assert member.decide(program.asking(), organization_id=foreign).status_code == 400

    def test_a_member_may_refuse(self, program: Program, member: Browser) -> None:
        answer = answer_of(member.decide(program.asking(), "deny"))
        assert answer["error"] == "access_denied"
        assert "code" not in answer

    def test_another_user_may_sign_in(self, program: Program, member: Browser) -> None:
        left = member.decide(program.asking(), "leave")
        assert "Password" in member.get(left.headers["Location"]).text

    def test_admin_is_given_to_admins_only(self, program: Program, tenant: Tenant) -> None:
        scope = "read write admin"
        assert program.tokens(Browser(tenant), scope=scope)["scope"] == scope
        plain = Browser(tenant, role="member")
        assert program.tokens(plain, scope=scope)["scope"] == "read write"

    def test_no_tokens_are_stored_in_clear(self, program: Program, member: Browser) -> None:
        tokens = program.tokens(member)
        with program.api.store.read_session() as session:
            rows = session.scalars(select(OauthToken.token_hash)).all()
        assert tokens["access_token"].encode() not in rows
        assert all(len(row) == 32 for row in rows)


class TestEveryCall:
    """Each call checks the member's current rights."""

    @pytest.fixture
    def token(self, program: Program, member: Browser) -> str:
        return program.tokens(member, scope="read write admin")["access_token"]

    def change(self, member: Browser, change: object) -> None:
        with member.tenant.api.store.write_session() as session:
            session.execute(change)  # type: ignore[call-overload]

    def test_demoted_admins_lose_it(self, program: Program, member: Browser, token: str) -> None:
        self.change(
            member, update(Member).where(Member.user_id == member.user_id).values(role="member")
        )
        me = as_fields(program.call(token))["data"]
        assert isinstance(me, dict)
        assert me["connection"]["scopes"] == ["read", "write"]

    def test_it_lasts_an_hour(self, program: Program, member: Browser, token: str) -> None:
        _make_older(member, timedelta(hours=1))
        assert program.call(token).status_code == 401

    def test_no_platform_rights(self, program: Program, member: Browser, token: str) -> None:
        everywhere = update(User).where(User.id == member.user_id).values(is_platform_admin=True)
        self.change(member, everywhere)
        refused = as_fields(program.call(token, "platform_organizations_list"))
        assert refused["error"]


class TestRefreshing:
    def test_new_tokens_follow(self, program: Program, member: Browser) -> None:
        first = program.tokens(member)
        second = program.refresh(first["refresh_token"]).json()
        assert second["refresh_token"] != first["refresh_token"]
        assert program.call(second["access_token"]).status_code == 200
        assert program.refresh(second["refresh_token"]).status_code == 200

    def test_a_program_may_ask_for_less(self, program: Program, member: Browser) -> None:
        first = program.tokens(member)
        second = program.refresh(first["refresh_token"], scope="read").json()
        assert second["scope"] == "read"
        me = as_fields(program.call(second["access_token"]))["data"]
        assert isinstance(me, dict)
        assert me["connection"]["scopes"] == ["read"]
        third = program.refresh(second["refresh_token"]).json()
        assert third["scope"] == "read write"

    def test_a_month_later_it_is_worth_nothing(self, program: Program, member: Browser) -> None:
        first = program.tokens(member)
        _make_older(member, timedelta(days=30))
        assert program.refresh(first["refresh_token"]).json()["error"] == "invalid_grant"


class TestRevoking:
    @pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
    def test_either_token_ends_both(self, program: Program, member: Browser, kind: str) -> None:
        tokens = program.tokens(member)
        assert program.revoke(tokens[kind]).status_code == 200
        assert program.call(tokens["access_token"]).status_code == 401
        assert program.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"

    def test_invalid_tokens_get_equal_responses(self, program: Program) -> None:
        assert program.revoke("nothing").status_code == 200

    def test_another_program_ends_nothing(self, program: Program, member: Browser) -> None:
        tokens = program.tokens(member)
        stranger = Program.registered(program.api)
        assert stranger.revoke(tokens["refresh_token"]).status_code == 200
        assert program.call(tokens["access_token"]).status_code == 200


def _make_older(member: Browser, by: timedelta) -> None:
    """Move the issue time of the member's tokens into the past."""
    own = select(OauthGrant.id).where(OauthGrant.user_id == member.user_id)
    with member.tenant.api.store.write_session() as session:
        session.execute(
            update(OauthToken)
            .where(OauthToken.grant_id.in_(own))
            .values(expires_at=OauthToken.expires_at - by)
        )
