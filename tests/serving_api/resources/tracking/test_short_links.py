"""Short links in requests: resolved once each by the platform, at most ten, never followed."""

from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from tests.fixtures.agents import Agent
from tests.fixtures.api import Api, Client, Tenant, new_tenant
from tests.fixtures.desk import Sitter
from tests.fixtures.http_server import serving

MANY = {f"/t/ZMmany{number}/": f"https://www.tiktok.com/@many{number}" for number in range(11)}
PLACES = {
    **MANY,
    "/t/ZMprofile/": "https://www.tiktok.com/@short.creator?_r=1",
    "/t/ZMvideo/": "https://www.tiktok.com/@short.creator/video/7682837474828885294",
    "/t/ZMzeros/": "https://www.tiktok.com/@short.creator/video/7682837474828880000",
    "/t/ZMinside/": "http://127.0.0.1/secret",
}


class Platform(BaseHTTPRequestHandler):
    """Replaces TikTok: returns the targets of its short links."""

    paths: list[str]

    def do_GET(self) -> None:
        self.paths.append(self.path)
        target = PLACES.get(self.path)
        self.send_response(301 if target else 404)
        if target:
            self.send_header("Location", target)
        self.send_header("Content-Length", "0")
        self.end_headers()


@pytest.fixture(scope="module")
def platform() -> Iterator[tuple[str, list[str]]]:
    paths: list[str] = []
    handler = type("Handler", (Platform,), {"paths": paths})
    with serving(handler) as url:
        yield url, paths


@pytest.fixture(scope="module")
def linked(api: Api, platform: tuple[str, list[str]]) -> Iterator[Api]:
    with api.changed(tiktok_base_url=platform[0]) as served:
        yield served


@pytest.fixture
def at_linked(linked: Api) -> Iterator[tuple[Tenant, Client]]:
    with new_tenant(linked) as tenant:
        yield tenant, tenant.client


def account(code: str) -> dict[str, str]:
    return {"platform": "tiktok", "handle": f"https://vm.tiktok.com/{code}/"}


def creator(tenant: Tenant, *codes: str) -> dict[str, Any]:
    return {"project_id": str(tenant.project_id), "accounts": [account(code) for code in codes]}


def test_a_short_link_to_a_profile_names_its_account(
    at_linked: tuple[Tenant, Client], platform: tuple[str, list[str]]
) -> None:
    tenant, client = at_linked
    platform[1].clear()
    made = client.data("POST", "/creators", json=creator(tenant, "ZMprofile"))
    assert made["handle"] == "short.creator"
    assert platform[1] == ["/t/ZMprofile/"]


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("ZMvideo", "video_url"),
        ("ZMdead", "short_url_unresolved"),
        ("ZMinside", "short_url_unresolved"),
    ],
)
def test_other_targets_are_named(at_linked: tuple[Tenant, Client], code: str, reason: str) -> None:
    tenant, client = at_linked
    meta = client.refusal("POST", "/creators", "invalid_account", json=creator(tenant, code))
    assert meta["reason"] == reason


def test_ten_a_request(at_linked: tuple[Tenant, Client], platform: tuple[str, list[str]]) -> None:
    tenant, client = at_linked
    platform[1].clear()
    body = creator(tenant, *[f"ZMmany{number}" for number in range(11)])
    meta = client.refusal("POST", "/creators", "invalid_account", json=body)
    assert meta["reason"] == "too_many_short_links"
    assert len(platform[1]) == 10


def test_a_short_link_to_a_post_adds_it(at_linked: tuple[Tenant, Client]) -> None:
    tenant, client = at_linked
    path = f"/projects/{tenant.project_id}/videos"
    body = {"url": "https://vm.tiktok.com/ZMvideo/"}
    assert client.data("POST", path, json=body)["url"] == PLACES["/t/ZMvideo/"]
    body = {"url": "Look: https://vm.tiktok.com/ZMzeros/. Lovely"}
    assert client.data("POST", path, json=body)["url"] == PLACES["/t/ZMzeros/"]
    body = {"url": "https://vm.tiktok.com/ZMprofile/"}
    client.refusal("POST", path, "unprocessable", json=body)


def test_too_many_short_links_to_posts_are_refused(at_linked: tuple[Tenant, Client]) -> None:
    tenant, client = at_linked
    body = {"videos": [{"url": "https://vm.tiktok.com/ZMvideo/"}] * 11}
    path = f"/projects/{tenant.project_id}/videos"
    meta = client.refusal("POST", path, "unprocessable", json=body)
    assert (meta["index"], meta["reason"]) == (10, "too_many_short_links")


def test_the_same_link_is_resolved_once(
    at_linked: tuple[Tenant, Client], platform: tuple[str, list[str]]
) -> None:
    tenant, client = at_linked
    platform[1].clear()
    body = creator(tenant, "ZMprofile", "ZMprofile")
    client.refusal("POST", "/creators", "duplicate_account", json=body)
    assert platform[1] == ["/t/ZMprofile/"]


class TestBeforeTheTransaction:
    """Requests to platforms precede the transaction: `tests.fixtures.outgoing` checks each."""

    @pytest.mark.parametrize("kind", ["creator", "creators", "account", "video"])
    def test_with_a_key_and_not_again_for_a_replay(
        self, kind: str, at_linked: tuple[Tenant, Client], platform: tuple[str, list[str]]
    ) -> None:
        tenant, client = at_linked
        of_project = f"/projects/{tenant.project_id}"
        path, body = {
            "creator": ("/creators", creator(tenant, "ZMprofile")),
            "creators": (
                f"{of_project}/creators",
                {"creators": [{"accounts": [account("ZMprofile")]}]},
            ),
            "account": (f"/creators/{tenant.creator()['id']}/accounts", account("ZMprofile")),
            "video": (f"{of_project}/videos", {"url": "https://vm.tiktok.com/ZMvideo/"}),
        }[kind]
        platform[1].clear()
        key = {"Idempotency-Key": "of a link"}
        first = client.answer("POST", path, json=body, headers=key)
        assert client.answer("POST", path, json=body, headers=key) == first
        assert len(platform[1]) == 1

    def test_refused_requests_are_replayed_as_well(
        self, at_linked: tuple[Tenant, Client], platform: tuple[str, list[str]]
    ) -> None:
        tenant, client = at_linked
        platform[1].clear()
        key = {"Idempotency-Key": "of a dead link"}
        body = creator(tenant, "ZMdead")
        refused = [client.post("/creators", json=body, headers=key) for _ in range(2)]
        assert [answer.json()["meta"]["reason"] for answer in refused] == [
            "short_url_unresolved"
        ] * 2
        assert platform[1] == ["/t/ZMdead/"]

    def test_with_a_changed_handle(self, at_linked: tuple[Tenant, Client]) -> None:
        tenant, client = at_linked
        [changed] = tenant.creator()["accounts"]
        body = {"handle": "https://vm.tiktok.com/ZMprofile/"}
        path = f"/accounts/{changed['id']}"
        assert client.data("PATCH", path, json=body)["handle"] == "short.creator"

    def test_by_an_agent(self, linked: Api, at_linked: tuple[Tenant, Client]) -> None:
        tenant, _ = at_linked
        with Agent(linked, tenant.made.api_key) as agent:
            body = creator(tenant, "ZMprofile")
            made = agent.call("creators_create", body=body, idempotency_key="of an agent")
        assert made.envelope["data"]["handle"] == "short.creator"

    def test_at_the_desk(
        self, at_linked: tuple[Tenant, Client], platform: tuple[str, list[str]]
    ) -> None:
        tenant, client = at_linked
        sitter = Sitter(tenant)
        made = client.data("GET", f"/creators/{tenant.creator()['id']}")
        new, more = f"{sitter.home}/creators/new", f"{sitter.home}/creators/{made['id']}/accounts"
        for page, code in ((new, "ZMprofile"), (more, "ZMmany1")):
            platform[1].clear()
            sent = self.form(sitter, page, code)
            answers = [sitter.post(page, data=sent) for _ in range(2)]
            assert [answer.status_code for answer in answers] == [303, 303]
            assert platform[1] == [f"/t/{code}/"]

    def test_unauthorized_requests_send_nothing_to_the_platform(
        self, at_linked: tuple[Tenant, Client], platform: tuple[str, list[str]]
    ) -> None:
        tenant, _ = at_linked
        platform[1].clear()
        with tenant.client_with("read") as reader:
            body = creator(tenant, "ZMprofile")
            reader.refusal("POST", "/creators", "insufficient_scope", json=body)
        sitter = Sitter(tenant, signed_in=False)
        new = f"{sitter.home}/creators/new"
        sent = {"form": "of nobody", "handle.tiktok": "https://vm.tiktok.com/ZMprofile/"}
        assert sitter.post(new, data=sent).status_code == 303
        assert platform[1] == []

    def form(self, sitter: Sitter, page: str, code: str) -> Mapping[str, str]:
        return {
            "form": sitter.hidden(page),
            "once": f"number of {code}",
            "handle.tiktok": f"https://vm.tiktok.com/{code}/",
        }
