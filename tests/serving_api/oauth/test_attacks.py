"""Attacks with others' codes, tokens, addresses and pages."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from urllib.parse import urlencode

import httpx
import pytest
from sqlalchemy import update

from serving_api.page_forms import MAX_BYTES
from tests.fixtures.api import Api
from tests.fixtures.programs import Browser, Program, answer_of, error_of
from warehouse.operational.models import OauthGrant


class TestCode:
    def test_a_minute_later_it_is_worth_nothing(self, program: Program, member: Browser) -> None:
        code = member.authorize(program)
        with program.api.store.write_session() as session:
            own = OauthGrant.user_id == member.user_id
            earlier = OauthGrant.expires_at - timedelta(minutes=1)
            session.execute(update(OauthGrant).where(own).values(expires_at=earlier))
        assert error_of(program.exchange(code)) == "invalid_grant"

    def test_another_program_cannot_use_it(self, program: Program, member: Browser) -> None:
        code = member.authorize(program)
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
            {"code_verifier": "w" * 42},
            {"code_verifier": "w" * 129},
            {"redirect_uri": "http://127.0.0.1:4712/callback"},
        ],
    )
    def test_a_stolen_code_alone_gets_nothing(
        self, program: Program, member: Browser, changes: dict[str, str | None]
    ) -> None:
        code = member.authorize(program)
        assert error_of(program.exchange(code, **changes)) == "invalid_grant"
        assert error_of(program.exchange(code)) == "invalid_grant"

    def test_the_challenge_itself_is_no_verifier(self, program: Program, member: Browser) -> None:
        code = member.authorize(program, code_challenge="c" * 43)
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
            ({"response_type": None}, "unsupported_response_type"),
            ({"response_type": "code token"}, "unsupported_response_type"),
            ({"scope": "READ"}, "invalid_scope"),
            ({"code_challenge": "c" * 42 + "="}, "invalid_request"),
        ],
    )
    def test_unsafe_parameters_are_refused_at_the_programs_address(
        self, program: Program, member: Browser, changes: dict[str, str | None], error: str
    ) -> None:
        answer = answer_of(member.get(program.asking(**changes)))
        assert answer["error"] == error
        assert answer["state"] == "s-1"
        assert answer["iss"] == program.api.settings.base_url

    @pytest.mark.parametrize("state", ["a b&c=d;e%2F#<>\"'+~", "x" * 2_000, "%E2%98%83"])
    def test_state_comes_back(self, program: Program, member: Browser, state: str) -> None:
        assert answer_of(member.get(program.asking(state=state, scope="root")))["state"] == state
        assert answer_of(member.decide(program.asking(state=state), "deny"))["state"] == state

    @pytest.mark.parametrize("state", ["%E2%98%83", "%FF", "%00", "%0D%0ALocation:x"])
    def test_wrong_states_are_refused(self, program: Program, member: Browser, state: str) -> None:
        answer = answer_of(member.get(program.asking(state=None) + f"&state={state}"))
        assert answer["error"] == "invalid_request"

    def test_an_empty_parameter_is_ignored(self, program: Program, member: Browser) -> None:
        """RFC 6749, section 3.1."""
        answer = answer_of(member.decide(program.asking(state="", scope="", resource="")))
        assert "state" not in answer
        tokens = program.exchange(answer["code"], resource="").json()
        assert tokens["scope"] == "read write"

    def test_a_long_one_is_refused(self, program: Program, member: Browser) -> None:
        assert member.get(program.asking(state="x" * 8_000)).status_code in {400, 414}

    @pytest.mark.parametrize("name", ["state", "scope", "code_challenge", "unknown=1&unknown"])
    def test_repeats_are_refused(self, program: Program, member: Browser, name: str) -> None:
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
    def test_redirects_lead_to_registered_addresses_only(
        self, program: Program, member: Browser, uri: str
    ) -> None:
        refused = member.get(program.asking(redirect_uri=uri))
        assert refused.status_code == 400
        assert "Location" not in refused.headers
        assert member.get(program.asking(redirect_uri=None)).status_code == 400

    def test_a_second_address_is_ignored(self, program: Program, member: Browser) -> None:
        both = program.asking() + "&" + urlencode({"redirect_uri": "https://attacker.example/"})
        assert member.get(both).status_code == 400
        first = urlencode({"redirect_uri": "https://attacker.example/"})
        path, _, query = program.asking().partition("?")
        assert member.get(f"{path}?{first}&{query}").status_code == 400

    def test_native_programs_choose_a_port(self, program: Program, member: Browser) -> None:
        program.redirect_uri = "http://127.0.0.1:50123/callback"
        decided = member.decide(program.asking())
        assert decided.headers["Location"].startswith("http://127.0.0.1:50123/callback?code=")
        assert program.exchange(answer_of(decided)["code"]).status_code == 200

    def test_elsewhere_the_port_is_part_of_the_address(self, api: Api, member: Browser) -> None:
        program = Program.registered(api, redirect_uris=["https://app.example/callback"])
        moved = program.asking(redirect_uri="https://app.example:8443/callback")
        assert member.get(moved).status_code == 400

    @pytest.mark.parametrize("client_id", ["", "x", "0" * 32, "\x00", "%ff"])
    def test_unknown_programs(self, program: Program, member: Browser, client_id: str) -> None:
        assert member.get(program.asking(client_id=client_id)).status_code == 400


class TestToken:
    def test_another_audience_is_refused(self, program: Program, member: Browser) -> None:
        token = program.tokens(member)["access_token"]
        with program.api.store.write_session() as session:
            own = OauthGrant.user_id == member.user_id
            session.execute(update(OauthGrant).where(own).values(resource="https://b.example/mcp"))
        assert program.call(token).status_code == 401

    def test_none_is_given_for_another_audience(self, program: Program, member: Browser) -> None:
        code = member.authorize(program)
        elsewhere = "https://elsewhere.example/api/mcp"
        assert error_of(program.exchange(code, resource=elsewhere)) == "invalid_target"
        tokens = program.exchange(code).json()
        refused = program.refresh(tokens["refresh_token"], resource=elsewhere)
        assert error_of(refused) == "invalid_target"

    def test_it_is_no_key_of_the_rest_api(self, program: Program, member: Browser) -> None:
        token = program.tokens(member)["access_token"]
        with program.api.client(token) as client:
            client.refusal("GET", "/me", "invalid_api_key")

    def test_a_refresh_token_does_not_authenticate(self, program: Program, member: Browser) -> None:
        tokens = program.tokens(member)
        assert program.call(tokens["refresh_token"]).status_code == 401
        assert error_of(program.refresh(tokens["access_token"])) == "invalid_grant"

    def test_another_program_cannot_refresh(self, program: Program, member: Browser) -> None:
        tokens = program.tokens(member)
        stranger = Program.registered(program.api)
        assert error_of(stranger.refresh(tokens["refresh_token"])) == "invalid_grant"
        assert program.refresh(tokens["refresh_token"]).status_code == 200

    @pytest.mark.parametrize("scope", ["read write", "read admin", "root", "READ"])
    def test_refreshing_widens_nothing(self, program: Program, member: Browser, scope: str) -> None:
        tokens = program.tokens(member, scope="read")
        assert error_of(program.refresh(tokens["refresh_token"], scope=scope)) == "invalid_scope"
        assert program.refresh(tokens["refresh_token"], scope="read").status_code == 200

    def test_none_after_the_service_moved(self, program: Program, member: Browser) -> None:
        tokens, code = program.tokens(member), member.authorize(program)
        with program.api.store.write_session() as session:
            own = OauthGrant.user_id == member.user_id
            session.execute(update(OauthGrant).where(own).values(resource="https://a.example/mcp"))
        assert error_of(program.refresh(tokens["refresh_token"])) == "invalid_grant"
        assert error_of(program.exchange(code)) == "invalid_grant"

    def test_in_an_address_it_is_ignored(self, program: Program, member: Browser) -> None:
        url = f"{program.api.base_url}/api/mcp"
        token = {"access_token": program.tokens(member)["access_token"]}
        with httpx.Client(trust_env=False, verify=False) as client:
            assert client.post(url, params=token, json={}).status_code == 401
            assert client.post(url, data=token).status_code == 401

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

    @pytest.mark.parametrize("path", ["token", "revoke"])
    @pytest.mark.parametrize(
        "body",
        [
            b"client_id={id}&grant_type=refresh_token&token=a&grant_type=x",
            b"client_id={id}&grant_type=refresh_token&refresh_token=a&token=a&client_id={id}",
            b"client_id={id}&grant_type=refresh_token&token=a&unknown=1&unknown=1",
            b"client_id={id}&grant_type=refresh_token&refresh_token=\xff&token=\xff",
            b"client_id={id}&grant_type=refresh_token",
            b"&".join(b"%d=1" % number for number in range(50)),
            b"",
        ],
    )
    def test_a_form_that_can_be_read_in_two_ways_or_not_at_all_is_refused(
        self, program: Program, path: str, body: bytes
    ) -> None:
        sent = body.replace(b"{id}", program.client_id.encode())
        assert error_of(program.post(path, sent)) in {"invalid_request", "invalid_client"}

    @pytest.mark.parametrize("path", ["token", "revoke"])
    @pytest.mark.parametrize(
        "media_type",
        ["application/json", "text/plain", "multipart/form-data; boundary=x", "", "\u00ff"],
    )
    def test_only_forms_are_accepted(self, program: Program, path: str, media_type: str) -> None:
        body = f"client_id={program.client_id}&grant_type=refresh_token&refresh_token=x&token=x"
        refused = program.post(path, body.encode(), media_type)
        assert error_of(refused) == "invalid_request"

    @pytest.mark.parametrize("path", ["token", "revoke"])
    def test_a_large_form_is_refused(self, program: Program, path: str) -> None:
        assert program.post(path, b"x" * (MAX_BYTES + 1)).status_code == 413

    def test_answers_are_not_cached(self, program: Program, member: Browser) -> None:
        """RFC 6749, section 5.1."""
        answers = [program.exchange(member.authorize(program)), program.refresh("unknown")]
        assert [each.headers["Cache-Control"] for each in answers] == ["no-store"] * 2

    def test_an_unknown_program_is_asked_to_authenticate(self, program: Program) -> None:
        """RFC 9110, section 15.5.2: a 401 names a scheme."""
        refused = program.token_request(grant_type="refresh_token", client_id="x")
        assert refused.status_code == 401
        assert refused.headers["WWW-Authenticate"].startswith("Basic ")


THIEVES = 8


def at_once(*calls: Callable[[], httpx.Response]) -> list[httpx.Response]:
    """Return the responses to calls that start together."""
    start = Barrier(len(calls))

    def wait_and(call: Callable[[], httpx.Response]) -> httpx.Response:
        start.wait(timeout=30)
        return call()

    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(wait_and, calls))


def ends_with(program: Program, answers: list[httpx.Response]) -> None:
    """Assert that exactly one response has tokens, and that they are revoked."""
    assert Counter(each.status_code for each in answers) == {200: 1, 400: THIEVES - 1}
    [given] = [each.json() for each in answers if each.status_code == 200]
    refused = [each for each in answers if each.status_code != 200]
    assert {error_of(each) for each in refused} == {"invalid_grant"}
    assert program.call(given["access_token"]).status_code == 401
    assert error_of(program.refresh(given["refresh_token"])) == "invalid_grant"


def test_one_gets_tokens_for_a_code_and_keeps_none(program: Program, member: Browser) -> None:
    code = member.authorize(program)
    ends_with(program, at_once(*[lambda: program.exchange(code)] * THIEVES))


def test_one_refreshes_by_a_token_and_keeps_none(program: Program, member: Browser) -> None:
    first = program.tokens(member)
    token = first["refresh_token"]
    ends_with(program, at_once(*[lambda: program.refresh(token)] * THIEVES))
    assert program.call(first["access_token"]).status_code == 401


def test_tokens_revoked_meanwhile_stay_revoked(program: Program, member: Browser) -> None:
    tokens = program.tokens(member)
    revoked, refreshed = at_once(
        lambda: program.revoke(tokens["access_token"]),
        lambda: program.refresh(tokens["refresh_token"]),
    )
    assert revoked.status_code == 200
    if refreshed.status_code == 200:
        assert program.call(refreshed.json()["access_token"]).status_code == 401
    else:
        assert error_of(refreshed) == "invalid_grant"
    assert program.call(tokens["access_token"]).status_code == 401
