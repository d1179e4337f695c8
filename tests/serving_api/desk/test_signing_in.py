"""Signing in at the desk: how a session begins, and all the ways in which it ends."""

from collections.abc import Callable
from datetime import timedelta

import httpx
import pytest
from sqlalchemy import select, update

from serving_api.desk.sessions import IDLE, LONGEST
from serving_api.passwords import hash_token
from tests.factories.visitors import read
from tests.fixtures.api import Tenant
from tests.fixtures.desk import SIGN_IN, TO_PEOPLE, Sitter
from tests.fixtures.programs import Program, error_of
from warehouse.operational.models import DeskSession, Organization


def is_in(sitter: Sitter) -> bool:
    """Whether the page is the overview, and not the sign-in form."""
    answer = sitter.get(sitter.home)
    assert answer.status_code in {200, 303}
    return answer.status_code == 200


def session_of(sitter: Sitter) -> DeskSession:
    with sitter.tenant.api.store.read_session() as session:
        query = select(DeskSession).where(DeskSession.user_id == sitter.user_id)
        return session.scalars(query).one()


def test_the_redirects_from_the_root_to_the_requested_page(tenant: Tenant) -> None:
    sitter = Sitter(tenant, signed_in=False)
    with httpx.Client(base_url=tenant.api.base_url, trust_env=False) as anybody:
        assert anybody.get("/", headers=TO_PEOPLE).headers["Location"] == "/desk"
        to_programs = anybody.get("/")
        assert to_programs.status_code == 404
        assert to_programs.json()["meta"]["code"] == "route_not_found"
    led = sitter.get(sitter.home)
    assert led.status_code == 303
    form = sitter.get(led.headers["Location"])
    assert f'name="to" value="{sitter.home}"' in form.text
    arrived = sitter.come_in(to=sitter.home)
    assert (arrived.status_code, arrived.headers["Location"]) == (303, sitter.home)
    assert is_in(sitter)
    assert sitter.get(SIGN_IN).headers["Location"] == "/desk"
    assert sitter.get("/desk").headers["Location"] == sitter.home


@pytest.mark.parametrize("to", ["https://evil.example/", "//evil.example", "/oauth", "/desk//e.x"])
def test_a_link_to_the_form_leads_nowhere_else(tenant: Tenant, to: str) -> None:
    sitter = Sitter(tenant, signed_in=False)
    assert sitter.come_in(to=to).headers["Location"] == "/desk"


def test_a_token_is_stored_as_its_hash_and_changes_at_sign_in(tenant: Tenant) -> None:
    sitter = Sitter(tenant, signed_in=False)
    sitter.get(SIGN_IN)
    before = sitter.cookies["desk"]
    answer = sitter.come_in()
    after = sitter.cookies["desk"]
    assert after != before
    assert session_of(sitter).token_hash == hash_token(after)
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Path=/desk" in cookie
    assert sitter.audit_events() == [("page", "sign_in")]


def test_wrong_passwords_lock_the_address_for_the_desk_and_for_agents(tenant: Tenant) -> None:
    sitter = Sitter(tenant, signed_in=False)
    for _ in range(10):
        answer = sitter.come_in("wrong")
        assert answer.status_code == 400
        assert "Wrong e-mail address or password" in answer.text
    assert "Try again in 15 minutes" in sitter.come_in().text
    assert not is_in(sitter)


def leave(sitter: Sitter) -> None:
    sitter.send("/desk/sign-out", page=sitter.home)


def be_idle(sitter: Sitter) -> None:
    _move(sitter, expires_at=DeskSession.expires_at - IDLE)


def stay_for_a_week(sitter: Sitter) -> None:
    _move(sitter, created_at=DeskSession.created_at - LONGEST)


def _move(sitter: Sitter, **values: object) -> None:
    with sitter.tenant.api.store.write_session() as session:
        mine = update(DeskSession).where(DeskSession.user_id == sitter.user_id)
        session.execute(mine.values(**values))


@pytest.mark.parametrize(
    "end", [leave, be_idle, stay_for_a_week, Sitter.be_banned, Sitter.get_another_password]
)
def test_a_session_ends(admin: Sitter, end: Callable[[Sitter], None]) -> None:
    assert is_in(admin)
    end(admin)
    assert not is_in(admin)


def test_use_keeps_a_session(admin: Sitter) -> None:
    _move(admin, expires_at=DeskSession.expires_at - timedelta(hours=6))
    before = session_of(admin)
    assert is_in(admin)
    assert session_of(admin).expires_at - before.expires_at >= timedelta(hours=6)


def test_signing_out_everywhere_ends_every_browser_and_program(admin: Sitter) -> None:
    program = Program.registered(admin.tenant.api)
    tokens = program.tokens(admin)
    there = admin.elsewhere()
    assert is_in(there)
    admin.send("/desk/sign-out", page=admin.home, everywhere="yes")
    assert (is_in(admin), is_in(there)) == (False, False)
    assert ("page", "sign_out_everywhere") in admin.audit_events()
    assert program.call(tokens["access_token"]).status_code == 401
    assert error_of(program.refresh(tokens["refresh_token"])) == "invalid_grant"


def test_signing_out_everywhere_ends_sign_ins_for_programs(admin: Sitter) -> None:
    program = Program.registered(admin.tenant.api)
    action, sent = admin.form(admin.consent_page(program.asking()).text)
    admin.elsewhere().send("/desk/sign-out", page=admin.home, everywhere="yes")
    organization_id = str(admin.tenant.organization_id)
    allowed = {**sent, "decision": "allow", "organization_id": organization_id}
    assert admin.post(action, data=allowed).status_code == 403
    assert "Sign in to continue" in admin.get(program.asking()).text


def test_a_removed_member_loses_the_project_and_keeps_the_others(
    admin: Sitter, other: Tenant
) -> None:
    other.join(admin.user_id)
    admin.leave()
    assert admin.get(admin.home).status_code == 404
    assert admin.get("/desk").headers["Location"] == f"/desk/projects/{other.project_id}"


def test_a_suspended_organization_is_not_offered(admin: Sitter) -> None:
    with admin.tenant.api.store.write_session() as session:
        session.get_one(Organization, admin.tenant.organization_id).is_suspended = True
    assert admin.get(admin.home).status_code == 404
    assert "You have no projects" in admin.get("/desk").text


def test_of_several_projects_one_is_chosen(admin: Sitter, other: Tenant) -> None:
    other.join(admin.user_id)
    page = admin.get("/desk")
    assert page.status_code == 200
    assert f'href="{admin.home}"' in page.text
    assert f'href="/desk/projects/{other.project_id}"' in page.text
    assert admin.get(admin.home).status_code == 200


def test_a_signed_out_user_returns_to_the_form_with_a_message(tenant: Tenant) -> None:
    sitter = Sitter(tenant)
    new = f"{sitter.home}/campaigns/new"
    form = sitter.hidden(new)
    leave(sitter)
    referer = {"Referer": f"{tenant.api.base_url}{new}"}
    led = sitter.post(new, data={"form": form, "name": "Autumn"}, headers=referer)
    assert led.status_code == 303
    page = sitter.get(led.headers["Location"])
    assert "your last change was not saved" in read(page)
    assert f'name="to" value="{new}"' in page.text


def test_a_refusal_links_the_way_back(tenant: Tenant) -> None:
    sitter = Sitter(tenant)
    missing = f"{sitter.home}/creators/00000000-0000-0000-0000-000000000000"
    list_of = f"{sitter.home}/creators?search=mila"
    for origin, back in ((tenant.api.base_url, list_of), ("https://evil.example", sitter.home)):
        refused = sitter.get(missing, headers={"Referer": f"{origin}{list_of}"})
        assert refused.status_code == 404
        assert f'<a href="{back}">' in refused.text
        assert (">Back</a>" in refused.text) is (back == list_of)
        assert "Sign out" in refused.text
    keys = Sitter(tenant, role="member").get(f"{sitter.home}/settings/keys")
    assert "Only admins of your organization can do this." in keys.text
