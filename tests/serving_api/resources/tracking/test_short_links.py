"""Short links in requests: asked once each at the platform, at most ten, never followed."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.fixtures.api import Api, Client, Tenant, new_tenant, running_api

PLACES = {
    "/t/ZMprofile/": "https://www.tiktok.com/@short.creator?_r=1",
    "/t/ZMvideo/": "https://www.tiktok.com/@short.creator/video/7682837474828885294",
    "/t/ZMinside/": "http://127.0.0.1/secret",
}


class Platform(BaseHTTPRequestHandler):
    """Stands for TikTok: says where its short links lead."""

    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        target = PLACES.get(self.path)
        self.send_response(301 if target else 404)
        if target:
            self.send_header("Location", target)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Keep the test's output clean."""


@pytest.fixture(scope="module")
def platform() -> Iterator[tuple[str, list[str]]]:
    asked: list[str] = []
    handler = type("Handler", (Platform,), {"asked": asked})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}", asked
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def linked(api: Api, platform: tuple[str, list[str]]) -> Iterator[Api]:
    settings = api.settings.model_copy(update={"tiktok_base_url": platform[0]})
    with running_api(settings, api.store) as served:
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
    made = client.data("POST", "/creators", json=creator(tenant, "ZMprofile"), status=201)
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
def test_a_short_link_to_something_else_is_refused(
    at_linked: tuple[Tenant, Client], code: str, reason: str
) -> None:
    tenant, client = at_linked
    meta = client.refusal(
        "POST", "/creators", json=creator(tenant, code), status=400, code="invalid_account"
    )
    assert meta["reason"] == reason


def test_at_most_ten_are_asked_for_in_a_request(
    at_linked: tuple[Tenant, Client], platform: tuple[str, list[str]]
) -> None:
    tenant, client = at_linked
    platform[1].clear()
    body = creator(tenant, *["ZMprofile"] * 11)
    meta = client.refusal("POST", "/creators", json=body, status=400, code="invalid_account")
    assert meta["reason"] == "too_many_short_links"
    assert len(platform[1]) == 10


def test_a_short_link_to_a_post_adds_it(at_linked: tuple[Tenant, Client]) -> None:
    tenant, client = at_linked
    path = f"/projects/{tenant.project_id}/videos"
    body = {"url": "https://vm.tiktok.com/ZMvideo/"}
    assert client.data("POST", path, json=body, status=201)["url"] == PLACES["/t/ZMvideo/"]
    body = {"url": "https://vm.tiktok.com/ZMprofile/"}
    client.refusal("POST", path, json=body, status=422, code="unprocessable")


def test_too_many_short_links_to_posts_are_refused(at_linked: tuple[Tenant, Client]) -> None:
    tenant, client = at_linked
    body = {"videos": [{"url": "https://vm.tiktok.com/ZMvideo/"}] * 11}
    path = f"/projects/{tenant.project_id}/videos"
    meta = client.refusal("POST", path, json=body, status=422, code="unprocessable")
    assert (meta["index"], meta["reason"]) == (10, "too_many_short_links")
