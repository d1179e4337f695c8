"""The official MCP client requests access, a member grants it in a real browser, and it works.

The client's own `OAuthClientProvider` runs the OAuth flow: discovery, registration, PKCE, the code
at a listener, tokens.
"""

import asyncio
import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from queue import Queue
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthToken,
)
from mcp_types import TextContent
from playwright.sync_api import Browser as Chromium
from playwright.sync_api import Page, expect
from pydantic import AnyUrl

from tests.fixtures.agents import EVERY
from tests.fixtures.api import Api, new_tenant
from tests.fixtures.browser import DESKTOP, PHONE, fits, reached, visit
from tests.fixtures.programs import PASSWORD, Browser

pytestmark = pytest.mark.slow

__all__ = ["reached"]

SIZES: dict[str, Any] = {"desktop": DESKTOP, "phone": PHONE}
POOR_CONTRASTS = (Path(__file__).parent / "poor_contrasts.js").read_text(encoding="utf-8")


class Kept:
    """The client's token storage, in memory."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


class Agent(threading.Thread):
    """The official client in its own thread, with a listener for the redirect."""

    def __init__(self, address: str) -> None:
        super().__init__(daemon=True)
        self.address = address
        self.kept = Kept()
        self.addresses: Queue[str] = Queue()
        self.answers: Queue[str] = Queue()
        self.tools: set[str] = set()
        self.read: Any = None
        self.written: Any = None
        self.refused: Any = None
        self.listener = _listener(self.answers)

    def run(self) -> None:
        with self.listener:
            asyncio.run(self._work())

    async def _work(self) -> None:
        redirect = f"http://127.0.0.1:{self.listener.server_port}/callback"
        metadata = OAuthClientMetadata(client_name="Agent", redirect_uris=[AnyUrl(redirect)])
        auth = OAuthClientProvider(
            self.address, metadata, self.kept, self._send_person, self._wait_for_answer
        )
        async with (
            httpx2.AsyncClient(auth=auth, trust_env=False, timeout=60) as http,
            Client(streamable_http_client(self.address, http_client=http)) as client,
        ):
            self.tools = {tool.name for tool in (await client.list_tools()).tools}
            self.read = await self._called(client, "me_get", {})
            star = {"body": {"entity_type": "creator", "name": "Star"}}
            self.written = await self._called(client, "tags_create", star)
            organization_id = self.read["data"]["organization"]["id"]
            renamed = {"organization_id": organization_id, "body": {"name": "Other"}}
            self.refused = await self._called(client, "organizations_update", renamed)

    async def _called(self, client: Client, tool: str, arguments: dict[str, Any]) -> Any:
        """Call a tool and return its response envelope."""
        [content] = (await client.call_tool(tool, arguments)).content
        assert isinstance(content, TextContent)
        return json.loads(content.text)

    async def _send_person(self, url: str) -> None:
        self.addresses.put(url)

    async def _wait_for_answer(self) -> AuthorizationCodeResult:
        await asyncio.to_thread(self.listener.handle_request)
        query = parse_qs(urlsplit(self.answers.get()).query)
        return AuthorizationCodeResult(
            code=query["code"][0], state=query["state"][0], iss=query["iss"][0]
        )


def _listener(answers: "Queue[str]") -> HTTPServer:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answers.put(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"Done")

        def log_message(self, *_arguments: object) -> None:
            pass

    return HTTPServer(("127.0.0.1", 0), Handler)


def looks_right(page: Page) -> None:
    """Assert that nothing scrolls sideways and all text is legible."""
    assert fits(page)
    assert page.evaluate(POOR_CONTRASTS) == []


@pytest.mark.parametrize("size", SIZES)
def test_a_member_authorizes_the_official_client(
    reached: Api, chromium: Chromium, size: str, tmp_path: Path
) -> None:
    with new_tenant(reached) as tenant:
        member, agent = Browser(tenant, role="member"), Agent(reached.base_url + EVERY)
        agent.start()
        context = chromium.new_context(viewport=SIZES[size])
        window = visit(context)
        page = window.page
        page.goto(agent.addresses.get(timeout=60))
        looks_right(page)
        page.screenshot(path=tmp_path / f"sign-in-{size}.png")
        page.get_by_label("E-mail address").fill(member.email)
        page.get_by_label("Password").fill("wrong")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("Wrong e-mail address or password")
        looks_right(page)
        page.get_by_label("Password").fill(PASSWORD)
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading")).to_have_text("Authorize Agent?")
        looks_right(page)
        page.screenshot(path=tmp_path / f"consent-{size}.png")
        page.get_by_label("write").check()
        page.get_by_role("button", name="Authorize", exact=True).click()
        expect(page.get_by_text("Done")).to_be_visible()
        context.close()
        agent.join(timeout=120)
        tags = tenant.client.data("GET", "/tags")
    assert "tags_create" in agent.tools
    assert "organizations_update" not in agent.tools
    assert agent.read["data"]["id"] == str(member.user_id)
    assert agent.read["data"]["connection"] == {"via": "mcp", "scopes": ["read", "write"]}
    assert agent.written["data"]["created_via"] == "mcp"
    assert [tag["name"] for tag in tags] == ["Star"]
    assert agent.refused["meta"]["code"] == "insufficient_scope"
