"""Consent with the desk's session.

Protections: the form's token, the origin, and a signed cookie for these pages alone that ends with
the session. Granting also requires the form of a page that names the account.
"""

import re
from collections.abc import Callable
from datetime import timedelta
from urllib.parse import urlsplit

import httpx
import pytest
from sqlalchemy import select, update

from tests.fixtures.api import Tenant
from tests.fixtures.desk import Sitter
from tests.fixtures.programs import Browser, Program, answer_of
from warehouse.operational.models import DeskSession, OauthGrant


@pytest.fixture
def sitter(tenant: Tenant) -> Sitter:
    return Sitter(tenant)


def address(program: Program) -> str:
    """The authorization endpoint of the metadata."""
    url = f"{program.api.base_url}/.well-known/oauth-authorization-server"
    document = httpx.get(url, trust_env=False, verify=False).json()
    return f"{urlsplit(document['authorization_endpoint']).path}?{urlsplit(program.asking()).query}"


def consent(sitter: Sitter, program: Program, **request: object) -> httpx.Response:
    action, form = sitter.form(sitter.get(address(program)).text)
    sent = {**form, "decision": "allow", "organization_id": str(sitter.tenant.organization_id)}
    return sitter.post(action, **{"data": sent, **request})


def grants(sitter: Sitter) -> int:
    with sitter.tenant.api.store.read_session() as session:
        own = select(OauthGrant.id).where(OauthGrant.user_id == sitter.user_id)
        return len(session.scalars(own).all())


def test_people_at_the_desk_consent_without_a_password(program: Program, sitter: Sitter) -> None:
    page = sitter.get(address(program))
    assert f"You are signed in as {sitter.email}" in page.text
    assert "Use another account" in page.text
    assert grants(sitter) == 0, "a link grants nothing"
    code = answer_of(consent(sitter, program))["code"]
    assert program.call(program.exchange(code).json()["access_token"]).status_code == 200


def test_others_sign_in(program: Program, member: Browser) -> None:
    answer = member.get(address(program))
    assert (answer.status_code, answer.headers["Location"]) == (303, program.asking())
    assert "Set-Cookie" not in answer.headers
    assert "Password" in member.get(program.asking()).text


def test_people_may_use_another_account(program: Program, sitter: Sitter, other: Tenant) -> None:
    action, form = sitter.form(sitter.get(address(program)).text)
    left = sitter.post(action, data={**form, "decision": "leave"})
    assert left.headers["Location"] == program.asking()
    assert "Password" in sitter.get(program.asking()).text
    assert sitter.get(sitter.home).status_code == 200, "the desk's session remains"
    sitter.email = Browser(other).email
    assert f"You are signed in as {sitter.email}" in sitter.consent_page(program.asking()).text


@pytest.mark.parametrize(
    "headers", [{"Origin": "https://attacker.example"}, {"Sec-Fetch-Site": "cross-site"}]
)
def test_other_sites_cannot(program: Program, sitter: Sitter, headers: dict[str, str]) -> None:
    assert consent(sitter, program, headers=headers).status_code == 403
    assert grants(sitter) == 0


def test_consent_requires_the_form(program: Program, sitter: Sitter) -> None:
    desk_form = sitter.hidden(sitter.home)
    elsewhere = sitter.elsewhere()
    _, form = elsewhere.form(elsewhere.get(address(program)).text)
    for token in ("", desk_form, form["form"]):
        sent = {"decision": "allow", "organization_id": str(sitter.tenant.organization_id)}
        assert consent(sitter, program, data={**sent, "form": token}).status_code == 403
    assert grants(sitter) == 0


def test_the_cookie_is_signed_and_opens_no_page_of_the_desk(
    program: Program, sitter: Sitter
) -> None:
    cookie = sitter.get(address(program)).headers["Set-Cookie"]
    assert {"HttpOnly", "Path=/oauth", "SameSite=lax"} <= set(cookie.split("; "))
    [value] = re.findall(r"oauth=([^;]+);", cookie)
    assert sitter.cookies["desk"] not in value
    for name, sent in (("desk", value), ("oauth", value[:-1])):
        thief = Sitter(sitter.tenant, signed_in=False)
        thief.cookies.set(name, sent)
        assert sitter.email not in thief.get(program.asking()).text
        assert thief.get(sitter.home).is_redirect


def sign_out(sitter: Sitter) -> None:
    assert sitter.send("/desk/sign-out", page=sitter.home).status_code == 303


def grow_old(sitter: Sitter) -> None:
    with sitter.tenant.api.store.write_session() as session:
        earlier = {"created_at": DeskSession.created_at - timedelta(days=7)}
        mine = update(DeskSession).where(DeskSession.user_id == sitter.user_id)
        session.execute(mine.values(earlier))


@pytest.mark.parametrize("end", [sign_out, grow_old, Sitter.be_banned, Sitter.get_another_password])
def test_it_ends_with_the_session(
    program: Program, sitter: Sitter, end: Callable[[Sitter], None]
) -> None:
    action, form = sitter.form(sitter.get(address(program)).text)
    end(sitter)
    sent = {**form, "decision": "allow", "organization_id": str(sitter.tenant.organization_id)}
    assert sitter.post(action, data=sent).status_code in {400, 403}
    assert grants(sitter) == 0
    page = sitter.get(address(program))
    assert page.is_redirect or 'value="allow"' not in page.text
