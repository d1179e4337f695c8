"""Clients that others made get on with the server: the official Python client, the inspector."""

import asyncio
import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.fixtures.agents import PATH
from tests.fixtures.api import Tenant

INSPECTOR = "@modelcontextprotocol/inspector-cli@0.16.8"
"""The part of the inspector that is its command line."""


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


@pytest.fixture(scope="session")
def inspector(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The inspector's command line, installed for this run; skipped where that cannot be."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed, so the MCP inspector was not asked")
    folder = tmp_path_factory.mktemp("inspector")
    install = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", INSPECTOR]
    try:
        subprocess.run(install, cwd=folder, check=True, capture_output=True, timeout=300)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as failed:
        pytest.skip(f"npm could not install the MCP inspector: {failed}")
    return folder / "node_modules" / ".bin" / "mcp-inspector-cli"


def test_the_inspector_reads_writes_and_is_refused(tenant: Tenant, inspector: Path) -> None:
    key, _ = tenant.add_key(("read", "write"), role="member")

    def inspect(method: str, *arguments: str) -> Mapping[str, Any]:
        command = [str(inspector), "--cli", tenant.api.base_url + PATH, "--transport", "http"]
        command += ["--header", f"Authorization: Bearer {key}", "--method", method, *arguments]
        environment = {**os.environ, "NO_PROXY": "127.0.0.1"}
        done = subprocess.run(
            command, check=True, capture_output=True, text=True, timeout=120, env=environment
        )
        answer: Mapping[str, Any] = json.loads(done.stdout)
        return answer

    names = {tool["name"] for tool in inspect("tools/list")["tools"]}
    assert "me_get" in names
    assert "members_add" not in names
    body = json.dumps({"entity_type": "creator", "name": "Star"})
    call = ("tools/call", "--tool-name")
    made = inspect(*call, "tags_create", "--tool-arg", f"body={body}")
    assert made["structuredContent"]["data"]["name"] == "Star"
    read = inspect(*call, "me_get")
    assert read["structuredContent"]["data"]["connection"]["via"] == "mcp"
    refused = inspect(*call, "creators_remove", "--tool-arg", f"creator_id={tenant.project_id}")
    assert refused["isError"]
    assert refused["structuredContent"]["meta"]["code"] == "insufficient_role"
