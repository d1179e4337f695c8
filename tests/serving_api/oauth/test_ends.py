"""Consents end with the access of the member who gave them, at once and permanently."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import NamedTuple
from urllib.parse import parse_qsl

import pytest
from sqlalchemy import select

from serving_api.oauth import grants
from serving_api.oauth.authorization_request import read_asking
from serving_api.oauth.organizations import hold_choice
from serving_api.passwords import hash_password
from tests.fixtures.api import Api, Client, Tenant, new_tenant
from tests.fixtures.locks import wait_until_waiting
from tests.fixtures.programs import Browser, Program, answer_of, error_of
from warehouse.operational.models import Member, OauthGrant, Organization, User
from warehouse.operational.users import set_password

AuditEvent = Callable[[Client, Browser], object]


def remove(platform: Client, member: Browser) -> None:
    member.leave()


def add_again(platform: Client, member: Browser) -> None:
    member.tenant.join(member.user_id)


def ban(platform: Client, member: Browser) -> None:
    platform.data("POST", f"/admin/users/{member.user_id}/ban")


def unban(platform: Client, member: Browser) -> None:
    platform.data("POST", f"/admin/users/{member.user_id}/unban")


def suspend(platform: Client, member: Browser) -> None:
    path = f"/admin/organizations/{member.tenant.organization_id}"
    platform.data("PATCH", path, json={"is_suspended": True})


def unsuspend(platform: Client, member: Browser) -> None:
    path = f"/admin/organizations/{member.tenant.organization_id}"
    platform.data("PATCH", path, json={"is_suspended": False})


class End(NamedTuple):
    """What ends consents, what reverts it, and the error code of a token in between."""

    come: AuditEvent
    pass_by: AuditEvent
    reason: str


ENDS = {
    "removed": End(remove, add_again, "key_member_removed"),
    "banned": End(ban, unban, "forbidden"),
    "suspended": End(suspend, unsuspend, "forbidden"),
}


@pytest.fixture
def platform(other: Tenant) -> Client:
    """The client of a platform admin in another organization."""
    with other.api.store.write_session() as session:
        session.get_one(User, other.made.user_id).is_platform_admin = True
    return other.client


@pytest.mark.parametrize("end", ENDS.values(), ids=list(ENDS))
def test_a_returning_member_is_asked_for_consent_again(
    program: Program, member: Browser, platform: Client, end: End
) -> None:
    tokens, code = program.tokens(member), member.authorize(program)
    end.come(platform, member)
    assert _are_ended(member)
    assert program.call(tokens["access_token"]).json()["meta"]["code"] == end.reason
    assert error_of(program.exchange(code)) == "invalid_grant"
    end.pass_by(platform, member)
    refused = program.call(tokens["access_token"])
    assert refused.status_code == 401
    assert refused.json()["meta"]["code"] == "invalid_api_key"
    assert error_of(program.refresh(tokens["refresh_token"])) == "invalid_grant"
    assert program.call(program.tokens(member)["access_token"]).status_code == 200


def test_other_consents_stay(api: Api, program: Program, member: Browser, tenant: Tenant) -> None:
    colleague = program.tokens(Browser(tenant))
    with new_tenant(api) as second:
        with api.store.write_session() as session:
            session.add(
                Member(
                    organization_id=second.organization_id,
                    user_id=member.user_id,
                    role="member",
                    joined_at=api.store.clock(),
                )
            )
        decided = member.decide(program.asking(), organization_id=str(second.organization_id))
        elsewhere = program.exchange(answer_of(decided)["code"]).json()
        member.leave()
        for tokens in (colleague, elsewhere):
            assert program.call(tokens["access_token"]).status_code == 200
            assert program.refresh(tokens["refresh_token"]).status_code == 200


def test_another_role_ends_nothing(program: Program, member: Browser) -> None:
    tokens = program.tokens(member)
    path = f"/organizations/{member.tenant.organization_id}/members/{member.user_id}"
    member.tenant.client.data("PATCH", path, json={"role": "member"})
    assert program.refresh(tokens["refresh_token"]).status_code == 200


def test_another_password_ends_consents_and_sessions(program: Program, member: Browser) -> None:
    tokens = program.tokens(member)
    asking = program.asking()
    action, form = member.form(member.get(asking).text)
    with program.api.store.write_session() as session:
        set_password(session, member.email, hash_password("another password"))
    assert program.call(tokens["access_token"]).status_code == 401
    assert error_of(program.refresh(tokens["refresh_token"])) == "invalid_grant"
    sent = {**form, "decision": "allow", "organization_id": str(member.tenant.organization_id)}
    assert member.post(action, data=sent).status_code == 403
    assert "Password" in member.get(asking).text


@pytest.mark.parametrize("end", ENDS.values(), ids=list(ENDS))
def test_no_consent_is_given_past_what_ends_it(
    program: Program, member: Browser, platform: Client, end: End
) -> None:
    """Removing access waits for a consent in progress, and ends it."""
    store, settings = program.api.store, program.api.settings
    query = parse_qsl(program.asking().partition("?")[2])
    organization_id = str(member.tenant.organization_id)
    with ThreadPoolExecutor() as others:
        with store.write_session() as session:
            asking = read_asking(
                session, query, resource=program.resource, issuer=settings.base_url
            )
            chosen = hold_choice(session, member.user_id, organization_id, asking.scopes)
            grants.allow(session, asking, chosen.member, chosen.scopes, datetime.now(UTC))
            ending = others.submit(end.come, platform, member)
            wait_until_waiting(store.dsn)
        ending.result(timeout=30)
    assert _are_ended(member)


def test_a_member_being_removed_cannot_consent(program: Program, member: Browser) -> None:
    action, form = member.form(member.consent_page(program.asking()).text)
    key = (member.tenant.organization_id, member.user_id)
    sent = {**form, "decision": "allow", "organization_id": str(key[0])}
    store = program.api.store
    with ThreadPoolExecutor() as others:
        with store.write_session() as session:
            session.get_one(Organization, key[0], with_for_update={"key_share": True})
            session.delete(session.get_one(Member, key))
            session.flush()
            consenting = others.submit(member.post, action, data=sent)
            wait_until_waiting(store.dsn)
        assert consenting.result(timeout=30).status_code == 400


def _are_ended(member: Browser) -> bool:
    of_member = select(OauthGrant.revoked_at).where(OauthGrant.user_id == member.user_id)
    with member.tenant.api.store.read_session() as session:
        ended = session.scalars(of_member).all()
    assert ended
    return None not in ended
