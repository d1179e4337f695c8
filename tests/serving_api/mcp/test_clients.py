"""The official Python client gets on with the server, with a key. By OAuth: tests/browser."""

import asyncio

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.fixtures.agents import PATH
from tests.fixtures.api import Tenant


def test_the_official_client_reads_writes_and_is_refused(tenant: Tenant) -> None:
    key, _ = tenant.add_key(("read", "write"), role="member")
    asyncio.run(_a_visit(tenant, key))


async def _a_visit(tenant: Tenant, key: str) -> None:
    headers = {"Authorization": f"Bearer {key}"}
    async with (
        httpx2.AsyncClient(headers=headers, trust_env=False, timeout=60) as http,
        Client(streamable_http_client(tenant.api.base_url + PATH, http_client=http)) as client,
    ):
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert {"me_get", "creators_list", "creators_create"} <= names
        assert "members_add" not in names
        accounts = [{"platform": "tiktok", "handle": "demo.creator"}]
        body = {"project_id": str(tenant.project_id), "accounts": accounts}
        made = await client.call_tool("creators_create", {"body": body, "idempotency_key": "k"})
        assert not made.is_error
        listed = await client.call_tool("creators_list", {"search": "demo"})
        assert listed.structured_content is not None
        assert len(listed.structured_content["data"]) == 1
        organization = str(tenant.organization_id)
        arguments = {"organization_id": organization, "body": {"name": "Other"}}
        refused = await client.call_tool("organizations_update", arguments)
        assert refused.is_error
        assert refused.structured_content is not None
        assert refused.structured_content["meta"]["code"] == "insufficient_scope"
        schema = await client.read_resource("tracker://schema")
        assert schema.contents
        assert {prompt.name for prompt in (await client.list_prompts()).prompts} == {
            "weekly_creator_report",
            "payout_explanation",
        }
