"""What every request passes before its endpoint, and what every response has."""

import http.client
import json
import re
from collections.abc import Callable, Iterator
from time import monotonic, sleep
from typing import Any
from urllib.parse import urlencode, urlsplit

import httpx
import pytest

from serving_api.http import bodies
from serving_api.http.bodies import MAX_BYTES
from serving_api.openapi.document import with_shared_errors
from tests.fixtures.api import Api, Tenant
from tests.fixtures.desk import Sitter

BAD_KEY = {"Authorization": "Bearer svc_" + "0" * 64}


def refused(response: httpx.Response) -> tuple[int, str]:
    envelope = response.json()
    assert envelope["data"] is None
    return response.status_code, envelope["meta"]["code"]


def of_size(size: int) -> bytes:
    """A JSON body of exactly this many bytes."""
    return b'{"name":"' + b"x" * (size - 11) + b'"}'


def campaigns(tenant: Tenant) -> str:
    return f"/projects/{tenant.project_id}/campaigns"


JSON = {"Content-Type": "application/json"}


class TestBodies:
    @pytest.mark.parametrize(
        "content", [b"{", b"[1,", b"\xff\xfe", b"{'a': 1}", b"nul", b"[" * 9999]
    )
    def test_invalid_json_is_refused(self, tenant: Tenant, content: bytes) -> None:
        response = tenant.client.post("/creators", content=content, headers=JSON)
        assert refused(response) == (400, "invalid_body")
        assert response.json()["meta"]["issues"][0]["path"] == "body"

    @pytest.mark.parametrize("content", [b'"text"', b"1", b"[]", b"null", b""])
    def test_json_other_than_an_object_is_refused(self, tenant: Tenant, content: bytes) -> None:
        response = tenant.client.post("/creators", content=content, headers=JSON)
        assert refused(response) == (400, "invalid_body")

    @pytest.mark.parametrize("media", ["text/plain", "application/x-www-form-urlencoded", "x", ""])
    def test_another_content_type_is_refused(self, tenant: Tenant, media: str) -> None:
        content = json.dumps({"name": "Spring"}).encode()
        headers = {"Content-Type": media}
        response = tenant.client.post(campaigns(tenant), content=content, headers=headers)
        assert refused(response) == (400, "invalid_body")
        assert response.json()["meta"]["issues"][0]["path"] == "Content-Type"

    @pytest.mark.parametrize("media", ["application/json; charset=utf-8", "application/vnd.a+json"])
    def test_every_spelling_of_the_json_type_is_accepted(self, tenant: Tenant, media: str) -> None:
        content = json.dumps({"name": "Spring"}).encode()
        headers = {"Content-Type": media}
        response = tenant.client.post(campaigns(tenant), content=content, headers=headers)
        assert response.status_code == 201

    def test_a_text_too_long_is_reported_in_characters(self, tenant: Tenant) -> None:
        path = f"/projects/{tenant.project_id}/conversion-events"
        body = {"key": "signup", "name": "Signup", "description": "x" * 501}
        [issue] = tenant.client.refusal("POST", path, "invalid_body", json=body)["issues"]
        assert issue["message"] == "String should have at most 500 characters"

    def test_a_body_may_have_a_megabyte(self, tenant: Tenant) -> None:
        response = tenant.client.post(campaigns(tenant), content=of_size(MAX_BYTES), headers=JSON)
        assert refused(response) == (400, "invalid_body")  # the name is too long

    def test_a_larger_body_is_refused_by_its_announced_length(self, tenant: Tenant) -> None:
        body = of_size(MAX_BYTES + 1)
        response = tenant.client.post(campaigns(tenant), content=body, headers=JSON)
        assert refused(response) == (413, "payload_too_large")

    def test_a_larger_body_is_refused_while_it_comes_in(self, tenant: Tenant) -> None:
        def chunks() -> Iterator[bytes]:
            for _ in range(20):
                yield b" " * 100_000

        response = tenant.client.post(campaigns(tenant), content=chunks(), headers=JSON)
        assert refused(response) == (413, "payload_too_large")

    def test_a_body_without_end_is_not_waited_for(self, tenant: Tenant) -> None:
        """The client announces a gigabyte and sends none of it; the response is immediate."""
        address = urlsplit(tenant.api.base_url)
        connection = http.client.HTTPConnection(str(address.hostname), address.port, timeout=20)
        connection.putrequest("POST", f"/api/v2{campaigns(tenant)}")
        for name, value in {
            "Authorization": f"Bearer {tenant.made.api_key}",
            "Content-Type": "application/json",
            "Content-Length": str(10**9),
        }.items():
            connection.putheader(name, value)
        connection.endheaders()
        assert connection.getresponse().status == 413
        connection.close()

    @pytest.mark.parametrize("content", [b"{", of_size(MAX_BYTES + 1)])
    def test_a_bad_key_is_reported_whatever_the_body(self, api: Api, content: bytes) -> None:
        with api.client(None) as client:
            headers = BAD_KEY | JSON
            response = client.post("/creators", content=content, headers=headers)
        assert refused(response) == (401, "invalid_api_key")

    def test_a_missing_scope_is_reported_whatever_the_body(self, tenant: Tenant) -> None:
        with tenant.client_with("read") as client:
            response = client.post("/creators", content=b"{", headers=JSON)
        assert refused(response) == (403, "insufficient_scope")


class TestSlowBodies:
    """The sender is authorized again once the body has arrived."""

    @staticmethod
    def halves(body: bytes, between: Callable[[], object]) -> Iterator[bytes]:
        yield body[:5]
        deadline = monotonic() + 30
        while not bodies._in_memory:  # until the request is authenticated
            assert monotonic() < deadline
            sleep(0.005)
        between()
        yield body[5:]

    @pytest.mark.parametrize("seconds", [0.0, 3600.0])
    def test_a_key_revoked_meanwhile_writes_nothing(
        self, tenant: Tenant, monkeypatch: pytest.MonkeyPatch, seconds: float
    ) -> None:
        monkeypatch.setattr(bodies, "SLOW_SECONDS", seconds)
        keys = f"/organizations/{tenant.organization_id}/api-keys"
        made = tenant.client.data("POST", keys, json={"name": "Former"})
        body = b'{"entity_type": "creator", "name": "Late"}'
        content = self.halves(body, lambda: tenant.client.data("DELETE", f"{keys}/{made['id']}"))
        with tenant.api.client(made["key"]) as former:
            headers = {"Content-Type": "application/json"}
            answer = former.post("/tags", content=content, headers=headers)
        written = [tag["name"] for tag in tenant.client.data("GET", "/tags")]
        expected = (201, ["Late"]) if seconds else (401, [])
        assert (answer.status_code, written) == expected

    @pytest.mark.parametrize("seconds", [0.0, 3600.0])
    def test_an_admin_demoted_meanwhile_makes_nothing_at_the_desk(
        self, tenant: Tenant, monkeypatch: pytest.MonkeyPatch, seconds: float
    ) -> None:
        monkeypatch.setattr(bodies, "SLOW_SECONDS", seconds)
        admin = Sitter(tenant)
        page = f"{admin.home}/settings/reports"
        body = urlencode({"form": admin.hidden(page), "show_creators": "yes"}).encode()
        member = f"/organizations/{tenant.organization_id}/members/{admin.user_id}"
        demoted = {"role": "member"}
        content = self.halves(body, lambda: tenant.client.data("PATCH", member, json=demoted))
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        answer = admin.post(f"{page}/new", content=content, headers=headers)
        reports = tenant.client.data("GET", f"/projects/{tenant.project_id}/reports")
        assert (answer.status_code, len(reports)) == ((200, 1) if seconds else (403, 0))


class TestQueries:
    @pytest.mark.parametrize("path", ["/creators", "/tags", "/changelog"])
    def test_a_parameter_is_sent_once(self, tenant: Tenant, path: str) -> None:
        """One of two values was dropped silently: `tags=a&tags=b` listed items with b."""
        name = "q" if path != "/creators" else "tags"
        query = [(name, "spring"), (name, "summer")]
        [issue] = tenant.client.refusal("GET", path, "invalid_query", params=query)["issues"]
        assert issue["path"] == name

    @pytest.mark.parametrize(
        "path",
        ["/tags", "/notes", "/changelog", "/creators", "/accounts", "/campaigns", "/videos"],
    )
    def test_a_search_has_one_name_or_the_other(self, tenant: Tenant, path: str) -> None:
        creator = tenant.creator()
        tenant.client.data("PATCH", f"/creators/{creator['id']}", json={"readme": "Likes tea"})
        tenant.tag()
        tenant.campaign()
        tenant.video()
        texts = {"q": "nowhere"}, {"search": "nowhere"}, {"q": "nowhere", "search": "nowhere"}
        answers = [tenant.client.answer("GET", path, params=text) for text in texts]
        assert answers[0] == answers[1] == answers[2]
        assert answers[0] != tenant.client.answer("GET", path)
        both = {"q": "a", "search": "b"}
        assert tenant.client.refusal("GET", path, "invalid_query", params=both)["issues"]

    def test_an_unknown_parameter_names_the_closest(self, tenant: Tenant) -> None:
        params = {"projectid": "x"}
        meta = tenant.client.refusal("GET", "/creators", "invalid_query", params=params)
        assert "Unknown parameter. Did you mean project_id? Use: " in meta["issues"][0]["message"]


class TestUnknownFields:
    """For every kind of body, at every depth."""

    @pytest.mark.parametrize(
        ("path", "body", "field", "meant"),
        [
            ("/creators", {"displayname": "x"}, "displayname", "display_name"),
            ("/creators", {"accounts": [{"tracking": 1}]}, "accounts.0.tracking", "tracking_mode"),
            ("{project}/creators", {"displayName": "x"}, "displayName", "display_name"),
            (
                "{project}/creators",
                {"creators": [{"display": "x"}]},
                "creators.0.display",
                "display_name",
            ),
            ("{project}/conversions", {"externalid": "x"}, "externalid", "external_id"),
            (
                "/payout-structures",
                {"criteria_type": "cpm", "criteria_params": {"tier": []}},
                "criteria_params.tier",
                "tiers",
            ),
            (
                "/payout-structures",
                {"criteria_type": "cpm", "criteria_params": {"tiers": [{"centsPerThousand": 1}]}},
                "criteria_params.tiers.0.centsPerThousand",
                "cents_per_thousand",
            ),
        ],
    )
    def test_the_closest_is_named(
        self, tenant: Tenant, path: str, body: Any, field: str, meant: str
    ) -> None:
        path = path.format(project=f"/projects/{tenant.project_id}")
        issues = tenant.client.refusal("POST", path, "invalid_body", json=body)["issues"]
        [message] = [each["message"] for each in issues if each["path"] == field]
        assert re.match(rf"Unknown field\. Did you mean {meant}\? Use: .*{meant}", message), message

    def test_others_are_not_guessed(self, tenant: Tenant) -> None:
        body = {"zzz": 1, "x" * 5_000: 1}
        issues = tenant.client.refusal("POST", "/creators", "invalid_body", json=body)["issues"]
        unknown = [each["message"] for each in issues if each["message"].startswith("Unknown")]
        assert len(unknown) == 2
        assert all(each.startswith("Unknown field. Use: accounts, ") for each in unknown)


class TestPaths:
    @pytest.mark.parametrize(
        ("path", "hint"),
        [
            ("/exports", "/exports/{dataset}"),
            ("/creatros", "/creators"),
            ("/v2/Creators/", "/creators"),
            ("/videos/{id}/comment", "/videos/{video_id}/comments"),
            ("/payments", "/payout-payments"),
            ("/payouts", "/payout-payments"),
            ("/reports", "/projects/{project_id}/reports"),
            ("/status", "/projects/{project_id}/program-health"),
            ("/payoutAccruals", "/payout-accruals"),
            ("/posts/{id}", "/videos/{video_id}"),
            ("/webhooks", "/webhook-endpoints"),
            ("/nothing-like-it", None),
        ],
    )
    def test_an_unknown_path_names_one_that_helps(
        self, tenant: Tenant, path: str, hint: str | None
    ) -> None:
        path = path.format(id=tenant.project_id)
        answer = tenant.client.get(path)
        assert refused(answer) == (404, "route_not_found")
        assert answer.json()["meta"]["hint"] == (hint and f"/api/v2{hint}")
        question = f". Did you mean /api/v2{hint}?" if hint else f"/api/v2{path}"
        assert answer.json()["error"].endswith(question)

    def test_a_path_written_out_is_no_id_of_another_path(self, tenant: Tenant) -> None:
        response = tenant.client.patch("/tags/merge", json={"name": "Star"})
        assert refused(response) == (405, "method_not_allowed")
        assert response.headers["allow"] == "POST"


class TestRemovedPaths:
    @pytest.mark.parametrize("path", ["/api/v1", "/api/v1/", "/api/v1/creators", "/api/v1/a/b/c"])
    @pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
    def test_the_first_version(self, api: Api, path: str, method: str) -> None:
        response = httpx.request(method, api.base_url + path, trust_env=False)
        assert refused(response) == (410, "api_version_removed")
        assert response.json()["meta"]["successor"] == "/api/v2"
        assert response.headers["Link"] == '</api/v2>; rel="successor-version"'

    def test_a_version_that_never_was_is_unknown(self, api: Api) -> None:
        response = httpx.get(f"{api.base_url}/api/v10/creators", trust_env=False)
        assert refused(response) == (404, "route_not_found")

    @pytest.mark.parametrize("noun", ["creators", "campaigns"])
    def test_removed_statistics_paths(self, tenant: Tenant, noun: str) -> None:
        response = tenant.client.get(f"/{noun}/{tenant.project_id}/stats", params={"from": "x"})
        assert refused(response) == (410, "gone")
        assert "/api/v2/analytics" in response.json()["error"]


@pytest.fixture(scope="module")
def public(api: Api) -> Iterator[Api]:
    """The API under its public host name."""
    with api.changed(base_url="https://www.tracker.example") as served:
        yield served


class TestHosts:
    def get(self, public: Api, host: str, path: str = "/api/v2/me") -> httpx.Response:
        return httpx.get(public.base_url + path, headers={"Host": host}, trust_env=False)

    @pytest.mark.parametrize(
        "host", ["www.tracker.example", "WWW.Tracker.Example:443", "localhost:8000", "[::1]:1"]
    )
    def test_known_names_are_answered(self, public: Api, host: str) -> None:
        assert refused(self.get(public, host)) == (401, "invalid_api_key")

    @pytest.mark.parametrize("host", ["evil.example", "tracker.example.evil.example", "", "a:b:c"])
    def test_other_names_are_refused(self, public: Api, host: str) -> None:
        assert refused(self.get(public, host)) == (400, "invalid_request")

    def test_an_unknown_host_gets_the_known_one_and_the_setting(self, public: Api) -> None:
        error = self.get(public, "tracker.internal").json()["error"]
        assert "https://www.tracker.example" in error
        assert "TRACKER_BASE_URL" in error

    @pytest.mark.parametrize("path", ["/api/v2/me", "/healthz", "/docs"])
    @pytest.mark.parametrize(
        "hosts",
        [
            [],
            ["localhost", "localhost"],
            ["localhost", "evil.example"],
            ["localhost, evil.example"],
            ["localhost/"],
            ["user@localhost"],
            ["localhost:80:80"],
            ["localhost:123456"],
            ["local host"],
            ["localhost\x7f"],
            ["lo\xffcalhost"],
            ["[::1"],
        ],
    )
    def test_a_request_names_one_host(self, public: Api, hosts: list[str], path: str) -> None:
        address = urlsplit(public.base_url)
        connection = http.client.HTTPConnection(str(address.hostname), address.port, timeout=20)
        connection.putrequest("GET", path, skip_host=True)
        for host in hosts:
            connection.putheader("Host", host.encode("latin-1"))
        connection.endheaders()
        response = connection.getresponse()
        envelope = json.loads(response.read())
        connection.close()
        assert (response.status, envelope["meta"]["code"]) == (400, "invalid_request")

    def test_probes_ask_by_any_name(self, public: Api) -> None:
        assert self.get(public, "10.0.0.7", "/healthz").status_code == 200

    def test_the_apex_leads_to_www_with_path_and_query(self, public: Api) -> None:
        response = self.get(public, "tracker.example", "/api/v2/creators?search=a%20b&limit=5")
        assert response.status_code == 308
        assert response.headers["Location"] == (
            "https://www.tracker.example/api/v2/creators?search=a%20b&limit=5"
        )

    def test_tls_is_required_from_then_on(self, public: Api, api: Api) -> None:
        assert "Strict-Transport-Security" in self.get(public, "localhost").headers
        assert "Strict-Transport-Security" not in self.get(api, "localhost").headers


class TestBrowsers:
    @pytest.mark.parametrize("path", ["/api/v2/me", "/nope", "/healthz", "/api/v1/x"])
    def test_responses_have_security_headers(self, api: Api, path: str) -> None:
        headers = httpx.get(api.base_url + path, trust_env=False).headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'"
        assert headers["Cache-Control"] == "no-store"
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["Referrer-Policy"] == "no-referrer"

    def preflight(
        self,
        api: Api,
        origin: str,
        path: str = "/api/v2/creators",
        header_names: str = "authorization",
    ) -> httpx.Response:
        headers = {
            "Origin": origin,
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": header_names,
        }
        return httpx.options(api.base_url + path, headers=headers, trust_env=False)

    def test_no_page_may_call(self, api: Api) -> None:
        response = self.preflight(api, "https://app.example")
        assert refused(response) == (405, "method_not_allowed")
        assert "Access-Control-Allow-Origin" not in response.headers

    def test_pages_that_the_settings_name_may_call(self, api: Api) -> None:
        changes = {"cors_origins": ["https://app.example"]}
        with api.changed(**changes) as served:
            named = self.preflight(served, "https://app.example")
            other = self.preflight(served, "https://evil.example")
            mcp = "mcp-protocol-version,mcp-session-id,mcp-method,mcp-name,last-event-id"
            agent = self.preflight(served, "https://app.example", "/api/mcp", mcp)
            strange = self.preflight(served, "https://app.example", "/api/mcp", "x-strange")
        assert named.headers["Access-Control-Allow-Origin"] == "https://app.example"
        assert "Access-Control-Allow-Credentials" not in named.headers
        assert "Access-Control-Allow-Origin" not in other.headers
        assert (agent.status_code, strange.status_code) == (200, 400)


class TestDocs:
    def test_the_page_carries_the_document_and_loads_only_from_here(self, api: Api) -> None:
        page = httpx.get(f"{api.base_url}/docs", trust_env=False)
        start = '<script type="application/json" id="document">'
        inside = page.text.partition(start)[2].partition("</script>")[0]
        assert json.loads(inside) == with_shared_errors(api.document)
        assert "unsafe" not in page.headers["Content-Security-Policy"]
        assert "http" not in page.text.replace(inside, "")

    def test_its_files_exist_and_are_cached_until_they_change(self, api: Api) -> None:
        page = httpx.get(f"{api.base_url}/docs", trust_env=False).text
        loaded = re.findall(r'(?:href|src)="([^"]+)"', page)
        assert len(loaded) == 6
        for address in loaded:
            response = httpx.get(api.base_url + address, trust_env=False)
            assert response.status_code == 200
            assert "immutable" in response.headers["Cache-Control"]

    def test_a_copy_needs_no_key(self, api: Api, tenant: Tenant) -> None:
        copy = httpx.get(f"{api.base_url}/openapi.json", trust_env=False)
        assert copy.json() == tenant.client.get("/openapi.json").json()
        assert copy.json()["servers"] == [{"url": api.settings.base_url}]

    def test_other_paths_are_not_found(self, api: Api) -> None:
        for name in ("__init__.py", "docs.html", "..%2f..%2fapp.py"):
            response = httpx.get(f"{api.base_url}/docs/{name}", trust_env=False)
            assert response.status_code == 404
