"""The official Python client works with the server, with a key. For OAuth see tests/browser."""

import asyncio
import json
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, TextContent

from tests.fixtures.agents import PATH
from tests.fixtures.api import Tenant

pytestmark = pytest.mark.slow


def test_the_official_client_reads_writes_and_is_refused(tenant: Tenant) -> None:
    key, _ = tenant.add_key(("read", "write"), role="member")
    asyncio.run(_a_visit(tenant, key))


def envelope_of(result: CallToolResult) -> Any:
    assert result.structured_content is None
    [content] = result.content
    assert isinstance(content, TextContent)
    return json.loads(content.text)


async def _a_visit(tenant: Tenant, key: str) -> None:
    headers = {"Authorization": f"Bearer {key}"}
    async with (
        httpx2.AsyncClient(headers=headers, trust_env=False, timeout=60) as http,
        Client(streamable_http_client(tenant.api.base_url + PATH, http_client=http)) as client,
    ):
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert {"me_get", "creators_list", "call_write_tool"} <= names
        assert "members_add" not in names
        accounts = [{"platform": "tiktok", "handle": "demo.creator"}]
        body = {"project_id": str(tenant.project_id), "accounts": accounts}
        made = await client.call_tool("creators_create", {"body": body, "idempotency_key": "k"})
        assert not made.is_error
        call = {"name": "creators_create", "arguments": {"body": body, "idempotency_key": "k"}}
        again = await client.call_tool("call_write_tool", call)
        assert envelope_of(again) == envelope_of(made)
        listed = await client.call_tool("creators_list", {"search": "demo"})
        assert len(envelope_of(listed)["data"]) == 1
        organization = str(tenant.organization_id)
        arguments = {"organization_id": organization, "body": {"name": "Other"}}
        refused = await client.call_tool("organizations_update", arguments)
        assert refused.is_error
        assert envelope_of(refused)["meta"]["code"] == "insufficient_scope"
        schema = await client.read_resource("tracker://schema")
        assert schema.contents
        assert {prompt.name for prompt in (await client.list_prompts()).prompts} == {
            "weekly_creator_report",
            "payout_explanation",
        }
