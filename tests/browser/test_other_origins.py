"""Cross-origin pages at `/api/mcp` and its sign-in: Chromium sends preflight requests."""

from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from playwright.sync_api import Browser as Chromium
from playwright.sync_api import Error, Page

from tests.fixtures.api import Api, Tenant
from tests.fixtures.http_server import serving
from tests.fixtures.programs import REDIRECT

pytestmark = pytest.mark.slow

VERSION = "2025-06-18"
MCP = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
ASK = """
async ([url, request]) => {
    const answer = await fetch(url, request);
    return {
        status: answer.status,
        body: await answer.text(),
        headers: Object.fromEntries(answer.headers),
    };
}
"""


class EmptyPage(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()


@pytest.fixture(scope="module")
def origin() -> Iterator[str]:
    """The origin of the calling page."""
    with serving(EmptyPage) as origin:
        yield origin


@pytest.fixture(scope="module")
def named(api: Api, origin: str) -> Iterator[Api]:
    """The API, which allows that origin."""
    with api.changed(cors_origins=[origin]) as served:
        yield served


@pytest.fixture(scope="module")
def page(chromium: Chromium, origin: str) -> Iterator[Page]:
    """A page of that origin."""
    with chromium.new_page() as page:
        page.goto(origin)
        yield page


def ask(page: Page, url: str, **request: Any) -> Mapping[str, Any]:
    """Return what a script of the page receives."""
    response: Mapping[str, Any] = page.evaluate(ASK, [url, request])
    return response


def message(key: str, method: str) -> Mapping[str, Any]:
    """A message as clients of any protocol version send it, with some extra headers."""
    headers = {
        **MCP,
        "Authorization": f"Bearer {key}",
        "Mcp-Protocol-Version": VERSION,
        "Mcp-Session-Id": "s-1",
        "Mcp-Method": method,
        "Mcp-Name": method,
        "Last-Event-ID": "e-1",
    }
    body = f'{{"jsonrpc": "2.0", "id": 1, "method": "{method}", "params": {{}}}}'
    return {"method": "POST", "headers": headers, "body": body}


def test_a_page_that_the_settings_name_works_with_tools(
    named: Api, page: Page, tenant: Tenant
) -> None:
    listed = ask(page, f"{named.base_url}/api/mcp", **message(tenant.made.api_key, "tools/list"))
    assert listed["status"] == 200
    assert '"me_get"' in listed["body"]
    assert listed["headers"]["x-request-id"]


def test_it_finds_the_way_to_the_sign_in(named: Api, page: Page) -> None:
    refused = ask(page, f"{named.base_url}/api/mcp", **message("nothing", "tools/list"))
    assert refused["status"] == 401
    assert "oauth-protected-resource/api/mcp" in refused["headers"]["www-authenticate"]
    for document in ("oauth-protected-resource/api/mcp", "oauth-authorization-server"):
        url = f"{named.base_url}/.well-known/{document}"
        assert ask(page, url, headers={"Mcp-Protocol-Version": VERSION})["status"] == 200
    request = {
        "method": "POST",
        "headers": {"Content-Type": "application/json"},
        "body": f'{{"client_name": "Page", "redirect_uris": ["{REDIRECT}"]}}',
    }
    assert ask(page, f"{named.base_url}/oauth/register", **request)["status"] == 201


@pytest.mark.parametrize("path", ["/oauth/token", "/oauth/revoke"])
def test_it_reads_why_a_token_is_refused(named: Api, page: Page, path: str) -> None:
    form = {
        "method": "POST",
        "headers": {"Content-Type": "application/x-www-form-urlencoded"},
        "body": "grant_type=refresh_token&refresh_token=x&client_id=x",
    }
    refused = ask(page, f"{named.base_url}{path}", **form)
    assert refused["status"] == 401
    assert '"invalid_client"' in refused["body"]


def test_cookies_are_not_sent(named: Api, page: Page, tenant: Tenant) -> None:
    request = message(tenant.made.api_key, "tools/list")
    with pytest.raises(Error, match="Failed to fetch"):
        ask(page, f"{named.base_url}/api/mcp", **request, credentials="include")


def test_any_other_origin_reads_nothing(named: Api, chromium: Chromium, tenant: Tenant) -> None:
    request = message(tenant.made.api_key, "tools/list")
    with serving(EmptyPage) as elsewhere, chromium.new_page() as page:
        page.goto(elsewhere)
        with pytest.raises(Error, match="Failed to fetch"):
            ask(page, f"{named.base_url}/api/mcp", **request)
        with pytest.raises(Error, match="Failed to fetch"):
            ask(page, f"{named.base_url}/.well-known/oauth-authorization-server")
