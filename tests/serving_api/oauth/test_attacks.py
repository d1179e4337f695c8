"""What others try with codes, tokens, addresses and pages that are not theirs."""

import re
from datetime import timedelta
from urllib.parse import urlencode

import httpx
import pytest
from sqlalchemy import update

from tests.fixtures.api import Api, Tenant
from tests.fixtures.programs import PASSWORD, Browser, Program, answer_of
from warehouse.operational.models import OauthGrant, SignInFailure


@pytest.fixture
def program(api: Api) -> Program:
    return Program.registered(api)


@pytest.fixture
def member(tenant: Tenant) -> Browser:
    return Browser(tenant)


def error_of(response: httpx.Response) -> str:
    assert response.status_code in {400, 401}, response.text
    return str(response.json()["error"])


class TestCode:
    def test_used_twice_it_ends_what_it_gave(self, program: Program, member: Browser) -> None:
        code = member.let_in(program)
        tokens = program.exchange(code).json()
        assert error_of(program.exchange(code)) == "invalid_grant"
        assert program.call(tokens["access_token"]).status_code == 401
        assert error_of(program.refresh(tokens["refresh_token"])) == "invalid_grant"

    def test_a_minute_later_it_is_worth_nothing(self, program: Program, member: Browser) -> None:
        code = member.let_in(program)
        with program.api.store.write_session() as session:
            own = OauthGrant.user_id == member.user_id
            earlier = OauthGrant.expires_at - timedelta(minutes=1)
            session.execute(update(OauthGrant).where(own).values(expires_at=earlier))
        assert error_of(program.exchange(code)) == "invalid_grant"

    def test_another_program_cannot_use_it(self, program: Program, member: Browser) -> None:
        code = member.let_in(program)
        stranger = Program.registered(program.api)
        stranger.verifier = program.verifier
        assert error_of(stranger.exchange(code)) == "invalid_grant"
        assert program.exchange(code).status_code == 200

    @pytest.mark.parametrize(
        "changes",
        [
            {"code_verifier": "w" * 43},
            {"code_verifier": None},
            {"code_verifier": ""},
            {"redirect_uri": "http://127.0.0.1:4712/callback"},
        ],
    )
    def test_whoever_has_only_the_code_gets_nothing(
        self, program: Program, member: Browser, changes: dict[str, str | None]
    ) -> None:
        code = member.let_in(program)
        assert error_of(program.exchange(code, **changes)) == "invalid_grant"
        assert error_of(program.exchange(code)) == "invalid_grant"

    def test_the_challenge_itself_is_no_verifier(self, program: Program, member: Browser) -> None:
        code = member.let_in(program, code_challenge="c" * 43)
        assert error_of(program.exchange(code, code_verifier="c" * 43)) == "invalid_grant"


class TestAsking:
    @pytest.mark.parametrize(
        ("changes", "error"),
        [
            ({"code_challenge_method": "plain"}, "invalid_request"),
            ({"code_challenge_method": None}, "invalid_request"),
            ({"code_challenge": None}, "invalid_request"),
            ({"code_challenge": "short"}, "invalid_request"),
            ({"response_type": "token"}, "unsupported_response_type"),
            ({"scope": "read root"}, "invalid_scope"),
            ({"resource": "https://elsewhere.example/api/mcp"}, "invalid_target"),
        ],
    )
    def test_what_is_less_safe_is_refused_at_the_programs_address(
        self, program: Program, member: Browser, changes: dict[str, str | None], error: str
    ) -> None:
        answer = answer_of(member.get(program.asking(**changes)))
        assert answer["error"] == error
        assert answer["state"] == "s-1"
        assert answer["iss"] == program.api.settings.base_url

    @pytest.mark.parametrize("name", ["state", "scope", "code_challenge"])
    def test_what_is_there_twice_is_refused(
        self, program: Program, member: Browser, name: str
    ) -> None:
        answer = answer_of(member.get(f"{program.asking()}&{name}=other"))
        assert answer["error"] == "invalid_request"

    @pytest.mark.parametrize(
        "uri",
        [
            "http://127.0.0.1:4711/callback/",
            "http://127.0.0.1:4711/callback/../other",
            "http://127.0.0.1:4711/callback?more=1",
            "http://127.0.0.1:4711/callback#part",
            "http://127.0.0.1.attacker.example:4711/callback",
            "http://127.0.0.1:4711@attacker.example/callback",
            "http://localhost:4711/callback",
            "https://127.0.0.1:4711/callback",
            "http://attacker.example/callback",
            "javascript:alert(1)//127.0.0.1:4711/callback",
            "//attacker.example/callback",
            "http://127.0.0.1:4711/callback\n",
            "http://127.0.0.1:99999/callback",
            "",
            "\x00",
        ],
    )
    def test_nobody_is_sent_to_another_address(
        self, program: Program, member: Browser, uri: str
    ) -> None:
        refused = member.get(program.asking(redirect_uri=uri))
        assert refused.status_code == 400
        assert "Location" not in refused.headers
        assert member.get(program.asking(redirect_uri=None)).status_code == 400

    def test_a_second_address_is_not_looked_at(self, program: Program, member: Browser) -> None:
        both = program.asking() + "&" + urlencode({"redirect_uri": "https://attacker.example/"})
        assert member.get(both).status_code == 400
        first = urlencode({"redirect_uri": "https://attacker.example/"})
        path, _, query = program.asking().partition("?")
        assert member.get(f"{path}?{first}&{query}").status_code == 400

    def test_a_native_program_may_take_another_port(
        self, program: Program, member: Browser
    ) -> None:
        program.redirect_uri = "http://127.0.0.1:50123/callback"
        decided = member.decide(program.asking())
        assert decided.headers["Location"].startswith("http://127.0.0.1:50123/callback?code=")
        assert program.exchange(answer_of(decided)["code"]).status_code == 200

    def test_elsewhere_the_port_is_part_of_the_address(self, api: Api, member: Browser) -> None:
        program = Program.registered(api, redirect_uris=["https://app.example/callback"])
        moved = program.asking(redirect_uri="https://app.example:8443/callback")
        assert member.get(moved).status_code == 400

    @pytest.mark.parametrize("client_id", ["", "x", "0" * 32, "\x00", "%ff"])
    def test_an_unknown_program_is_told_to_people_only(
        self, program: Program, member: Browser, client_id: str
    ) -> None:
        assert member.get(program.asking(client_id=client_id)).status_code == 400


class TestToken:
    def test_of_another_audience_it_is_worth_nothing(
        self, program: Program, member: Browser
    ) -> None:
        token = program.tokens(member)["access_token"]
        with program.api.store.write_session() as session:
            own = OauthGrant.user_id == member.user_id
            session.execute(update(OauthGrant).where(own).values(resource="https://b.example/mcp"))
        assert program.call(token).status_code == 401

    def test_none_is_given_for_another_audience(self, program: Program, member: Browser) -> None:
        code = member.let_in(program)
        elsewhere = "https://elsewhere.example/api/mcp"
        assert error_of(program.exchange(code, resource=elsewhere)) == "invalid_target"
        tokens = program.exchange(code).json()
        refused = program.refresh(tokens["refresh_token"], resource=elsewhere)
        assert error_of(refused) == "invalid_target"

    def test_it_is_no_key_of_the_rest_api(self, program: Program, member: Browser) -> None:
        token = program.tokens(member)["access_token"]
        with program.api.client(token) as client:
            client.refusal("GET", "/me", status=401, code="invalid_api_key")

    def test_a_refresh_token_lets_nobody_in(self, program: Program, member: Browser) -> None:
        tokens = program.tokens(member)
        assert program.call(tokens["refresh_token"]).status_code == 401
        assert error_of(program.refresh(tokens["access_token"])) == "invalid_grant"

    def test_a_replayed_refresh_token_ends_its_family(
        self, program: Program, member: Browser
    ) -> None:
        first = program.tokens(member)
        second = program.refresh(first["refresh_token"]).json()
        assert error_of(program.refresh(first["refresh_token"])) == "invalid_grant"
        assert error_of(program.refresh(second["refresh_token"])) == "invalid_grant"
        for tokens in (first, second):
            assert program.call(tokens["access_token"]).status_code == 401

    def test_another_program_cannot_refresh(self, program: Program, member: Browser) -> None:
        tokens = program.tokens(member)
        stranger = Program.registered(program.api)
        assert error_of(stranger.refresh(tokens["refresh_token"])) == "invalid_grant"
        assert program.refresh(tokens["refresh_token"]).status_code == 200

    def test_refreshing_widens_nothing(self, program: Program, member: Browser) -> None:
        tokens = program.tokens(member, scope="read")
        wider = program.refresh(tokens["refresh_token"], scope="read admin")
        assert error_of(wider) == "invalid_scope"

    @pytest.mark.parametrize(
        ("form", "error"),
        [
            (
                {"grant_type": "password", "username": "a", "password": "b"},
                "unsupported_grant_type",
            ),
            ({"grant_type": "authorization_code", "code": "\x00"}, "invalid_grant"),
            ({"grant_type": "authorization_code", "code": "x" * 16_000}, "invalid_grant"),
            ({"grant_type": "authorization_code"}, "invalid_request"),
            ({"grant_type": "refresh_token"}, "invalid_request"),
            ({"grant_type": "refresh_token", "refresh_token": ""}, "invalid_request"),
            ({"grant_type": "refresh_token", "client_id": "x"}, "invalid_client"),
            ({}, "invalid_request"),
        ],
    )
    def test_nonsense_is_refused(self, program: Program, form: dict[str, str], error: str) -> None:
        assert error_of(program.token_request(**form)) == error

    def test_what_is_there_twice_is_refused(self, program: Program) -> None:
        body = f"grant_type=refresh_token&client_id={program.client_id}&grant_type=x"
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        url = f"{program.api.base_url}/oauth/token"
        refused = httpx.post(url, content=body, headers=headers, trust_env=False, verify=False)
        assert error_of(refused) == "invalid_request"


class TestPages:
    def test_no_page_is_framed_kept_or_runs_a_script(
        self, program: Program, member: Browser
    ) -> None:
        for page in (member.get(program.asking()), member.consent_page(program.asking())):
            policy = page.headers["Content-Security-Policy"]
            assert "frame-ancestors 'none'" in policy
            assert "default-src 'none'" in policy
            assert "script-src" not in policy
            assert page.headers["X-Frame-Options"] == "DENY"
            assert page.headers["Cache-Control"] == "no-store"
            assert page.headers["Referrer-Policy"] == "same-origin"

    def test_the_cookie_is_for_these_pages_alone(self, program: Program, member: Browser) -> None:
        cookie = member.get(program.asking()).headers["Set-Cookie"]
        assert {"HttpOnly", "Path=/oauth", "SameSite=lax"} <= set(cookie.split("; "))

    def test_a_program_writes_nothing_into_the_page(self, api: Api, member: Browser) -> None:
        program = Program.registered(api, client_name="<script>alert(1)</script>")
        page = member.consent_page(program.asking(state='"><script>')).text
        assert "<script" not in page

    @pytest.mark.parametrize(
        "headers",
        [
            {"Origin": "https://attacker.example"},
            {"Sec-Fetch-Site": "cross-site"},
            {"Sec-Fetch-Site": "same-site"},
            {"Origin": "null"},
        ],
    )
    def test_another_site_cannot_consent(
        self, program: Program, member: Browser, headers: dict[str, str]
    ) -> None:
        action, form = member.form(member.consent_page(program.asking()).text)
        sent = {**form, "decision": "allow", "organization_id": str(member.tenant.organization_id)}
        assert member.post(action, data=sent, headers=headers).status_code == 403

    def test_nobody_consents_without_the_form(self, program: Program, member: Browser) -> None:
        action, _ = member.form(member.consent_page(program.asking()).text)
        sent = {"decision": "allow", "organization_id": str(member.tenant.organization_id)}
        for form in ({}, {"form": ""}, {"form": "x" * 27}, {"form": "\u00e9"}):
            assert member.post(action, data={**sent, **form}).status_code == 403

    def test_a_form_of_another_visit_is_worth_nothing(
        self, program: Program, member: Browser, tenant: Tenant
    ) -> None:
        attacker = Browser(tenant)
        _, form = attacker.form(attacker.consent_page(program.asking()).text)
        action, _ = member.form(member.consent_page(program.asking()).text)
        sent = {**form, "decision": "allow", "organization_id": str(tenant.organization_id)}
        assert member.post(action, data=sent).status_code == 403

    def test_a_form_is_for_the_request_that_was_shown(
        self, program: Program, member: Browser
    ) -> None:
        action, form = member.form(member.consent_page(program.asking(scope="read")).text)
        sent = {**form, "decision": "allow", "organization_id": str(member.tenant.organization_id)}
        wider = action.replace("scope=read", "scope=read+write+admin")
        assert wider != action
        assert member.post(wider, data=sent).status_code == 403

    def test_signing_in_begins_a_new_visit(self, program: Program, member: Browser) -> None:
        member.get(program.asking())
        before = member.cookies["oauth"]
        member.sign_in(program.asking())
        assert member.cookies["oauth"] != before

    def test_nobody_is_signed_in_by_another_site(self, program: Program, member: Browser) -> None:
        action, form = member.form(member.get(program.asking()).text)
        sent = {**form, "email": member.email, "password": PASSWORD}
        member.cookies.clear()
        assert member.post(action, data=sent).status_code == 403


class TestSigningIn:
    def test_an_unknown_address_looks_like_a_wrong_password(
        self, program: Program, member: Browser
    ) -> None:
        wrong = member.sign_in(program.asking(), "wrong password")
        known, member.email = member.email, f"nobody-{member.user_id}@test.invalid"
        unknown = member.sign_in(program.asking(), "wrong password")
        assert wrong.status_code == unknown.status_code == 400
        assert _plain(wrong, known) == _plain(unknown, member.email)

    def test_ten_wrong_ones_lock_known_and_unknown_alike(
        self, program: Program, member: Browser
    ) -> None:
        known = member.email
        locked = []
        for email in (known, f"nobody-{member.user_id}@test.invalid"):
            member.email = email
            for _ in range(10):
                assert "do not belong together" in member.sign_in(program.asking(), "wrong").text
            locked.append(member.sign_in(program.asking()))
        assert "quarter of an hour" in locked[0].text
        assert _plain(locked[0], known) == _plain(locked[1], member.email)

    def test_a_lock_ends(self, program: Program, member: Browser) -> None:
        for _ in range(10):
            member.sign_in(program.asking(), "wrong")
        assert member.sign_in(program.asking()).status_code == 400
        with program.api.store.write_session() as session:
            earlier = SignInFailure.locked_until - timedelta(minutes=15)
            session.execute(update(SignInFailure).values(locked_until=earlier))
        assert member.sign_in(program.asking()).status_code == 303

    def test_the_right_one_begins_the_count_anew(self, program: Program, member: Browser) -> None:
        for _ in range(2):
            for _ in range(9):
                member.sign_in(program.asking(), "wrong")
            assert member.sign_in(program.asking()).status_code == 303
            member.cookies.clear()

    @pytest.mark.parametrize(
        "email", ["", "\x00", "a" * 5000, "'; drop table users; --", "\u202e@x"]
    )
    def test_nonsense_is_nobody(self, program: Program, member: Browser, email: str) -> None:
        member.email = email
        assert member.sign_in(program.asking()).status_code == 400

    def test_who_has_no_password_cannot_sign_in(self, program: Program, member: Browser) -> None:
        member.email = _email_of(member.tenant)
        assert member.sign_in(program.asking(), "").status_code == 400


class TestRegistering:
    @pytest.mark.parametrize(
        "told",
        [
            [],
            {},
            {"redirect_uris": []},
            {"redirect_uris": "https://app.example/"},
            {"redirect_uris": [7]},
            {"redirect_uris": ["https://app.example/"] * 11},
            {"redirect_uris": ["https://app.example/" + "a" * 1000]},
            {"redirect_uris": ["http://app.example/"]},
            {"redirect_uris": ["https://user@app.example/"]},
            {"redirect_uris": ["https://app.example/#part"]},
            {"redirect_uris": ["https://app.example/; script-src *"]},
            {"redirect_uris": ["https://app.example;script-src/"]},
            {"redirect_uris": ["javascript:alert(1)"]},
            {"redirect_uris": ["data:text/html,x"]},
            {"redirect_uris": ["https://*/"]},
            {"redirect_uris": ["https:///path"]},
            {"redirect_uris": ["https://app.example/"], "client_name": "n" * 101},
            {"redirect_uris": ["https://app.example/"], "client_name": "a\u0000"},
            {"redirect_uris": ["https://app.example/"], "client_name": "\u202efdp"},
            {"redirect_uris": ["https://app.example/"], "client_name": 7},
            {"redirect_uris": ["https://app.example/"], "grant_types": ["client_credentials"]},
            {"redirect_uris": ["https://app.example/"], "response_types": ["token"]},
        ],
    )
    def test_nonsense_is_refused(self, api: Api, told: object) -> None:
        refused = httpx.post(
            f"{api.base_url}/oauth/register", json=told, trust_env=False, verify=False
        )
        assert error_of(refused) in {"invalid_redirect_uri", "invalid_client_metadata"}

    @pytest.mark.parametrize("body", [b"", b"{", b"[" * 10_000, b"\xff"])
    def test_what_is_no_json_is_refused(self, api: Api, body: bytes) -> None:
        refused = httpx.post(
            f"{api.base_url}/oauth/register", content=body, trust_env=False, verify=False
        )
        assert error_of(refused) == "invalid_client_metadata"

    def test_half_a_character_is_refused(self, api: Api) -> None:
        body = rb'{"redirect_uris": ["https://app.example/"], "client_name": "a\ud800"}'
        url = f"{api.base_url}/oauth/register"
        refused = httpx.post(url, content=body, trust_env=False, verify=False)
        assert error_of(refused) == "invalid_client_metadata"

    def test_a_large_one_is_refused(self, api: Api) -> None:
        url = f"{api.base_url}/oauth/register"
        assert (
            httpx.post(url, content=b"x" * 20_000, trust_env=False, verify=False).status_code == 413
        )

    def test_a_program_gets_no_secret(self, api: Api) -> None:
        told = {
            "redirect_uris": ["https://app.example/callback"],
            "token_endpoint_auth_method": "client_secret_basic",
        }
        made = httpx.post(
            f"{api.base_url}/oauth/register", json=told, trust_env=False, verify=False
        ).json()
        assert made["token_endpoint_auth_method"] == "none"
        assert "client_secret" not in made


def _plain(page: httpx.Response, email: str) -> str:
    """A page without what differs by visit and by what was entered."""
    return re.sub(r'name="form" value="[^"]+"', "", page.text).replace(email, "")


def _email_of(tenant: Tenant) -> str:
    with tenant.client_with() as client:
        listed = client.data("GET", "/members")
    return str(listed[0]["email"])
